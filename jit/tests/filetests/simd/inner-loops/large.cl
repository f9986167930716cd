// width: 8
// local: 1 1 1
// A turn of thousands of operations is as good without lanes, and takes long to be put into them. The other loop is
// there to be looked at, and its turns depend on each other.
#define TWICE(x) x x
#define MANY(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x)))))))
kernel void k(global uint *a, global const uint16 *b) {
    uint sum = 0;
    for (int j = 0; j < 40; j++) {
        uint16 x = b[j];
        MANY(x = (x * 5u) ^ (x >> 3);)
        sum += x.s0 + x.sf;
    }
    a[0] = sum;
    for (int j = 2; j < 40; j++) a[j] += a[j - 2];
}
//= no change
