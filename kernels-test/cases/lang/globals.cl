// Variables at program scope: shared by the kernels of a program, alive from launch to launch, initialised once.
//@ options: -cl-std=CL3.0
//@ kernel: add
//@ global: 100
//@ local: 10
//@ value: int = 2
//@ out: int = 2
//@ kernel: add
//@ global: 3
//@ value: int = 10
//@ out: int = 10
//@ kernel: read
//@ out: int = 237 103 42 7 1 9 5
//@ kernel: count
//@ out: int = 3 30
//@ kernel: count
//@ out: int = 4 40
//@ kernel: through_pointers
//@ out: int = 1 2 8 2 1
//@ kernel: through_pointers
//@ out: int = 8 2 8 2 8
global atomic_int total = ATOMIC_VAR_INIT(7);
atomic_uint calls;
constant int answer = 42;
static int table[4] = { 1, 2, 3 };
int *first = table, *second = &table[1];
struct Node { int value; struct Node *next; };
struct Node tail = { 5, 0 };
struct Node head = { 9, &tail };

int next(int step) { static int n = 2; n++; return n * step; }

kernel void add(int n, global int *out)
{
    *out = n;
    atomic_fetch_add_explicit(&total, n, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add(&calls, 1u);
}
kernel void read(global int *out)
{
    out[0] = atomic_load(&total);
    out[1] = atomic_load(&calls);
    out[2] = answer;
    table[3] = 7;
    out[3] = first[3];
    out[4] = *first;
    struct Node *n = &head;
    out[5] = n->value;
    n = n->next;
    out[6] = n->value;
}
kernel void count(global int *out)
{
    int n = next(1);
    out[0] = n;
    out[1] = n * 10;
}
kernel void through_pointers(global int *out)
{
    out[0] = *first;
    out[1] = *second;
    *first = 8;
    out[2] = table[0];
    out[3] = table[1];
    out[4] = out[0];
}
