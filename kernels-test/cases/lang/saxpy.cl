//@ kernel: saxpy
//@ global: 8
//@ value: float = 2
//@ in: float = 0..7
//@ inout: float = 1*8 -> 1 3 5 7 9 11 13 15
kernel void saxpy(float a, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
