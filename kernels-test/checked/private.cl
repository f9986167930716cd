// Private variables that are read before they are written and divisions without a result, and near misses. `//=` has
// what `clift run` is given. Lines that end in `value` are reported, others are not.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

//= --global 64 --local 64 print:i32:64
kernel void some_write(global int *a) {
    int l = get_local_id(0), x;
    if (l != 5)
        x = l;
    a[l] = x; // value: read of the private variable `x`, which nothing has written
}

//= --global 64 --local 64 print:i32:64
kernel void all_write(global int *a) {
    int l = get_local_id(0), x;
    if (l != 5)
        x = l;
    else
        x = 7;
    a[l] = x;
}

//= --global 64 --local 64 print:i32:64
kernel void same_condition(global int *a) {
    int l = get_local_id(0), x;
    if (l & 1)
        x = l;
    a[l] = 3;
    if (l & 1)
        a[l] = x;
}

//= --global 64 --local 64 print:i32:64
kernel void never(global int *a) {
    float x;
    a[get_local_id(0)] = x > 1.0f; // value: `x`
}

//= --global 64 --local 64 print:i32:64 i32:0
kernel void loop_without_turns(global int *a, int n) {
    int last;
    for (int i = 0; i < n; i++)
        last = i;
    a[get_local_id(0)] = last; // value: `last`
}

//= --global 64 --local 64 print:i32:64 i32:3
kernel void loop_with_turns(global int *a, int n) {
    int last;
    for (int i = 0; i < n; i++)
        last = i;
    a[get_local_id(0)] = last;
}

float sum(global const int *a, int n) {
    float s;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s; // value: `s`
}
//= --global 64 --local 64 print:i32:64 i32:0
kernel void in_a_function_without_turns(global int *a, int n) {
    a[get_local_id(0)] = sum(a, n);
}

float sum_of_some(global const int *a, int n) {
    float s;
    for (int i = 0; i < n; i++)
        s += a[i]; // value: `s`
    return n > 100 ? s : 0;
}
//= --global 64 --local 64 print:i32:64 i32:3
kernel void in_a_function(global int *a, int n) {
    a[get_local_id(0)] = sum_of_some(a, n);
}

struct pair { char c; int a, b; };
//= --global 64 --local 64 print:i32:64 zero:12
kernel void members(global int *a, global struct pair *out) {
    struct pair p, q;
    p.a = get_local_id(0);
    q = p;
    a[q.a] = q.a;
    if (q.a == 7)
        *out = q;
}

//= --global 64 --local 64 print:i32:64
kernel void member(global int *a) {
    struct pair p;
    a[get_local_id(0)] = p.b; // value: `p`
}

//= --global 64 --local 64 print:i32:64
kernel void vector_by_components(global int *a) {
    int4 v;
    v.x = 1;
    v.yz = (int2)(2, 3);
    v.w = v.x;
    a[get_local_id(0)] = v.x + v.y + v.w;
}

//= --global 64 --local 64 print:i32:64
kernel void vector(global int *a) {
    int4 v;
    a[get_local_id(0)] = v.z; // value: `v`
}

//= --global 64 --local 64 print:i32:64
kernel void array(global int *a) {
    int t[4], l = get_local_id(0);
    if (l > 40)
        t[l & 3] = l;
    a[l] = t[l & 3]; // value: `t`
}

//= --global 64 --local 64 print:i32:64
kernel void array_by_a_loop(global int *a) {
    int t[4], l = get_local_id(0);
    for (int i = 0; i < 4; i++)
        t[i] = i;
    a[l] = t[l & 3];
}

void give(int *to, int x) {
    *to = x;
}
//= --global 64 --local 64 print:i32:64
kernel void by_address(global int *a) {
    int x;
    give(&x, 5);
    float whole, part = fract(1.5f, &whole);
    a[get_local_id(0)] = x + (int)(whole + part);
}

//= --global 64 --local 64 print:i32:64
kernel void marked(global int *a) {
    int x;
#pragma CLIFT CHECK OFF
    a[get_local_id(0)] = x;
#pragma CLIFT CHECK ON
}

//= --global 64 --local 64 print:i32:64
kernel void divides(global int *a) {
    int l = get_local_id(0);
    a[l] = 100 / (l - 7); // value: division by zero
}

//= --global 64 --local 64 print:i32:64
kernel void divides_behind_a_test(global int *a) {
    int l = get_local_id(0);
    if (l != 7)
        a[l] = 100 / (l - 7);
    a[l] += l == 7 ? 0 : 100 % (l - 7);
}

//= --global 64 --local 64 print:i32:64
kernel void remainder_of(global int *a) {
    uint l = get_local_id(0);
    a[l] = 100 % (l & 3); // value: remainder of a division by zero
}

//= --global 64 --local 64 print:i32:64
kernel void too_large(global int *a) {
    int l = get_local_id(0);
    a[l] = (INT_MIN + l) / -1; // value: division of the smallest number by -1
}

//= --global 64 --local 64 print:i32:64
kernel void nearly_too_large(global int *a) {
    int l = get_local_id(0);
    a[l] = (INT_MIN + 1 + l) / -1 + 5 / (l + 1);
}

//= --global 64 --local 64 print:i32:64
kernel void divides_vectors(global int *a) {
    int l = get_local_id(0);
    int4 v = (int4)(l, 1, 2, 3), w = 12 / v; // value: division by zero
    a[l] = w.x;
}

int half_of(int x, int by) {
    return x / by; // value: division by zero
}
//= --global 64 --local 64 print:i32:64
kernel void divides_in_a_function(global int *a) {
    int l = get_local_id(0);
    a[l] = half_of(l, l & 1);
}

//= --global 64 --local 64 print:i32:64 f32:2147483584
kernel void out_of_int(global int *a, float x) {
    int l = get_local_id(0);
    a[l] = (int)(x + 64 * l); // value: conversion of a float that is out of the integer type's range
}

//= --global 64 --local 64 print:i32:64 f32:2147483584
kernel void saturates(global int *a, float x) {
    int l = get_local_id(0);
    a[l] = convert_int_sat(x + 64 * l);
}

//= --global 64 --local 64 print:i32:64 f32:2147479424
kernel void nearly_out_of_int(global int *a, float x) {
    int l = get_local_id(0);
    a[l] = (int)(x + 64 * l) + (int)(-x - 64 * l) + convert_int_rtn((double)-x - 65);
}

//= --global 64 --local 64 print:i32:64
kernel void not_a_number(global int *a) {
    int l = get_local_id(0);
    a[l] = convert_int(sqrt(32.0f - l)); // value: conversion of a float
}

//= --global 64 --local 64 print:i32:64
kernel void below_zero(global int *a) {
    int l = get_local_id(0);
    a[l] = (uint)(0.25f * -l); // value: conversion of a float
}

//= --global 3 --local 3 print:i32:3
kernel void fractions_below_zero(global int *a) {
    int l = get_local_id(0);
    a[l] = (uint)(0.25f * -l);
}

//= --global 64 --local 64 print:i32:64
kernel void out_of_bytes(global int *a) {
    int l = get_local_id(0);
    a[l] = convert_uchar4((float4)(l, 4.5f * l, 255.9f, -0.5f)).y; // value: conversion of a float
}

//= --global 64 --local 64 print:i32:64
kernel void nearly_out_of_bytes(global int *a) {
    int l = get_local_id(0);
    a[l] = convert_uchar4((float4)(l, 4.0f * l, 255.9f, -0.5f)).y + (short)((half)32000 + (half)l / (half)4);
}
