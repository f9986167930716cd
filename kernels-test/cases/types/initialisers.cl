// Designators, brace elision, compound literals, zero filling, strings, sizes from initialisers.
//@ kernel: k
//@ out: int = 0 5 0 7 8 1 2 3 4 0 6 9 99 4 105 2 3 16 0 12
//@ kernel: literals
//@ out: int = 6 3 9 1 2 10
//@ kernel: literal_objects
//@ out: int = 10 110 8
struct s { int a, b; int c[3]; };
int sum(struct s v) { return v.a + v.b + v.c[0] + v.c[1] + v.c[2]; }
kernel void k(global int *out)
{
    int d[5] = { [1] = 5, [3] = 7, 8 };
    for (int i = 0; i < 5; ++i) out[i] = d[i];
    int e[2][2] = { 1, 2, 3, 4 };
    for (int i = 0; i < 4; ++i) out[5 + i] = e[i / 2][i % 2];
    struct s v = { .b = 6, .c = { [1] = 9 } };
    out[9] = v.a;
    out[10] = v.b;
    out[11] = v.c[1];
    char text[] = "chic";
    out[12] = text[0];
    out[13] = sizeof text - 1;
    out[14] = text[2];
    int open[] = { 1, 2, [4] = 3 };
    out[15] = open[1];
    out[16] = open[4];
    out[17] = sizeof open - 4;
    struct s zero = { 0 };
    out[18] = sum(zero);
    struct s elided[2] = { 1, 2, 3, 4, 5, 6 };
    out[19] = elided[0].c[2] + elided[1].a + elided[1].c[0] + elided[0].a;
}
kernel void literals(global int *out)
{
    out[0] = sum((struct s){ 1, 2, { 3 } });
    out[1] = ((int[]){ 1, 2, 3 })[2];
    struct s *p = &(struct s){ .a = 9 };
    out[2] = p->a;
    int *q = (int[2]){ 1, 2 };
    out[3] = q[0];
    out[4] = q[1];
    p->b = 1;
    out[5] = sum(*p);
}

/* A compound literal is an object of its block. */
static void add_to(int *sum, const float4 *v) { *sum += (int)(v->x + v->w); }
kernel void literal_objects(global int *out)
{
    int *sum = &(int){5};
    add_to(sum, &(float4){1, 2, 3, 4});
    out[0] = *sum;
    int **where = &(int *){sum};
    **where += 100;
    out[1] = *sum;
    out[2] = (&(struct { int a[2]; }){{7, 8}})->a[1];
}
