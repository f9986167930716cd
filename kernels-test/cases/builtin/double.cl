//@ kernel: k
//@ out: double = 0.3333333333333333 1.4142135623730951 -3 0.1 9.999999999999999e299 2.5 0 8
kernel void k(global double *out)
{
    out[0] = 1.0 / 3.0;
    out[1] = sqrt(2.0);
    out[2] = floor(-2.5);
    out[3] = 0.1;
    out[4] = fma(1e150, 1e150, 0.0);
    out[5] = fabs(-2.5);
    out[6] = fmod(6.0, 3.0);
    out[7] = ldexp(1.0, 3);
}
