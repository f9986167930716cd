// Pointers to pointers, pointer arithmetic, comparison, 2-D arrays, arrays of pointers, pointers in structs.
//@ kernel: k
//@ out: int = 42 43 7 3 -3 1 1 0 5 60 12 4 1
//@ kernel: two_d
//@ global: 3
//@ out: int = 0 1 2 3 10 11 12 13 20 21 22 23
struct node { int value; struct node *next; };
void set(int **where, int *what) { *where = what; }
kernel void k(global int *out)
{
    int a = 42, b = 7;
    int *p = &a, **pp = &p, ***ppp = &pp;
    out[0] = **pp;
    ++***ppp;
    out[1] = a;
    set(&p, &b);
    out[2] = *p;
    int array[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    int *first = array + 2, *last = &array[5];
    out[3] = last - first;
    out[4] = first - last;
    out[5] = first < last;
    out[6] = first != last && first == &array[2];
    out[7] = !first;
    out[8] = *(first + 3) == first[3] && 3[first] == 5 ? last[0] : -1;
    struct node n3 = { 30, 0 }, n2 = { 20, &n3 }, n1 = { 10, &n2 };
    int sum = 0;
    for (struct node *n = &n1; n; n = n->next) sum += n->value;
    out[9] = sum;
    int *several[3] = { &array[3], &array[4], &array[5] };
    out[10] = *several[0] + *several[1] + **(several + 2);
    int *walk = array;
    walk++; ++walk; walk += 4; walk -= 1;
    int old = *walk--;
    out[11] = old == 5 ? *walk : -1;
    void *untyped = walk;
    out[12] = *(int *)untyped == 4;
}
kernel void two_d(global int (*out)[4])
{
    int i = get_global_id(0);
    int table[3][4];
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x) table[y][x] = 10 * y + x;
    int (*row)[4] = &table[i];
    for (int x = 0; x < 4; ++x) out[i][x] = (*row)[x];
}
