// target: avx512
// width: 16
// local: 16 4 1
// disjoint
// Nine numbers that all rows add would fill nine registers in front of four turns only.
kernel void k(global const float *c, global const float *x, global float *y) {
    size_t i = get_global_id(1) * 16 + get_global_id(0);
    c += get_group_id(0) * 9;
    float s = x[i];
    s = s * 0.5f + c[0];
    s = s * 0.5f + c[1];
    s = s * 0.5f + c[2];
    s = s * 0.5f + c[3];
    s = s * 0.5f + c[4];
    s = s * 0.5f + c[5];
    s = s * 0.5f + c[6];
    s = s * 0.5f + c[7];
    s = s * 0.5f + c[8];
    y[i] = s;
}
//= @@ -33,28 +33,10 @@
//=    %33: ptr<global> = ptr.add %14, %26 * 36 + 0 !304..328
//= -  %34: f32 = load %33 !369..373
//=    %35: ptr<global> = ptr.off %33, 4 !394..398
//= -  %36: f32 = load %35 !394..398
//=    %37: ptr<global> = ptr.off %33, 8 !419..423
//= -  %38: f32 = load %37 !419..423
//=    %39: ptr<global> = ptr.off %33, 12 !444..448
//= -  %40: f32 = load %39 !444..448
//=    %41: ptr<global> = ptr.off %33, 16 !469..473
//= -  %42: f32 = load %41 !469..473
//=    %43: ptr<global> = ptr.off %33, 20 !494..498
//= -  %44: f32 = load %43 !494..498
//=    %45: ptr<global> = ptr.off %33, 24 !519..523
//= -  %46: f32 = load %45 !519..523
//=    %47: ptr<global> = ptr.off %33, 28 !544..548
//= -  %48: f32 = load %47 !544..548
//=    %49: ptr<global> = ptr.off %33, 32 !569..573
//= -  %50: f32 = load %49 !569..573
//= -  %51: f32x16 = splat %34
//= -  %52: f32x16 = splat %36
//= -  %53: f32x16 = splat %38
//= -  %54: f32x16 = splat %40
//= -  %55: f32x16 = splat %42
//= -  %56: f32x16 = splat %44
//= -  %57: f32x16 = splat %46
//= -  %58: f32x16 = splat %48
//= -  %59: f32x16 = splat %50
//=    jump b3(%23)
//= @@ -66,10 +48,28 @@
//=    %65: f32x16 = load %64 !344..348
//= +  %34: f32 = load %33 !369..373
//= +  %51: f32x16 = splat %34
//=    %66: f32x16 = fma %65, %24, %51 !358..373
//= +  %36: f32 = load %35 !394..398
//= +  %52: f32x16 = splat %36
//=    %67: f32x16 = fma %66, %24, %52 !383..398
//= +  %38: f32 = load %37 !419..423
//= +  %53: f32x16 = splat %38
//=    %68: f32x16 = fma %67, %24, %53 !408..423
//= +  %40: f32 = load %39 !444..448
//= +  %54: f32x16 = splat %40
//=    %69: f32x16 = fma %68, %24, %54 !433..448
//= +  %42: f32 = load %41 !469..473
//= +  %55: f32x16 = splat %42
//=    %70: f32x16 = fma %69, %24, %55 !458..473
//= +  %44: f32 = load %43 !494..498
//= +  %56: f32x16 = splat %44
//=    %71: f32x16 = fma %70, %24, %56 !483..498
//= +  %46: f32 = load %45 !519..523
//= +  %57: f32x16 = splat %46
//=    %72: f32x16 = fma %71, %24, %57 !508..523
//= +  %48: f32 = load %47 !544..548
//= +  %58: f32x16 = splat %48
//=    %73: f32x16 = fma %72, %24, %58 !533..548
//= +  %50: f32 = load %49 !569..573
//= +  %59: f32x16 = splat %50
//=    %74: f32x16 = fma %73, %24, %59 !558..573
