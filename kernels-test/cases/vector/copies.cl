// Copies of private blocks that are read and written at indices which the program finds: from memory, to memory, from
// block to block, at an address that is aligned to bytes only, and from a block to itself.
// Each kernel counts work-items that found something else than they should (first) and all that looked.
//@ kernel: words
//@ global: 64
//@ local: 32
//@ in: int = 0..1024
//@ inout: int = 0 0 -> 0 64
//@ kernel: mixed
//@ global: 64
//@ local: 32
//@ in: int = 0..1024
//@ inout: int = 0 0 -> 0 64
//@ kernel: packed
//@ global: 64
//@ local: 32
//@ in: int = 0..1024
//@ inout: int = 0 0 -> 0 64
typedef struct { int w[8]; } block;
typedef struct { char c[3]; } three;
typedef struct __attribute__((packed)) { char first; block rest; } shifted;

void count(global int *out, bool right) {
    if (!right) atomic_inc(&out[0]);
    atomic_inc(&out[1]);
}

// Memory to block, block to block, block to memory.
kernel void words(global int *in, global int *out) {
    int i = get_global_id(0);
    global block *blocks = (global block *)in;
    block a = blocks[i], b;
    a.w[i & 7] += 1000;
    b = a;
    b = b;
    b.w[(i + 3) & 7] -= 7;
    blocks[i + 64] = b;
    bool right = true;
    for (int j = 0; j < 8; j++) {
        int want = 8 * i + j + (j == (i & 7) ? 1000 : 0);
        int less = j == ((i + 3) & 7) ? 7 : 0;
        right = right && a.w[(j + i) & 7] == 8 * i + ((j + i) & 7) + (j == 0 ? 1000 : 0);
        right = right && in[8 * (i + 64) + j] == want - less;
    }
    count(out, right);
}

// Words that are written as bytes, too.
kernel void mixed(global int *in, global int *out) {
    int i = get_global_id(0);
    block a = ((global block *)in)[i];
    ((char *)a.w)[4 * (i & 7) + 1] = 1;
    block b = a;
    three t;
    for (int j = 0; j < 3; j++) t.c[(i + j) % 3] = i;
    three u = t;
    int sum = 0;
    for (int j = 0; j < 8; j++) sum += b.w[(j * i) & 7] - a.w[(j * i) & 7];
    int at = 8 * i + (i & 7);
    count(out, sum == 0 && b.w[i & 7] == ((at & ~0xff00) | 0x100) && u.c[(i * 5) % 3] == (char)i);
}

// Words behind a byte.
kernel void packed(global int *in, global int *out) {
    int i = get_global_id(0);
    shifted s = ((global shifted *)in)[i];
    block a = s.rest;
    uint x = 0, y = 0;
    for (int j = 0; j < 8; j++) {
        x = x * 31 + a.w[(j + i) & 7];
        for (int k = 3; k >= 0; k--) {
            int place = 33 * i + 1 + 4 * ((j + i) & 7) + k;
            y = k == 3 ? y * 31 : y;
            y += (uint)(uchar)(in[place / 4] >> (place % 4 * 8)) << (8 * k);
        }
    }
    count(out, x == y);
}
