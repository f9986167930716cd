// Shifts by as many bits as there are, or more, and near misses. `//=` has what `clift run` is given; lines that say
// `value` are those that are reported.

//= --global 64 --local 64 print:i32:64
kernel void by_the_width(global int *a) {
    int l = get_local_id(0);
    a[l] = 1 << (l + 1); // value: shift of 32 bits by 32
}

//= --global 64 --local 64 print:i32:64
kernel void by_less_than_the_width(global int *a) {
    int l = get_local_id(0);
    a[l] = 1 << (l & 31);
}

//= --global 64 --local 64 print:i32:64
kernel void by_less_than_none(global int *a) {
    int l = get_local_id(0);
    a[l] = 256 >> (60 - l); // value: shift of 32 bits by
}

//= --global 64 --local 64 print:i32:64
kernel void by_none(global int *a) {
    int l = get_local_id(0);
    a[l] = 256 >> (l - l);
}

//= --global 64 --local 64 print:i32:64
kernel void of_64_bits(global int *a) {
    int l = get_local_id(0);
    a[l] = (int)(1UL << (l * 2)); // value: shift of 64 bits by 64
}

//= --global 64 --local 64 print:i32:64
kernel void of_64_bits_by_less(global int *a) {
    int l = get_local_id(0);
    a[l] = (int)(1UL << l);
}

//= --global 64 --local 64 print:i32:64
kernel void of_a_narrow_type(global int *a) {
    int l = get_local_id(0);
    uchar c = l;
    a[l] = c << (l >> 1);
}

//= --global 64 --local 64 print:i32:64
kernel void of_a_narrow_type_beyond_int(global int *a) {
    int l = get_local_id(0);
    uchar c = l;
    a[l] = c << l; // value: shift of 32 bits by 32
}

//= --global 64 --local 64 print:i32:64
kernel void of_components(global int *a) {
    int l = get_local_id(0);
    int2 v = (int2)(l, 1) << (int2)(1, l); // value: shift of components of 32 bits by as many or more
    a[l] = v.x + v.y;
}

//= --global 64 --local 64 print:i32:64
kernel void of_components_by_less(global int *a) {
    int l = get_local_id(0);
    int2 v = (int2)(l, 1) << (int2)(1, l & 31);
    a[l] = v.x + v.y;
}

//= --global 64 --local 64 print:i32:64
kernel void of_short_components(global int *a) {
    int l = get_local_id(0);
    short by = l >> 1;
    short2 v = (short2)((short)l) >> (short2)(by); // value: shift of components of 16 bits by as many or more
    a[l] = v.x + v.y;
}

//= --global 64 --local 64 print:i32:64
kernel void of_short_components_by_less(global int *a) {
    int l = get_local_id(0);
    short2 v = (short2)((short)l) >> (short2)((short)(l >> 2));
    a[l] = v.x + v.y;
}

//= --global 64 --local 64 print:i32:64 i32:40
kernel void by_an_argument(global int *a, int n) {
    int l = get_local_id(0);
    a[l] = l << n; // value: shift of 32 bits by 40
}

//= --global 64 --local 64 print:i32:64 i32:31
kernel void by_a_small_argument(global int *a, int n) {
    int l = get_local_id(0);
    a[l] = l << n;
}

//= --global 64 --local 64 print:i32:64
kernel void in_place(global int *a) {
    int l = get_local_id(0);
    a[l] = 5;
    a[l] >>= l + 1; // value: shift of 32 bits by 32
}

//= --global 64 --local 64 print:i32:64
kernel void in_place_by_less(global int *a) {
    int l = get_local_id(0);
    a[l] = 5;
    a[l] >>= l / 2;
}

//= --global 64 --local 64 print:i32:64
kernel void unsigned_numbers(global int *a) {
    int l = get_local_id(0);
    uint u = 1u << l; // value: shift of 32 bits by 32
    a[l] = u >> 1;
}

//= --global 64 --local 64 print:i32:64
kernel void rotations(global int *a) {
    int l = get_local_id(0);
    a[l] = rotate(l, l);
}

//= --global 64 --local 64 print:i32:64
kernel void where_it_is_not_reached(global int *a) {
    int l = get_local_id(0);
    a[l] = l < 32 ? 1 << l : 0;
}

//= --global 64 --local 64 print:i32:64
kernel void where_it_is_reached(global int *a) {
    int l = get_local_id(0);
    a[l] = l < 33 ? 1 << l : 0; // value: shift of 32 bits by 32
}

//= --global 64 --local 64 print:i32:64
kernel void by_what_is_read(global int *a) {
    int l = get_local_id(0);
    a[l] = l;
    a[l] = 1 << a[l]; // value: shift of 32 bits by 32
}

//= --global 64 --local 64 print:i32:64
kernel void by_what_is_cut(global int *a) {
    int l = get_local_id(0);
    a[l] = 1 << (l % 32);
}
