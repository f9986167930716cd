// Lines, functions, blocks and variables as debug information has them; `shifted` and `twice` are inlined.
global int counter = 3;

static int twice(int x) { return x * x - 5; }

static int shifted(int x)
{
    int y = twice(x) << 2;
    return y ^ 9;
}

__attribute__((noinline)) int apart(int x)
{
    return x % 7;
}

kernel void lines(global int *out, int n)
{
    for (int i = 0; i < n; ++i) {
        int z = out[i];
        if (z > counter)
            out[i] = shifted(z) + apart(i);
    }
}
