// OpenCL C 3.1: all of 3.0, and the macros of the version.
//@ options: -cl-std=CL3.1 -Werror
//@ kernel: version
//@ global: 2
//@ out: int = 310 310 4 3
kernel void version(global int *out)
{
    size_t i = get_global_id(0);
    local int sum;
    int *p = &sum;
    *p = 4;
    float4 v = (float4)(1, 2, 3, 4);
    out[0] = __OPENCL_C_VERSION__;
    out[1] = CL_VERSION_3_1;
    out[2] = *p;
    out[3] = (int)v.b;
    if (i > 1) printf("%zu %td %#zx\n", i, (ptrdiff_t)i, sizeof(v));
}
