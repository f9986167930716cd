// Loops whose counters start at an id: up to a bound far from the largest number, and up to the largest number, from where a step
// wraps. What `same-as` names counts with 64 bits.
//@ kernel: by_size
//@ global: 64
//@ local: 32
//@ value: int = 500
//@ value: int = 0
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_size_far
//@ kernel: by_size
//@ global: 64
//@ local: 32
//@ value: int = 333
//@ value: int = 17
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_size_far
//@ kernel: by_size
//@ global: 64
//@ local: 32
//@ value: int = 2147483647
//@ value: int = 2147483147
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_size_far
//@ kernel: by_constant
//@ global: 64
//@ local: 32
//@ value: int = 500
//@ value: int = 0
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_constant_far
//@ kernel: by_constant
//@ global: 64
//@ local: 32
//@ value: int = 333
//@ value: int = 17
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_constant_far
//@ kernel: by_constant
//@ global: 64
//@ local: 32
//@ value: int = 2147483647
//@ value: int = 2147483147
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_constant_far
//@ kernel: by_size_unsigned
//@ global: 64
//@ local: 32
//@ value: uint = 500
//@ value: uint = 0
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_size_unsigned_far
//@ kernel: by_size_unsigned
//@ global: 64
//@ local: 32
//@ value: uint = 333
//@ value: uint = 17
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_size_unsigned_far
//@ kernel: by_size_unsigned
//@ global: 64
//@ local: 32
//@ value: uint = 4294967295
//@ value: uint = 4294966795
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: by_size_unsigned_far
//@ kernel: back
//@ global: 64
//@ local: 32
//@ value: int = 0
//@ value: int = 500
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: back_far
//@ kernel: mixed
//@ global: 64
//@ local: 32
//@ value: int = 400
//@ value: int = -40
//@ in: int = 0..511
//@ out: int = _*64
//@ same-as: mixed_far
#define LOOP(name, type, number, relation, step)                                                  \
    kernel void name(type n, type from, global const int *restrict in, global int *restrict out)  \
    {                                                                                             \
        int sum = 0, t = 0;                                                                       \
        number i = (number)from + get_local_id(0);                                                \
        for (number j = i; j relation n; j += step) {                                             \
            if (t == 14) break;                                                                   \
            sum = sum * 3 + in[j - from];                                                         \
            t++;                                                                                  \
        }                                                                                         \
        out[get_global_id(0)] = sum + t;                                                          \
    }

#define PAIR(name, type, relation, step)     \
    LOOP(name, type, type, relation, step)   \
    LOOP(name##_far, type, long, relation, step)

PAIR(by_size, int, <, get_local_size(0))
PAIR(by_constant, int, <, 32)
PAIR(by_size_unsigned, uint, <, get_local_size(0))

kernel void back(int n, int from, global const int *restrict in, global int *restrict out)
{
    int sum = 0;
    for (int j = from - get_local_id(0); j >= n; j -= get_local_size(0)) sum = sum * 3 + in[j];
    out[get_global_id(0)] = sum;
}
kernel void back_far(int n, int from, global const int *restrict in, global int *restrict out)
{
    int sum = 0;
    for (long j = from - (long)get_local_id(0); j >= n; j -= get_local_size(0)) sum = sum * 3 + in[j];
    out[get_global_id(0)] = sum;
}

// The counter is below zero at first, and extended without its sign.
kernel void mixed(int n, int from, global const int *restrict in, global int *restrict out)
{
    int sum = 0;
    for (int j = from + (int)get_local_id(0); j < n; j = (uint)j + get_local_size(0)) sum = sum * 3 + in[j + 40];
    out[get_global_id(0)] = sum;
}
kernel void mixed_far(int n, int from, global const int *restrict in, global int *restrict out)
{
    int sum = 0;
    for (long j = from + (long)get_local_id(0); j < n; j += get_local_size(0)) sum = sum * 3 + in[j + 40];
    out[get_global_id(0)] = sum;
}
