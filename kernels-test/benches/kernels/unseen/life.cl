/* A step of the game of life on a torus. */
kernel void life(global const int *in, global int *out, int width, int height) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height) return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            int nx = (x + dx + width) % width;
            int ny = (y + dy + height) % height;
            alive += in[ny * width + nx];
        }
    }
    int own = in[y * width + x];
    if (own && (alive < 2 || alive > 3)) out[y * width + x] = 0;
    else if (!own && alive == 3) out[y * width + x] = 1;
    else out[y * width + x] = own;
}
