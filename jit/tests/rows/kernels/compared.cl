// local: 8 16
// groups: 2
// T: int4 float4 uint4
// CMP: == <
// J: || &&
// L: 0 3
kernel void k(global const T *a, global const T *b, global int *c) {
    size_t i = get_global_id(0);
    T v = a[i], u = b[i] + (T)L;
    int x = c[i];
    if (v.x CMP u.x J v.y CMP u.y J v.z CMP u.z J v.w CMP u.w) x += 7;
    c[i] = x;
}
