// local: 32 16 7
// groups: 2
// T: int uchar long
kernel void k(global const int *in, global int *out) {
    volatile T own = get_local_id(0), other = in[get_global_id(0)];
    T sum = 0;
    for (int i = 0; i < 5; i++) sum += in[(i + own) & 31] * other;
    if (sum & 1) other = own + 3;
    out[get_global_id(0)] = sum + other;
}
