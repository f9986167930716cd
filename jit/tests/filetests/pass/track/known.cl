// options: -clift-check=races,values
// known
// What a launch knows of arguments' memory is not told of, what it does not know of local memory is.
kernel void known(global const int *a, global int *b, local int *t) {
    t[get_local_id(0)] = a[get_global_id(0)];
    b[get_global_id(0)] = t[get_local_id(0)];
}
//= @@ -7,2 +7,4 @@
//=    %7: i32 = load %6 !271..290
//= +  %9: i64 = const 3530822108143681540 !250..290
//= +  track %4, %9, %7 !250..290
//=    store %4, %7 !250..290
