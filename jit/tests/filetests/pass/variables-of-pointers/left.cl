// options: -g -cl-opt-disable -clift-check=memory
// Numbers are loaded where the source reads them, and so are pointers in an array, of which one is chosen.
kernel void k(int n) {
    int x = 1, y = 2, *both[2] = {&x, &y};
    int m = n * n;
    *both[n & 1] = m;
}
//= no change
