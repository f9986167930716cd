// options: -clift-check=memory
// The index of an array within an object is compared with the number of its elements, behind the check of the object;
// a constant index that is one needs nothing, and what is only an address neither.
typedef struct {
    int first[4];
    int second[4];
} Members;

kernel void elements(global Members *s, int n) {
    s->second[n] = 7;
}
//= @@ -4,9 +4,68 @@
//=  b0(%0: ptr<global>, %1: i32):
//= +  %16: i64 = const 1
//= +  %17: i64 = const 0
//= +  %18: i64 = check.arg %17, %16
//= +  %19: i64 = const 2
//= +  %20: i64 = check.arg %17, %19
//= +  %21: i64 = check.arg %17, %17
//= +  %22: i64 = const 4
//= +  %25: i64 = const 16
//=    %9: i64 = sext %1 !375..391
//=    %14: ptr<global> = ptr.add %0, %9 * 4 + 0 !375..391
//= +  %23: i64 = mul %9, %22
//= +  %24: i64 = add %21, %23
//=    %15: ptr<global> = ptr.off %14, 16 !375..391
//= +  %26: i64 = add %24, %25
//=    %11: i64 = const 4 !375..391
//= -  %12: ptr<global> = element %15, %9, %11 !375..391
//= +  %12: ptr<global> = ptr.off %15, 0 !375..391
//=    %13: i32 = const 7 !390..391
//= +  %27: i64 = const 3 !375..391
//= +  %28: i64 = subsat.u %20, %27 !375..391
//= +  %29: i1 = icmp.ult %26, %28 !375..391
//= +  br %29, b4, b3
//= +b3:
//= +  %30: i64 = const 4 !375..391
//= +  %31: i64 = const 0 !375..391
//= +  %32: i64 = lid 0 !375..391
//= +  %33: i64 = lid 1 !375..391
//= +  %34: i64 = const 21 !375..391
//= +  %35: i64 = shl %33, %34 !375..391
//= +  %36: i64 = or %32, %35 !375..391
//= +  %37: i64 = lid 2 !375..391
//= +  %38: i64 = const 42 !375..391
//= +  %39: i64 = shl %37, %38 !375..391
//= +  %40: i64 = or %36, %39 !375..391
//= +  %41: i64 = grp 0 !375..391
//= +  %42: i64 = grp 1 !375..391
//= +  %43: i64 = grp 2 !375..391
//= +  check.report %31, %16, %26, %20, %30, %40, %41, %42, %43 !375..391
//= +  %44: i64 = const 3 !375..391
//= +  %45: i64 = subsat.u %18, %44 !375..391
//= +  %46: i1 = icmp.ult %26, %45 !375..391
//= +  br %46, b4, b2
//= +b4:
//= +  %47: i64 = const 4 !375..391
//= +  %48: i1 = icmp.ult %9, %47 !375..391
//= +  br %48, b1, b5
//= +b5:
//= +  %49: i64 = const 0 !375..391
//= +  %50: i64 = const 1 !375..391
//= +  %51: i64 = lid 0 !375..391
//= +  %52: i64 = lid 1 !375..391
//= +  %53: i64 = const 21 !375..391
//= +  %54: i64 = shl %52, %53 !375..391
//= +  %55: i64 = or %51, %54 !375..391
//= +  %56: i64 = lid 2 !375..391
//= +  %57: i64 = const 42 !375..391
//= +  %58: i64 = shl %56, %57 !375..391
//= +  %59: i64 = or %55, %58 !375..391
//= +  %60: i64 = grp 0 !375..391
//= +  %61: i64 = grp 1 !375..391
//= +  %62: i64 = grp 2 !375..391
//= +  check.report %50, %16, %26, %9, %49, %59, %60, %61, %62 !375..391
//= +  jump b2
//= +b1:
//=    store %12, %13 !375..391
//= +  jump b2
//= +b2:
//=    ret
