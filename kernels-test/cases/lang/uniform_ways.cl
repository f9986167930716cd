// A value that all work-items share, of one of two ways: these part by what all share, and one of them passes a
// condition of each work-item's own. What `same-as` names does all in one work-item.
//@ kernel: uniform_ways
//@ global: 64
//@ local: 64
//@ in: int = 0..255
//@ inout: int = 0*512 -> _*512
//@ value: int = 33
//@ value: int = 256
//@ same-as: uniform_ways_by_one
void ways(global const int *in, global int *out, int id, int m, int n) {
    int v = in[id * 37 & 255];
    for (int i = 0; i < n; i++) {
        int w = in[i], p = w;
        if (w & 8 || (v >> (i & 7) & 1 && w & 128))
            p = (w & 7) * i ^ (w & 33) * m ^ w >> 3;
        else if (!(v >> (i & 7) & 1)) {
            out[id] += 7;
            continue;
        } else
            out[id] += v;
        out[id + 448] += p;
    }
}
kernel void uniform_ways(global const int *restrict in, global int *restrict out, int m, int n) {
    ways(in, out, get_global_id(0), m, n);
}
kernel void uniform_ways_by_one(global const int *restrict in, global int *restrict out, int m, int n) {
    if (get_global_id(0) == 0)
        for (int id = 0; id < 64; id++)
            ways(in, out, id, m, n);
}
