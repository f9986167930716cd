// Alignments beyond what variables can be given.
//@ build-error: requested alignment 8192 is not a power of 2 up to 4096
//@ build-error: requested alignment 48 is not a power of 2 up to 4096
kernel void k(global int *out)
{
    int x __attribute__((aligned(8192))) = 1;
    local int y __attribute__((aligned(48)));
    out[0] = x;
}
