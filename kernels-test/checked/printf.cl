// Calls of `printf` whose format and arguments do not go together, and near misses. `//=` has what `clift run` is
// given; lines that say `value` are those that are reported.

//= --global 4 --local 4 print:i32:4
kernel void int_as_float(global int *a) {
    int l = get_local_id(0);
    a[l] = printf("%f\n", l); // value: printf: '%f' does not go with 'int'
}

//= --global 4 --local 4 print:i32:4
kernel void int_and_float(global int *a) {
    int l = get_local_id(0);
    a[l] = printf("%d %5.2f\n", l, 0.5f * l);
}

//= --global 4 --local 4
kernel void long_as_int(void) {
    printf("%d\n", get_local_id(0)); // value: printf: '%d' does not go with 'long'
}

//= --global 4 --local 4
kernel void long_as_long(void) {
    printf("%lu\n", get_local_id(0));
}

//= --global 4 --local 4 print:i32:4
kernel void too_few(global int *a) {
    int l = get_local_id(0);
    a[l] = printf("%d %d\n", l); // value: printf: there is no argument for '%d'
}

//= --global 4 --local 4 print:i32:4
kernel void more_than_asked_for(global int *a) {
    int l = get_local_id(0);
    a[l] = printf("%d\n", l, l);
}

//= --global 4 --local 4
kernel void vector_as_int(void) {
    int4 v = (int4)(get_local_id(0));
    printf("%d\n", v); // value: printf: '%d' does not go with 'int4'
}

//= --global 4 --local 4
kernel void vector_as_vector(void) {
    int4 v = (int4)(get_local_id(0));
    printf("%v4hld\n", v);
}

//= --global 4 --local 4
kernel void floats_as_halves(void) {
    float2 v = (float2)(get_local_id(0));
    printf("%v2hf\n", v); // value: printf: '%v2hf' does not go with 'float2'
}

//= --global 4 --local 4
kernel void floats_as_floats(void) {
    float2 v = (float2)(get_local_id(0));
    printf("%v2hlf\n", v);
}

//= --global 4 --local 4
kernel void no_conversion(void) {
    printf("%d%%, %!\n", (int)get_local_id(0)); // value: printf: invalid conversion specifier '!'
}

//= --global 4 --local 4
kernel void per_cent(void) {
    printf("%d%%, %c\n", (int)get_local_id(0), '!');
}

//= --global 4 --local 4
kernel void one_work_item_s_format(void) {
    constant char *format = get_local_id(0) == 3 ? "%s\n" : "%d\n";
    printf(format, (int)get_local_id(0)); // value: printf: '%s' does not go with 'int'
}

//= --global 4 --local 4
kernel void either_format(void) {
    constant char *format = get_local_id(0) == 3 ? "%x\n" : "%d\n";
    printf(format, (int)get_local_id(0));
}

constant char text[] = "text";

//= --global 4 --local 4 zero:64
kernel void string_in_a_buffer(constant char *at) {
    printf("%s\n", at); // value: printf: the argument of '%s' is no string of the program
}

//= --global 4 --local 4
kernel void string_in_the_middle(void) {
    printf("%s\n", text + get_local_id(0));
}

int say(int n) {
    return printf("%ld\n", n); // value: printf: '%ld' does not go with 'int'
}

//= --global 4 --local 4 print:i32:4
kernel void in_a_function(global int *a) {
    int l = get_local_id(0);
    a[l] = say(l);
}

//= --global 4 --local 4 print:i32:4
kernel void never_reached(global int *a) {
    int l = get_local_id(0);
    if (l > 4)
        printf("%f\n", l);
    a[l] = l;
}

//= --global 4 --local 4 print:i32:4
kernel void left_alone(global int *a) {
    int l = get_local_id(0);
#pragma CLIFT CHECK OFF
    a[l] = printf("%f\n", l);
#pragma CLIFT CHECK ON
}

//= --global 4 --local 4 print:i32:4
kernel void only_the_last(global int *a) {
    int l = get_local_id(0);
    a[l] = l == 3 ? printf("%d %ld\n", l, l) : 7; // value: printf: '%ld' does not go with 'int'
}

//= --global 4 --local 4
kernel void vector_of_another_length(void) {
    int2 v = (int2)(get_local_id(0));
    printf("%v4hld\n", v); // value: printf: '%v4hld' does not go with 'int2'
}

//= --global 4 --local 4
kernel void components_of_a_vector(void) {
    int2 v = (int2)(get_local_id(0));
    printf("%d, %d\n", v.x, v.y);
}
