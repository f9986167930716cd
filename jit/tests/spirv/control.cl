// Branches, loops and switches with values that meet, structs among them.
typedef struct { int a; long b; } pair;

static int collatz(uint n) {
    int steps = 0;
    while (n > 1 && steps < 200) { n = n & 1 ? 3 * n + 1 : n / 2; ++steps; }
    return steps;
}

kernel void control(global int *out, global const int *in, int n, long wide) {
    int i = get_global_id(0), x = in[i];
    pair p = { x, wide };
    if (x > n) { p.a = n; p.b = 1; } else if (x < 0) { p.a = -x; }
    for (int j = 0; j < n; j++) {
        switch ((x + j) & 7) {
            case 0: p.a += 3; break;
            case 1: p.a ^= j;
            case 2: p.b -= p.a; break;
            case 5: if (p.a < 0) return; else continue;
            default: goto done;
        }
        switch (p.b) {
            case 0x100000000L: p.b = 0; break;
            case -1: p.b = 7; break;
        }
    }
done:
    out[i] = collatz(p.a) + (int)p.b;
}
