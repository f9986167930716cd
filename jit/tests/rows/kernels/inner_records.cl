// local: 1 2
// exact: yes
// groups: 2
// n: 0 7 16 31
// FALLS: 0 1
typedef struct { float x, y, f; int n; } Atom;
kernel void k(global const float4 *in, global float *out, uint n) {
    local Atom atoms[32];
    local int order[32];
    size_t l = get_local_id(0);
    for (uint j = 0; j < 32; j++) {
        atoms[j].x = in[j].x;
        atoms[j].y = in[j].w;
        atoms[j].f = 0;
        atoms[j].n = (int)j;
        order[j] = (int)(31 - j);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        for (uint i = 0; i < 8; i++) {
            float4 force = (float4)(0, 1, 2, 3);
            float4 own = in[i + 40 + get_group_id(0)];
#if FALLS
            for (int j = (int)n; j >= 0; j--) {
#else
            for (uint j = 0; j < n; j++) {
#endif
                float2 d = (float2)(atoms[j].x, atoms[j].y) - own.xy;
                float r = dot(d, d);
                if (r < 900) {
                    force.xy += d * native_recip(r + 1) * order[j];
                    atoms[j].f -= r;
                    atoms[j].n++;
                }
            }
            vstore4(force, i, out + get_group_id(0) * 200);
        }
        for (uint j = 0; j < 32; j++) out[get_group_id(0) * 200 + 100 + j] = atoms[j].f + atoms[j].n;
    }
}
