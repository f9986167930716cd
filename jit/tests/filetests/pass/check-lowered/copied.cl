// options: -clift-check=values
// Variables that are written first, or of which only parts are read that are copied, have no flags; declarations go.
struct two { int a, b; };
kernel void copied(global int *a, global struct two *out, int n) {
    int y;
    struct two s, t;
    y = n / 3;
    s.a = y % 7;
    t = s;
    *out = t;
    a[0] = y;
}
//= @@ -17,3 +17,2 @@
//=    %8: i64 = const 4 !209..215
//= -  memset %6, %7, %8 !209..215
//=    %9: ptr<private> = slot.addr slot4 !209..215
//= @@ -21,3 +20,2 @@
//=    %11: i64 = const 8 !209..215
//= -  memset %9, %10, %11 !209..215
//=    %12: ptr<private> = slot.addr slot5 !209..215
//= @@ -25,3 +23,2 @@
//=    %14: i64 = const 8 !209..215
//= -  memset %12, %13, %14 !209..215
//=    %15: ptr<private> = slot.addr slot3 !300..309
