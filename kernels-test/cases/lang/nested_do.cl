// A loop that ends with the one inside it: work-items that leave the inner one early go round the outer one as well.
//@ kernel: rounds
//@ global: 12
//@ local: 12
//@ in: int = 5 6 7 8
//@ out: ulong = 83 83 777 7063 63803 574139 5167677 46512511 418629359 3767655395 33908931057 305180654119
kernel void rounds(global const int *in, global ulong *out) {
    const size_t lid = get_local_id(0);
    ulong h = 7;
    char n = 5;
    while (n-- > 3) {
        int i = 0;
        do {
            h = h * 3 + in[i & 3];
        } while (++i < lid);
    }
    out[get_global_id(0)] = h;
}
