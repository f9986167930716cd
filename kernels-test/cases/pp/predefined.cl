//@ options: -cl-std=CL1.2
//@ kernel: k
//@ out: int = 120 120 110 100 1 1 1 1 11 8 1
kernel void k(global int *out)
{
    out[0] = __OPENCL_C_VERSION__;
    out[1] = CL_VERSION_1_2;
    out[2] = CL_VERSION_1_1;
    out[3] = CL_VERSION_1_0;
#ifdef __kernel_exec
    out[4] = 1;
#endif
#ifdef cl_khr_fp64
    out[5] = 1;
#endif
#if defined(FP_CONTRACT) || !defined(__FAST_RELAXED_MATH__)
    out[6] = 1;
#endif
#ifdef __IMAGE_SUPPORT__
    out[7] = 1;
#else
    out[7] = 0;
#endif
    out[8] = __LINE__ - 13;
    out[9] = sizeof(__FILE__) > 1 ? CHAR_BIT : 0;
    out[10] = INT_MAX == 2147483647 && FLT_DIG == 6 && DBL_MANT_DIG == 53 && MAXFLOAT > 1e38f && ULONG_MAX == 0xffffffffffffffffUL;
}
