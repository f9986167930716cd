// local: 64 1 1
// options: -cl-std=CL3.0
kernel __attribute__((intel_reqd_sub_group_size(8))) void butterfly(global float *a)
{
    size_t i = get_global_id(0);
    float v = a[i];
    for (uint d = get_max_sub_group_size() / 2; d > 0; d /= 2) v += sub_group_shuffle_xor(v, d);
    a[i] = v;
}
//= @@ -5,3 +5,3 @@
//=    %3: f32 = load %2 !192..196
//= -  %4: i32 = sg.max !216..240
//= +  %4: i32 = const 8 !216..240
//=    %5: i32 = const 1 !216..244
