// Blocks that are called: captures by value, arrays by reference, nested and program-scope blocks, inferred results.
//@ options: -cl-std=CL3.0
//@ kernel: blocks
//@ global: 70
//@ local: 10
//@ value: int = 3
//@ out: int = 0*70
typedef struct { short x; long y; } Pair;
typedef int (^Function)(int);
constant int base = 7;
int (^constant at_program_scope)(int) = ^int(int n) { return base * n; };
Function copied = at_program_scope;

int apart(int n)
{
    int own = 17;
    Function f = ^(int k) { return own * k; };
    own = 0;
    return f(n);
}

kernel void blocks(int m, global int *out)
{
    size_t i = get_global_id(0);
    int bad = 0, saved = m;
    Function times = ^(int n) { return n * m; };
    m = 100;
    bad += times(5) != 5 * saved;
    bad += copied(2) != 14;
    bad += apart(3) != 51;
    int array[3] = { 1, 2, 3 };
    int (^second)(void) = ^{ return array[1]; };
    array[1] = (int)i;
    bad += second() != (int)i;
    Pair pair = { 4, 5 };
    long (^sum)(Pair) = ^long(Pair other) { other.x += 1; return pair.x * pair.y + other.x + other.y; };
    pair.y = 50;
    bad += sum(pair) != 4 * 5 + 5 + 50;
    int (^outer)(int) = ^(int n) {
        int twice = 2 * n;
        int (^inner)(int) = ^(int k) { return twice * k + m; };
        twice = 0;
        return inner(3) + (int)i;
    };
    bad += outer(2) != 12 + m + (int)i;
    Pair (^make)(int) = ^(int n) { Pair p = { (short)n, n }; return p; };
    bad += make(9).y != 9;
    float4 v = (float4)(i, 2, 3, 4);
    bad += ^{ return v.x + v.w; }() != i + 4.0f;
    bool odd = i & 1;
    void (^store)(global int *) = ^(global int *to) { if (odd) *to = 1; };
    global int *here = &out[i];
    *here = !odd;
    store(here);
    bad += *here != 1;
    int turns = 0;
    for (int k = times(0); k < times(2); k = ^(int n) { return n + 1; }(k)) turns += ^{ int s = 0; for (int j = 0; j < k; j++) s += j; return s; }();
    bad += turns != 0 + 0 + 1 + 3 + 6 + 10;
    *here = bad;
}
