// Private arrays indexed by run-time values, of scalars, vectors and structures.
//@ kernel: rotate_by
//@ global: 4
//@ local: 4
//@ out: int = 0 1 2 3 1 2 3 0 2 3 0 1 3 0 1 2
//@ kernel: sort
//@ global: 2
//@ in: int = 5 3 9 1 7 2 8 8 -1 0
//@ out: int = 1 3 5 7 9 -1 0 2 8 8
//@ kernel: vectors
//@ global: 3
//@ out: float = 3 30 15 150 9 90
kernel void rotate_by(global int *out)
{
    int i = get_global_id(0), a[4];
    for (int k = 0; k < 4; ++k) a[k] = k;
    for (int k = 0; k < 4; ++k) out[4 * i + k] = a[(k + i) & 3];
}
kernel void sort(global const int *in, global int *out)
{
    int i = get_global_id(0), a[5];
    for (int k = 0; k < 5; ++k) a[k] = in[5 * i + k];
    for (int x = 0; x < 5; ++x)
        for (int y = x; y > 0 && a[y - 1] > a[y]; --y) { int t = a[y]; a[y] = a[y - 1]; a[y - 1] = t; }
    for (int k = 0; k < 5; ++k) out[5 * i + k] = a[k];
}
struct cell { float2 v; int n; };
kernel void vectors(global float2 *out)
{
    int i = get_global_id(0);
    struct cell cells[3];
    for (int k = 0; k < 3; ++k) { cells[k].v = (float2)(1, 10) * (float)(k * k + 1); cells[k].n = 3 * (k % 2 ? 1 : 1); }
    int at = i == 0 ? 0 : 3 - i;
    cells[at].v *= cells[at].n;
    if (i == 2) cells[at].v *= 1.5f;
    out[i] = cells[at].v;
}
