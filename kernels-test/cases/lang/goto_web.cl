// A small state machine of gotos: backward, forward, into the middle of a block, out of nested loops.
//@ kernel: web
//@ global: 8
//@ out: int = 105 1 212 6 319 111 426 214
kernel void web(global int *out)
{
    int i = get_global_id(0), n = 0, steps = 0;
    if (i & 1) goto odd;
even:
    n += 100;
    steps += i;
    if (steps > 20) goto done;
    for (int a = 0; a < 10; ++a)
        for (int b = 0; b < 10; ++b) {
            ++n;
            if (b == 4) goto out_of_loops;
        }
out_of_loops:
    if (i > 1) { i -= 2; n += 2; goto even; }
    goto done;
odd:
    if (i == 5) { n += 10; goto inside; }
    if (i > 5) { n += 5; i -= 7; goto even_or_done; }
    {
        n += 1;
inside:
        if (n > 100) goto done;
        n += i == 3 ? 5 : i == 5 ? 101 : 0;
    }
    goto done;
even_or_done:
    n += 104;
    if (i == 0) goto even;
done:
    out[get_global_id(0)] = n;
}
