// Work-items that leave early for being past an end, in groups that lie within, across and behind it. What `same-as` names asks
// in a way that no compiler would know for a guard.
//@ kernel: either
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: either_slow
//@ kernel: either
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: either_slow
//@ kernel: either
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: either_slow
//@ kernel: nested
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: nested_slow
//@ kernel: nested
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: nested_slow
//@ kernel: nested
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: nested_slow
//@ kernel: unsigned_less
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: unsigned_less_slow
//@ kernel: unsigned_less
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: unsigned_less_slow
//@ kernel: unsigned_less
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: unsigned_less_slow
//@ kernel: wide
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: wide_slow
//@ kernel: wide
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: wide_slow
//@ kernel: wide
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: wide_slow
//@ kernel: border
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: border_slow
//@ kernel: border
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: border_slow
//@ kernel: border
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: border_slow
//@ kernel: padded
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: padded_slow
//@ kernel: padded
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: padded_slow
//@ kernel: padded
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: padded_slow
//@ kernel: blurred
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: blurred_slow
//@ kernel: blurred
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: blurred_slow
//@ kernel: blurred
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: blurred_slow
//@ kernel: wraps
//@ global: 64 12
//@ local: 16 4
//@ value: int = 64
//@ value: int = 12
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: wraps_slow
//@ kernel: wraps
//@ global: 64 12
//@ local: 16 4
//@ value: int = 50
//@ value: int = 9
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: wraps_slow
//@ kernel: wraps
//@ global: 48 12
//@ local: 24 4
//@ value: int = 47
//@ value: int = 16
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: wraps_slow
//@ kernel: planes
//@ global: 32 4 6
//@ local: 16 4 2
//@ value: int = 30
//@ value: int = 5
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: planes_slow
//@ kernel: line
//@ global: 700
//@ local: 100
//@ value: int = 650
//@ value: int = 0
//@ in: int = 3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4 6 2 6 4 3 3 8 3 2 7 9 5
//@ out: int = _*768
//@ same-as: line_slow
#define SUM(x, y, k, n) for (int k = 0; k < (n); k++) sum += in[((y) + k) & 31] * in[(k + (x)) & 31] + k
#define ASK(condition) for (int asked = 0; asked < ((condition) ? 1 : 0); asked++)

#define PAIR(name, guard, condition, index, body)                                                              \
    kernel void name(int w, int h, global const int *restrict in, global int *restrict out)                    \
    {                                                                                                          \
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), sum = 1;                         \
        guard { body; out[index] = sum; }                                                                      \
    }                                                                                                          \
    kernel void name##_slow(int w, int h, global const int *restrict in, global int *restrict out)             \
    {                                                                                                          \
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), sum = 1;                         \
        ASK(condition) { body; out[index] = sum; }                                                             \
    }

#define AT (y * 64 + x) % 768

PAIR(either, if (x >= w || y >= h) return;, x < w && y < h, AT, SUM(x, y, k, w))
PAIR(nested, if (x < w) if (h > y), x < w && y < h, AT, SUM(x, y, k, h))
// Below 3 the differences wrap.
PAIR(unsigned_less, if ((uint)x - 3u < (uint)w && (uint)y < (uint)h), x >= 3 && x < w + 3 && y < h, AT, SUM(x, y, k, 9))
PAIR(wide, if (get_global_id(0) < (size_t)w && get_global_id(1) < (size_t)h), x < w && y < h, AT, SUM(x, y, k, 5))
PAIR(border, if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;, x > 1 && y > 1 && x < w - 2 && y < h - 2, AT, SUM(x, y, k, w))
PAIR(planes, if (x >= w || z >= h || y > 2) return;, x < w && z < h && y <= 2, (z * 4 + y) * 32 + x, SUM(x + z, y, k, 7))
PAIR(line, if (x >= w) return;, x < w, x, SUM(x, y, k, x))
// The sum is negative for the last columns.
PAIR(wraps, if ((int)((uint)x + 0x7fffffe0u) > w && y < h), x < 32 && y < h, AT, SUM(x, y, k, 6))

// Guards of terms.
PAIR(padded, , true, AT,
     for (int k = -2; k <= 2; k++) if (x + k >= 0 && x + k < w && y + k >= 0 && y + k < h) sum += in[(x + k) & 31] * (y + k))
PAIR(blurred, if (x >= w || y >= h) return;, x < w && y < h, AT,
     for (int k = -1; k <= 1; k++) for (int i = -1; i <= 1; i++)
         sum = sum * 3 + in[(clamp(x + i, 0, w - 1) + 5 * clamp(y + k, 0, h - 1)) & 31])
