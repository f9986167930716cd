// Pointers that lead to the same memory: a work-item sees what it has stored through another one.
//@ kernel: sums
//@ global: 3
//@ local: 3
//@ inout: int = 1 2 3 4 5 6 7 8 9 10 11 12 -> 379 2 3 4 635 6 7 8 891 10 11 12
//@ again: 0
//@ in: int = 5 5 5
//@ value: int = 3

//@ kernel: sums
//@ global: 3
//@ local: 3
//@ inout: int = 1 2 3 4 5 6 7 8 9 10 11 12 -> 37 2 3 4 65 6 7 8 93 10 11 12
//@ in: int = 1 2 3 4 5 6 7 8 9 10 11 12
//@ in: int = 5 5 5
//@ value: int = 3
kernel void sums(global int *a, global int *b, global int *c, int n)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < 2; j++) a[4 * i] += b[4 * i] + c[i];
}

//@ kernel: walk
//@ global: 2
//@ inout: int = 1 2 3 4 5 6 7 8 -> 1 3 6 10 5 11 18 26
//@ again: 0
//@ value: int = 4
//@ same-as: walk_fixed

//@ kernel: walk
//@ global: 2
//@ inout: int = 1 2 3 4 5 6 7 8 -> 1 3 5 7 5 11 13 15
//@ in: int = 1 2 3 4 5 6 7 8
//@ value: int = 4
//@ same-as: walk_fixed
void step(global int *a, global int *b, int n)
{
    global int *p = a + get_global_id(0) * n + 1, *q = b + get_global_id(0) * n;
    for (int k = 1; k < n; k++) *p++ += *q++;
}
kernel void walk(global int *a, global int *b, int n) { step(a, b, n); }
kernel __attribute__((reqd_work_group_size(2, 1, 1)))
void walk_fixed(global int *a, global int *b, int n) { step(a, b, n); }

// The last store counts, and one through the other pointer ends what is known.
//@ kernel: between
//@ global: 2
//@ inout: int = 0 0 0 0 -> 7 2 7 2
//@ again: 0
//@ value: int = 3

//@ kernel: between
//@ global: 2
//@ inout: int = 0 0 0 0 -> 7 1 7 1
//@ in: int = 1 0 1 0
//@ value: int = 3
kernel void between(global int *a, global int *b, int n)
{
    size_t i = 2 * get_global_id(0);
    int last = 0;
    for (int k = 0; k < n; k++) {
        a[i] = 2;
        last = b[i];
        a[i] = 7;
    }
    a[i + 1] = last;
}

// Vectors of the program's, in place and not.
//@ kernel: quads
//@ global: 2
//@ inout: int = 1 2 3 4 5 6 7 8 -> 8 16 24 32 40 48 56 64
//@ again: 0
//@ value: int = 3

//@ kernel: quads
//@ global: 2
//@ inout: int = 1 2 3 4 5 6 7 8 -> 4 8 12 16 20 24 28 32
//@ in: int = 1 2 3 4 5 6 7 8
//@ value: int = 3
kernel void quads(global int4 *a, global int4 *b, int n)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++) a[i] += b[i];
}

// None of these runs its loop: nothing is written, and no null pointer is followed.
//@ kernel: nothing
//@ global: 4
//@ inout: int = 1 2 3 4 -> 1 2 3 4
//@ null:
//@ value: int = 0

//@ kernel: nothing
//@ global: 4
//@ inout: int = 1 2 3 4 -> 4 5 6 7
//@ in: int = 1 1 1 1
//@ value: int = 3
kernel void nothing(global int *a, global int *b, int n)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++) a[i] += b[i];
    for (int k = 0; k < n; k++)
        for (int j = 0; j < k; j++) b[i] += k * j;
}

// Loops that are left in the middle, before or behind the store.
//@ kernel: breaks
//@ global: 4
//@ inout: int = 0 0 0 0 -> 0 1 3 6
//@ inout: int = 9 9 9 9 -> 9 10 12 15
//@ in: int = 0 1 2 3 4 5 6 7
//@ value: int = 8

//@ kernel: breaks
//@ global: 4
//@ inout: int = 0 0 0 0 -> 0 2 6 12
//@ again: 0
//@ in: int = 0 1 2 3 4 5 6 7
//@ value: int = 8
kernel void breaks(global int *a, global int *b, global int *c, int n)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        if (c[k] == i) break;
        a[i] += c[k + 1];
    }
    int k = 0;
    do {
        if (i == 0) continue;
        b[i] += c[k + 1];
        if (c[k + 1] == i) break;
    } while (++k < n - 1);
}

// Local memory: each work-item adds to its own place and to its neighbour's behind a barrier.
//@ kernel: own_place
//@ global: 4
//@ local: 4
//@ out: int = 13 21 29 9
//@ in: int = 1 2 3 4
//@ local-bytes: 16
//@ value: int = 4
kernel void own_place(global int *out, global int *in, local int *t, int n)
{
    int l = get_local_id(0);
    t[l] = 0;
    for (int k = 0; k < n; k++) t[l] += in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < n; k++) {
        if (k == 1 && l < 3) t[l] += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    int sum = t[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 3) sum += t[l + 1] - (l < 2);
    out[l] = sum - (l == 3) * 7;
}

// Only one work-item may write: what others have not written stays what it is.
//@ kernel: one_writes
//@ global: 8
//@ inout: int = 5 0 -> 12 3
//@ in: int = 1 1 1 1 1 1 1 1
//@ value: int = 7
kernel void one_writes(global int *a, global int *b, int n)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < n; k++)
        if (i == 3) a[0] += b[k];
    if (i == 3) {
        a[1] = 0;
        for (int k = 0; k < n; k++)
            if (k > 3) a[1] += b[k];
    }
}
