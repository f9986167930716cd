/* The median of nine pixels by a sorting network. */
#define ORDER(a, b) { uchar low = min(a, b); b = max(a, b); a = low; }

kernel void median(global const uchar *in, global uchar *out, int width, int height) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    uchar p[9];
    for (int i = 0; i < 9; i++) p[i] = in[(y + i / 3 - 1) * width + x + i % 3 - 1];
    ORDER(p[1], p[2]);
    ORDER(p[4], p[5]);
    ORDER(p[7], p[8]);
    ORDER(p[0], p[1]);
    ORDER(p[3], p[4]);
    ORDER(p[6], p[7]);
    ORDER(p[1], p[2]);
    ORDER(p[4], p[5]);
    ORDER(p[7], p[8]);
    ORDER(p[0], p[3]);
    ORDER(p[5], p[8]);
    ORDER(p[4], p[7]);
    ORDER(p[3], p[6]);
    ORDER(p[1], p[4]);
    ORDER(p[2], p[5]);
    ORDER(p[4], p[7]);
    ORDER(p[4], p[2]);
    ORDER(p[6], p[4]);
    ORDER(p[4], p[2]);
    out[y * width + x] = p[4];
}
