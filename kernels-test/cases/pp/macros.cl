// Object- and function-like macros, # and ##, variadic ones, recursion guards, conditionals, #line, -D.
//@ options: -D WIDTH=4 -DNAME -D EXPR=(1+2) -D "SPACED=3 + 4"
//@ kernel: k
//@ out: int = 4 1 9 7 12 6 42 3 8 5 77 1 2 100 30 120 11 14 2 1
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(x) #x
#define STR(x) STR_(x)
#define SUM(first, ...) (first + ADD(__VA_ARGS__))
#define ADD(a, b) ((a) + (b))
#define f(x) (x + 1)
#define self self
#define EMPTY
#define LENGTH(s) (sizeof(s) - 1)
#define TWICE(x) x x
#if defined(NAME) && WIDTH == 4 && (EXPR * 3 > 8 ? 1 : 0)
#define CHOSEN 1
#elif 1
#define CHOSEN 2
#else
#error not reached
#endif
#ifdef NOTHING
#error neither
#elif !defined NOTHING && 'a' == 97 && -1 < 0 && 0xffffffffffffffff > 0 && (2 || 1 / 0)
#define SECOND 9
#endif
#if __OPENCL_C_VERSION__ >= 120 && __OPENCL_VERSION__ >= 120 && defined(__ENDIAN_LITTLE__)
#define VERSION 7
#endif
kernel void k(global int *out)
{
    int self = 42;
    out[0] = WIDTH;
    out[1] = CHOSEN;
    out[2] = SECOND;
    out[3] = VERSION;
    out[4] = CAT(1, CAT(2, EMPTY));
    out[5] = SUM(1, 2, 3);
    out[6] = self;
    out[7] = LENGTH(STR(WIDTH+a)) == 3 ? 3 : 0;
    out[8] = LENGTH(STR("ab")) + 2 * 2;
    int i = 1; TWICE(i *= 2;) i += 1;
    out[9] = i;
#line 77 "elsewhere.cl"
    out[10] = __LINE__;
    out[11] = f(f(0)) - 1;
    out[12] = f (1);
#undef WIDTH
#define WIDTH 100
    out[13] = WIDTH;
    out[14] = CAT(CAT_(W, ID), TH) == 100 ? 30 : 0;
    out[15] = 0x\
78;
    out[16] = /* comment */ 11 // to the end \
        + 1000
    ;
    out[17] = LENGTH("a" "bc" "d\n\t\x41\101" "\"\\" "x" "yz" "e");
    out[18] = EXPR * 0 + 2;
    out[19] = (SPACED) == 7;
}
