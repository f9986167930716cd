// Without the pragma half is for loads and stores by the vload_half and vstore_half functions only.
//@ build-error: declaring variable of type 'half' is not allowed
//@ build-error: use of type 'half' requires cl_khr_fp16 support
kernel void k(global half *o)
{
    half h;
    vstore_half(1.0h, 0, o);
}
