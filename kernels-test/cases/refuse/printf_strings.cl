// `%s` is for string literals: what cannot be one is refused, anything else must lie in the program's data when it is printed.
//@ options: -cl-std=CL3.0
//@ build-error: 9:18: error: argument of '%s' must be a string literal
//@ build-error: 10:18: error: argument of '%s' must be a string literal
//@ build-error: 11:18: error: argument of '%s' must be a string literal
//@ build-error: 12:35: error: argument of '%s' must be a string literal
//@ build-error: 13:20: error: argument of '%.4s' must be a string literal
kernel void k(global char *g, constant char *c, ulong n) { char own[4]; local char shared[4];
    printf("%s", g);
    printf("%s", own);
    printf("%s", shared);
    printf("%s", (constant char *)n);
    printf("%.4s", n ? "literal" : (constant char *)0x1234);
    printf("%s", c);
}
