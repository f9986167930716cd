// width: 8
// local: 1 1 1
// A flag that conditions are added to is a sum of bytes.
kernel void k(global const int *in, global int *out, int n) {
    bool any = false;
    for (int i = 0; i < n; i++) any |= in[i] == 7;
    out[get_group_id(0) * n] = any;
}
//= @@ -32,4 +32,6 @@
//=    %31: i8 = zext %30 !217..234
//= +  %41: i8 = zext %29
//= +  %42: i8 = or %22, %41
//=    %32: i32 = add %23, %17 {nsw} !212..215
//= -  jump b2(%31, %32)
//= +  jump b2(%42, %32)
//=  b4:
