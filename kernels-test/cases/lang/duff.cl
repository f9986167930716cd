// Duff's device: case labels inside a loop.
//@ kernel: duff
//@ global: 10
//@ out: int = 0 1 2 3 4 5 6 7 8 9
int count(int n)
{
    int copied = 0, rounds = (n + 3) / 4;
    if (n == 0) return 0;
    switch (n % 4) {
    case 0: do { ++copied;
    case 3:      ++copied;
    case 2:      ++copied;
    case 1:      ++copied;
            } while (--rounds > 0);
    }
    return copied;
}
kernel void duff(global int *out) { out[get_global_id(0)] = count(get_global_id(0)); }
