// Loops over elements in strides of the group: whether work-items side by side leave such a loop together depends on where
// they begin, how far they go, and the bound. Each kernel counts the elements visited wrongly, then who came by.
//@ kernel: whole_strides
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: whole_strides_of_int
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: whole_strides_of_size_t
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: bound_within_a_vector
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: bound_that_counts
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: start_within_a_vector
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: from_below_zero
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: below_zero_is_far_above
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: bytes
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: signed_bytes
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: every_fourth
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: every_fourth_to_within
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: bound_of_the_group
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 7
//@ kernel: bound_of_all
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 450
//@ kernel: rows_and_columns
//@ global: 64
//@ local: 64
//@ inout: int = 0 0 -> 0 64
//@ value: int = 32
#define SIZE 576

/* Work-item l visits place `at` of `seen` in turn k, where it leaves 1 + k; nobody else does. `visited` and `number / 64` say
   for element e whether it is visited, and in which turn. */
#define STRIDES(name, T, start, condition, step, visited, number, at)                                \
    kernel void name(global int *result, int n) {                                                    \
        local int seen[SIZE];                                                                        \
        int l = get_local_id(0), k = 0, bad = 0;                                                     \
        for (int e = l; e < SIZE; e += 64) seen[e] = 0;                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
        for (T i = start; condition; i += step) seen[at] += 1 + k++;                                 \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                \
        for (int e = l; e < SIZE; e += 64) bad += seen[e] != ((visited) ? 1 + (number) / 64 : 0);    \
        atomic_add(&result[0], bad);                                                                 \
        atomic_inc(&result[1]);                                                                      \
    }

STRIDES(whole_strides, uint, l, i < 512, 64, e < 512, e, i)
STRIDES(whole_strides_of_int, int, l, 512 > i, 64, e < 512, e, i)
STRIDES(whole_strides_of_size_t, size_t, l, !(i >= 512), 64, e < 512, e, i)
STRIDES(bound_within_a_vector, uint, l, i < 500, 64, e < 500, e, i)
STRIDES(bound_that_counts, uint, l, i <= 448, 64, e <= 448, e, i)
STRIDES(start_within_a_vector, uint, l + 3, i < 512, 64, e >= 3 && e < 512, e - 3, i)
STRIDES(from_below_zero, int, l - 128, i < 0, 64, e < 128, e, i + 128)
STRIDES(below_zero_is_far_above, int, l - 128, (uint)i >= 0x80000000u, 64, e < 128, e, i + 128)
STRIDES(bytes, uchar, l, i < 192, 64, e < 192, e, i)
STRIDES(signed_bytes, char, l - 64, i < 64, 64, e < 128, e, i + 64)
STRIDES(every_fourth, uint, 4 * l, i < 512, 256, e < 512 && e % 4 == 0, e / 4, i)
STRIDES(every_fourth_to_within, uint, 4 * l, i < 500, 256, e < 500 && e % 4 == 0, e / 4, i)
STRIDES(bound_of_the_group, uint, l, i < 64 * n, 64, e < 64 * n, e, i)
STRIDES(bound_of_all, uint, l, i < n, 64, e < n, e, i)

/* A line of work-items as rows; n is the 32 that the compiler does not know. */
kernel void rows_and_columns(global int *result, int n)
{
    local uint seen[256];
    uint l = get_local_id(0), m = n;
    int i = l;
    for (uint k = l; k < 256; k += 64) seen[k] = k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int bad = seen[l & 31] != l % m || seen[l >> 5] != l / m || seen[l & 32] != l / m * m;
    bad |= seen[l + 3 & 31] != (l + 3) % m || seen[l + 3 >> 5] != (l + 3) / m || seen[l + 64 & 31] != l % m;
    bad |= seen[4 * l >> 7] != l / m || seen[4 * l & 127] != 4 * l % (4 * m) || seen[4 * l & 124] != 4 * l % (4 * m);
    bad |= seen[3 * l & 31] != 3 * l % m || seen[3 * l >> 5] != 3 * l / m || seen[l & 47] != l % m % 16 + l / m * m;
    bad |= seen[i & 31] != i % n || seen[i - 64 & 31] != i % n || i - 64 >> 5 != i / n - 2 || i - 67 >> 5 != (i + 29) / n - 3;
    atomic_add(&result[0], bad);
    atomic_inc(&result[1]);
}
