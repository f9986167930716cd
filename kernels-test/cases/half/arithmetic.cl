// Operators on half: each result rounded once, the same by the compiler and at run time.
//@ kernel: constant_operands
//@ out: half = 0.333251953125 inf 65504 0 2048 2052 2 1.5 -inf 1 1.0009765625 -0 2.5 4 0.0999755859375
//@ kernel: operands
//@ in: half = 1 3 65504 16 15 5.960464477539063e-8 2 2048 2050 0.5
//@ out: half = 0.333251953125 inf 65504 0 2048 2052 2 1.5 -inf
//@ kernel: directed
//@ in: half = 1 3 65504 5.960464477539063e-8
//@ out: half = 0.333251953125 0.33349609375 0.333251953125 -0.333251953125 -0.33349609375 65504 inf 5.960464477539063e-8 0
//@ kernel: promotions
//@ out: int = 1 4 8 2 4 8 2 1
//@ kernel: steps
//@ value: half = 2047
//@ out: half = 2047 2048 2048 2048 2047 -2047 0 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_select_fprounding_mode : enable

kernel void constant_operands(global half *o)
{
    o[0] = 1.0h / 3.0h;
    o[1] = HALF_MAX + 16.0h;
    o[2] = HALF_MAX + 15.0h;
    o[3] = 0x1p-24h / 2;
    o[4] = 2048.0h + 1;
    o[5] = 2050.0h + 1.0h;
    o[6] = 1.0h + true;
    o[7] = 3.0h * 0.5f;
    o[8] = -(half)16777217;
    o[9] = 1.00048828125h;
    // Just above the middle of two halves, which it is as a double.
    o[10] = 1.000488281250000000000000001h;
    o[11] = -0.0H;
    o[12] = 0x1.4p+1h;
    o[13] = (half)(3.0h > 2.0h) * 4;
    o[14] = 0.1h;
}

kernel void operands(global const half *a, global half *o)
{
    o[0] = a[0] / a[1];
    o[1] = a[2] + a[3];
    o[2] = a[2] + a[4];
    o[3] = a[5] / a[6];
    o[4] = a[7] + a[0];
    o[5] = a[8] + a[0];
    o[6] = a[0] + (a[1] > a[0]);
    o[7] = a[1] * (float)a[9];
    o[8] = -(a[2] * a[2]);
}

#pragma OPENCL SELECT_ROUNDING_MODE rtz
half divide_rtz(half a, half b) { return a / b; }
half add_rtz(half a, half b) { return a + b; }
#pragma OPENCL SELECT_ROUNDING_MODE rtp
half divide_rtp(half a, half b) { return a / b; }
half add_rtp(half a, half b) { return a + b; }
#pragma OPENCL SELECT_ROUNDING_MODE rtn
half divide_rtn(half a, half b) { return a / b; }
#pragma OPENCL SELECT_ROUNDING_MODE rte

kernel void directed(global const half *a, global half *o)
{
    o[0] = divide_rtz(a[0], a[1]);
    o[1] = divide_rtp(a[0], a[1]);
    o[2] = divide_rtn(a[0], a[1]);
    o[3] = divide_rtp(-a[0], a[1]);
    o[4] = divide_rtn(-a[0], a[1]);
    o[5] = add_rtz(a[2], a[2]);
    o[6] = add_rtp(a[2], a[2]);
    o[7] = divide_rtp(a[3], a[2]);
    o[8] = divide_rtz(a[3], a[2]);
}

kernel void promotions(global int *o)
{
    o[0] = sizeof(1.0h + 1) == sizeof(half);
    o[1] = sizeof(1.0h + 1.0f);
    o[2] = sizeof(1.0h + 1.0);
    o[3] = sizeof(true ? 1.0h : 2);
    o[4] = sizeof(true ? 1.0h : 2.0f);
    o[5] = sizeof((half4)(1.0h) + 1);
    o[6] = sizeof(-1.0h);
    o[7] = (half2)(1.0h).x == 1;
}

kernel void steps(half h, global half *o)
{
    o[0] = h++;
    o[1] = h++;
    o[2] = h;
    o[3] = h--;
    o[4] = h;
    o[5] = -h;
    o[6] = !h;
    o[7] = h && !-0.0h;
}
