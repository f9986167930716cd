//@ kernel: k
//@ out: int = 0 1 5 6 -3 4 6 2 1
enum colour { RED, GREEN, BLUE = 5, PINK };
typedef enum { MINUS = -3 } sign_t;
enum { SIZE = PINK - 2 };
typedef int number, *pointer, row[SIZE];
kernel void k(global int *out)
{
    enum colour c = PINK;
    sign_t s = MINUS;
    row r = { 1, 2 };
    pointer p = &r[1];
    out[0] = RED;
    out[1] = GREEN;
    out[2] = BLUE;
    out[3] = c;
    out[4] = s;
    out[5] = sizeof(row) / sizeof(number);
    switch (c) { case RED: out[6] = 0; break; case PINK: out[6] = 6; break; default: out[6] = 1; }
    out[7] = *p;
    { typedef float number; enum { RED = 1 }; number n = 0.5f; out[8] = RED + (int)n; }
}
