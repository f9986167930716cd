// target: scalar
// local: 1 1 1
// The second branch leads to its loop or past it: the edge to the loop gets a block of its own.
// The first loop is there for `scalar-promotion`, behind which such blocks go if they are empty.
kernel void k(global int *p, int n) {
    int x = n;
    if (n > 0) do *p = *p * 3 + n; while (--n);
    if (x & 4) do x = x * x + 1; while (x & 1024);
    p[1] = x;
}
//= @@ -46,3 +46,5 @@
//=  b11:
//= -  br %75, b13(%35), b14(%35)
//= +  br %75, b23, b14(%35)
//= +b23:
//= +  jump b13(%35)
//=  b13(%61: i32):
