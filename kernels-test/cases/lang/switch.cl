// Fall-through, default in the middle, negative and wide labels, nested switches, break and continue inside.
//@ kernel: fall
//@ global: 8
//@ out: int = 111 11 1 1000 1000 10 1000 1000
//@ kernel: wide
//@ global: 5
//@ in: long = -1 4294967296 0 min 9223372036854775807
//@ out: int = 1 2 3 4 5
//@ kernel: unsigned_labels
//@ global: 3
//@ in: uint = 4294967295 2147483648 7
//@ out: int = 1 2 0
//@ kernel: nested
//@ global: 6
//@ out: int = 10 11 12 20 21 99
//@ kernel: continues
//@ out: int = 25 7
kernel void fall(global int *out)
{
    int i = get_global_id(0), n = 0;
    switch (i) {
    case 0: n += 100;
    case 1: n += 10;
    case 2: n += 1; break;
    default: n += 1000; break;
    case 5: n += 10;
    }
    out[i] = n;
}
kernel void wide(global const long *in, global int *out)
{
    size_t i = get_global_id(0);
    switch (in[i]) {
    case -1: out[i] = 1; break;
    case 0x100000000L: out[i] = 2; break;
    case 0: out[i] = 3; break;
    case LONG_MIN: out[i] = 4; break;
    case LONG_MAX: out[i] = 5; break;
    default: out[i] = 6;
    }
}
kernel void unsigned_labels(global const uint *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = 0;
    switch (in[i]) {
    case -1: out[i] = 1; break;
    case 0x80000000u: out[i] = 2;
    }
}
kernel void nested(global int *out)
{
    int i = get_global_id(0), n;
    switch (i / 3) {
    case 0:
        n = 10;
        switch (i) { case 2: ++n; case 1: ++n; case 0: break; default: n = -1; }
        break;
    case 1:
        switch (i - 3) { case 0: n = 20; break; case 1: n = 21; break; default: { n = 99; } }
    }
    out[i] = n;
}
kernel void continues(global int *out)
{
    int sum = 0, loops = 0;
    for (int i = 0; i < 10; ++i) {
        ++loops;
        switch (i) {
        case 1: case 3: continue;
        case 4 + 2: goto end;
        default: break;
        }
        sum += 5 + i % 2 * 0;
        if (i == 0) sum += 0;
        sum += i == 5 ? 5 : 0;
    }
end:
    out[0] = sum;
    out[1] = loops;
}
