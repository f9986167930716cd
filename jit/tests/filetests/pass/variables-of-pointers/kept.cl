// options: -g -cl-opt-disable -clift-check=memory
// A pointer that is loaded is what was stored, or one of both that were; debuggers see the variables as before. What is
// no pointer, and a pointer whose address goes elsewhere, is loaded.
void other(global int **p);
void other(global int **p) {
    ++*p;
}
kernel void k(global int *a, global int *b, int n) {
    global int *p = a + n;
    if (n > 2) p = b;
    *p = n;
    other(&b);
    *b = n;
}
//= @@ -6,6 +6,5 @@
//=    %2: ptr<private> = slot.addr slot0 !346..347
//= -  %3: ptr<private> = load %2 {volatile} !346..347
//= -  %4: ptr<global> = load %3 !343..347
//= +  %4: ptr<global> = load %0 !343..347
//=    %5: ptr<global> = ptr.off %4, 4 !343..347
//= -  store %3, %5 !343..347
//= +  store %0, %5 !343..347
//=    ret
//= @@ -44,3 +44,2 @@
//=    %25: ptr<private> = slot.addr slot0 !424..425
//= -  %26: ptr<global> = load %25 {volatile} !424..425
//=    %27: ptr<private> = slot.addr slot2 !428..429
//= @@ -48,3 +47,3 @@
//=    %29: i64 = sext %28 !424..429
//= -  %30: ptr<global> = ptr.add %26, %29 * 4 + 0 !424..429
//= +  %30: ptr<global> = ptr.add %0, %29 * 4 + 0 !424..429
//=    store %24, %30 {volatile} !424..429
//= @@ -54,3 +53,3 @@
//=    %34: i1 = icmp.sgt %32, %33 !439..444
//= -  br %34, b1, b2
//= +  br %34, b1, b2(%30)
//=  b1:
//= @@ -60,9 +59,8 @@
//=    store %35, %37 {volatile} !446..451
//= -  jump b2
//= -b2:
//= +  jump b2(%37)
//= +b2(%47: ptr<global>):
//=    %38: ptr<private> = slot.addr slot3 !458..459
//= -  %39: ptr<global> = load %38 {volatile} !458..459
//=    %40: ptr<private> = slot.addr slot2 !462..463
//=    %41: i32 = load %40 {volatile} !462..463
//= -  store %39, %41 !457..463
//= +  store %47, %41 !457..463
//=    %42: ptr<private> = slot.addr slot1 !475..477
