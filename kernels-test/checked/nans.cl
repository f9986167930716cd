// Arithmetic that makes NaN of numbers, and near misses. `//=` has what `clift run` is given; lines that say `value`
// are those that are reported.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

//= --global 64 --local 64 print:f32:64
kernel void zero_by_zero(global float *a) {
    float l = get_local_id(0);
    a[(int)l] = l / l; // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64
kernel void one_by_zero(global float *a) {
    float l = get_local_id(0);
    a[(int)l] = 1 / l;
}

//= --global 64 --local 64 print:f32:64 f32:10
kernel void root_of_what_is_below_zero(global float *a, float x) {
    int l = get_local_id(0);
    a[l] = sqrt(x - l); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64 f32:10
kernel void root_of_what_is_above_zero(global float *a, float x) {
    int l = get_local_id(0);
    a[l] = sqrt(x + l);
}

//= --global 64 --local 64 print:f32:64 f32:10
kernel void logarithm(global float *a, float x) {
    int l = get_local_id(0);
    a[l] = log(x - l); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64 f32:63
kernel void logarithm_of_zero(global float *a, float x) {
    int l = get_local_id(0);
    a[l] = log(x - l);
}

//= --global 64 --local 64 print:f32:64
kernel void infinities(global float *a) {
    int l = get_local_id(0);
    float big = exp((float)l * l);
    a[l] = big - exp(3.0f * l * l); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64
kernel void infinity_and_a_number(global float *a) {
    int l = get_local_id(0);
    a[l] = exp((float)l * l) - 3.0f * l * l;
}

//= --global 64 --local 64 print:f32:64
kernel void nothing_times_infinity(global float *a) {
    int l = get_local_id(0);
    a[l] = fma((float)l, INFINITY, 1.0f); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64
kernel void something_times_infinity(global float *a) {
    int l = get_local_id(0);
    a[l] = fma(l + 1.0f, INFINITY, 1.0f);
}

//= --global 64 --local 64 print:f32:64
kernel void one_component(global float *a) {
    int l = get_local_id(0);
    float4 v = (float4)(1, 2, l, 4), w = v / (float4)(0, 1, l, 0); // value: NaN made of numbers
    a[l] = w.x;
}

//= --global 64 --local 64 print:f32:64
kernel void no_component(global float *a) {
    int l = get_local_id(0);
    float4 v = (float4)(1, 2, l + 1, 4), w = v / (float4)(0, 1, l, 0);
    a[l] = w.x;
}

//= --global 64 --local 64 print:f32:64
kernel void passed_on(global float *a) {
    int l = get_local_id(0);
    float x = l == 7 ? NAN : l;
    a[l] = sin(x * 2 + 1);
}

//= --global 64 --local 64 print:f32:64
kernel void made_on_purpose(global float *a) {
    int l = get_local_id(0);
    a[l] = nan((uint)l);
}

//= --global 64 --local 64 print:f64:64
kernel void double_remainder(global double *a) {
    int l = get_local_id(0);
    a[l] = fmod(5.0, (double)l); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f64:64
kernel void double_remainder_of_one(global double *a) {
    int l = get_local_id(0);
    a[l] = fmod(5.0, l + 1.0);
}

float inverse_cosine(float x) {
    return acos(x); // value: NaN made of numbers
}
//= --global 64 --local 64 print:f32:64
kernel void in_a_function(global float *a) {
    int l = get_local_id(0);
    a[l] = inverse_cosine(l / 32.0f);
}

//= --global 32 --local 32 print:f32:32
kernel void in_range(global float *a) {
    int l = get_local_id(0);
    a[l] = acos(l / 32.0f);
}

//= --global 64 --local 64 print:f32:64
kernel void half_root(global float *a) {
    half l = get_local_id(0);
    a[(int)l] = sqrt(l - (half)1); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64 f32:-3
kernel void power(global float *a, float x) {
    int l = get_local_id(0);
    a[l] = pow(x, l / 2.0f); // value: NaN made of numbers
}

//= --global 64 --local 64 print:f32:64 f32:-3
kernel void whole_power(global float *a, float x) {
    int l = get_local_id(0);
    a[l] = pow(x, (float)l);
}

//= --global 64 --local 64 print:f32:64
kernel void length_of_nan(global float *a) {
    int l = get_local_id(0);
    float4 v = (float4)(l == 7 ? NAN : l, 1, 2, 3);
    a[l] = length(v) + normalize(v).y + distance(v, (float4)2) + dot(v, v);
}

//= --global 64 --local 64 print:f32:64
kernel void product_of_infinities(global float *a) {
    int l = get_local_id(0);
    float4 v = (float4)(l == 7 ? INFINITY : l, 1, 2, 3);
    a[l] = dot(v, (float4)(0, 1, 1, 1)); // value: NaN made of numbers
}
