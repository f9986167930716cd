// Guards in front of loops with barriers: by an id of which a group has one, and by one of which it has several, so that
// the group's way from barrier to barrier is not known. What `same-as` names does all in one work-item.
//@ kernel: rows
//@ global: 16 6
//@ local: 16 1
//@ inout: int = 0..479 -> _*480
//@ value: int = 16
//@ value: int = 5
//@ value: int = 4
//@ same-as: rows_by_one
//@ kernel: rows
//@ global: 8 6
//@ local: 8 2
//@ inout: int = 0..239 -> _*240
//@ value: int = 8
//@ value: int = 5
//@ value: int = 4
//@ same-as: rows_by_one
kernel void rows(global int *a, int n, int h, int w) {
    local int t[16];
    int l = get_local_id(0), x = get_global_id(1);
    local int *r = t + get_local_id(1) * n;
    global int *p = a + x * h * n;
    if (x < w) {
        int v = 0;
        for (int y = 0; y < h; y++) {
            if (y == 0) {
                v = p[l];
            } else {
                r[l] = v;
                barrier(CLK_LOCAL_MEM_FENCE);
                v = r[l ^ 1] + p[y * n + l];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            r[l] = v * 3;
            barrier(CLK_LOCAL_MEM_FENCE);
            p[y * n + l] = r[n - 1 - l] + x;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
kernel void rows_by_one(global int *a, int n, int h, int w) {
    if (get_global_id(0) > 0 || get_global_id(1) > 0) return;
    for (int x = 0; x < w; x++) {
        global int *p = a + x * h * n;
        int v[16] = {0}, r[16];
        for (int y = 0; y < h; y++) {
            for (int l = 0; l < n; l++) r[l] = v[l];
            for (int l = 0; l < n; l++) v[l] = y == 0 ? p[l] : r[l ^ 1] + p[y * n + l];
            for (int l = 0; l < n; l++) p[y * n + l] = v[n - 1 - l] * 3 + x;
        }
    }
}
