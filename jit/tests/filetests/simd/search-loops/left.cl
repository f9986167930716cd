// width: 8
// local: 1 1 1
// Behind what is looked for, memory may end; and where it was found is another question.
kernel void k(global const float *in, global int *out, float y) {
    float x[80];
    for (int i = 0; i < 80; i++) x[i] = in[i];
    bool is_near = false;
    for (int i = 0; i < 32 && !is_near; i++) is_near = in[i] < y;
    int at = 0;
    for (; at < 60; at++) if (x[at] * x[at] < y) break;
    out[get_group_id(0) * (int)y] = is_near ? at : 1;
}
//= no change
