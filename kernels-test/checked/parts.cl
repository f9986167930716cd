// Elements, members and components of private variables that are read before they are written, and near misses. `//=`
// has what `clift run` is given. Lines that end in `value` are reported, others are not.

struct pair { int a, b, c[3]; };

//= --global 64 --local 64 print:i32:64
kernel void element(global int *a) {
    int t[4], l = get_local_id(0);
    t[0] = t[1] = t[3] = l;
    a[l] = t[2] + t[0]; // value: read of 4 bytes of the private variable `t` that nothing has written
}

//= --global 64 --local 64 print:i32:64
kernel void other_elements(global int *a) {
    int t[4], l = get_local_id(0);
    t[0] = t[1] = t[3] = l;
    a[l] = t[3] + t[0];
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void last_element(global int *a, int n) {
    int t[8], l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++)
        t[i] = i;
    for (int i = 0; i <= n; i++)
        sum += t[i]; // value: `t`
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void all_elements(global int *a, int n) {
    int t[8], l = get_local_id(0), sum = 0;
    for (int i = 0; i < n; i++)
        t[i] = i;
    for (int i = 0; i < n; i++)
        sum += t[i];
    a[l] = sum;
}

//= --global 64 --local 64 print:i32:64
kernel void by_ids(global int *a) {
    short t[16];
    int l = get_local_id(0);
    t[l & 15] = l;
    a[l] = t[(l ^ 1) & 15]; // value: read of 2 bytes of the private variable `t`
}

//= --global 64 --local 64 print:i32:64
kernel void by_the_same_ids(global int *a) {
    short t[16];
    int l = get_local_id(0);
    t[l & 15] = l;
    a[l] = t[l & 15];
}

//= --global 64 --local 64 print:i32:64
kernel void two_dimensions(global int *a) {
    int t[3][5];
    int l = get_local_id(0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            t[i][k] = i + k;
    a[l] = t[l % 3][l % 5]; // value: `t`
}

//= --global 64 --local 64 print:i32:64
kernel void all_of_two_dimensions(global int *a) {
    int t[3][5];
    int l = get_local_id(0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++)
            t[i][k] = i + k;
    a[l] = t[l % 3][l % 5];
}

//= --global 64 --local 64 print:i32:64
kernel void member(global int *a) {
    struct pair p;
    p.a = 3;
    a[get_local_id(0)] = p.a + p.b; // value: read of 4 bytes of the private variable `p`
}

//= --global 64 --local 64 print:i32:64
kernel void other_member(global int *a) {
    struct pair p;
    p.a = 3;
    a[get_local_id(0)] = p.a;
}

//= --global 64 --local 64 print:i32:64
kernel void array_in_a_struct(global int *a) {
    struct pair p;
    int l = get_local_id(0);
    p.c[0] = p.c[2] = l;
    a[l] = p.c[l % 3]; // value: `p`
}

//= --global 64 --local 64 print:i32:64
kernel void all_of_an_array_in_a_struct(global int *a) {
    struct pair p;
    int l = get_local_id(0);
    p.c[0] = p.c[1] = p.c[2] = l;
    a[l] = p.c[l % 3];
}

//= --global 64 --local 64 print:i32:64
kernel void array_of_structs(global int *a) {
    struct pair p[4];
    int l = get_local_id(0);
    for (int i = 0; i < 4; i++) {
        p[i].a = i;
        if (i != 2)
            p[i].b = i;
    }
    a[l] = p[l & 3].a + p[l & 3].b; // value: `p`
}

//= --global 64 --local 64 print:i32:64
kernel void all_of_an_array_of_structs(global int *a) {
    struct pair p[4];
    int l = get_local_id(0);
    for (int i = 0; i < 4; i++)
        p[i].a = p[i].b = i;
    a[l] = p[l & 3].a + p[l & 3].b;
}

//= --global 64 --local 64 print:i32:64
kernel void component(global int *a) {
    int4 v;
    v.x = 1;
    v.yw = (int2)(2, 3);
    a[get_local_id(0)] = v.x + v.z; // value: read of 4 bytes of the private variable `v`
}

//= --global 64 --local 64 print:i32:64
kernel void other_components(global int *a) {
    int4 v;
    v.x = 1;
    v.yw = (int2)(2, 3);
    a[get_local_id(0)] = v.x + v.w + v.y;
}

//= --global 64 --local 64 print:i32:64
kernel void one_branch(global int *a) {
    float3 v;
    int l = get_local_id(0);
    v.x = l;
    if (l > 3)
        v.y = l;
    a[l] = v.x + v.y; // value: `v`
}

//= --global 64 --local 64 print:i32:64
kernel void both_branches(global int *a) {
    float3 v;
    int l = get_local_id(0);
    v.x = l;
    if (l > 3)
        v.y = l;
    else
        v.y = 0;
    a[l] = v.x + v.y;
}

int use(const int *x) { return *x + 1; }

//= --global 64 --local 64 print:i32:64
kernel void address_is_given(global int *a) {
    int x;
    a[get_local_id(0)] = use(&x); // value: `x`
}

//= --global 64 --local 64 print:i32:64
kernel void address_of_an_element_is_given(global int *a) {
    int t[3];
    t[0] = t[2] = 4;
    a[get_local_id(0)] = use(t) + use(t + 1); // value: `t`
}

void set_or_add(int *x, int add) {
    if (add)
        *x += add;
    else
        *x = 5;
}

//= --global 64 --local 64 print:i32:64
kernel void address_is_given_to_set(global int *a) {
    int x, t[3];
    set_or_add(&x, 0);
    set_or_add(&x, 1);
    t[1] = 4;
    a[get_local_id(0)] = x + use(t + 1);
}

//= --global 64 --local 64 print:i32:64
kernel void copied(global int *a) {
    struct pair p, q;
    p.a = 1;
    q = p;
    a[get_local_id(0)] = q.a;
}

//= --global 64 --local 64 print:i32:64
kernel void outside(global int *a) {
    int t[4], l = get_local_id(0), k = l * 3 - 7;
    for (int i = 0; i < 4; i++)
        t[i] = l;
    // What is outside of the variable is not for this check.
    if (k >= 0 && k < 4)
        t[k] = k;
    a[l] = t[k & 3];
}

//= --global 64 --local 64 print:i32:64
kernel void swizzled(global int *a) {
    int4 v;
    int l = get_local_id(0);
    if (l == 63)
        v.xy = 1;
    int2 w = v.xy; // value: `v`
    a[l] = w.x;
}

//= --global 64 --local 64 print:i32:64
kernel void swizzled_behind(global int *a) {
    int4 v;
    v.wx = get_local_id(0);
    int2 w = v.xw;
    a[get_local_id(0)] = w.x + w.y;
}
