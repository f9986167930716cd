// Groups of one work-item: loops whose turns do not depend on each other, and some whose do. Sums of floats are made in
// order: 1 is lost beside 2^24, again and again.
//@ kernel: sums
//@ global: 2
//@ local: 1
//@ in: float = 16777216 1*39
//@ value: int = 40
//@ out: float = 16777216 39 -16777216 780 16777216 39 -16777216 780
//@ kernel: forces
//@ global: 1
//@ local: 1
//@ in: float = 0..39
//@ out: float = 200 210 220 5625 3 5 7
//@ kernel: neighbours
//@ global: 1
//@ local: 1
//@ value: int = 20
//@ inout: int = 1*20 -> 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
//@ kernel: find
//@ global: 1
//@ local: 1
//@ in: float = 0..99
//@ out: int = 1 0 1 31 -1
kernel void sums(global const float *in, int n, global float *out)
{
    float sum = 0, small = 0, falling = 0, indices = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i];
        if (in[i] < 2) small += in[i];
        falling -= in[i];
        if (i & 1) indices += i; else indices += i;
    }
    vstore4((float4)(sum, small, falling, indices), get_global_id(0), out);
}

typedef struct { float x, y, f; } Atom;
kernel void forces(global const float *in, global float *out)
{
    local Atom atoms[40];
    for (int i = 0; i < 40; i++) {
        atoms[i].x = in[i];
        atoms[i].y = in[i] + 1;
        atoms[i].f = 0;
    }
    float4 force = 0;
    for (uint i = 0; i < 3; i++)
        for (uint j = 0; j < 40; j++) {
            float d = atoms[j].x * (i + 1);
            if (d < 60 && j % 2) {
                force.xyz += (float3)(atoms[j].x, atoms[j].y, atoms[j].y + 1) * (i < 1 ? 0.5f : 0.0f);
                force.w += i == 2 ? 0 : atoms[j].x * 9;
                atoms[j].f += d / (i + 1);
            }
        }
    vstore4(force, 0, out);
    for (int i = 0; i < 3; i++) {
        Atom atom = atoms[i + i + 1];
        out[4 + i] = atom.f / (atom.f > 0 ? atom.x : 1) + 2 * i;
    }
}

kernel void neighbours(int n, global int *a)
{
    for (int i = 1; i < n; i++) a[i] += a[i - 1];
}

kernel void find(global const float *in, global int *out)
{
    float x[80];
    for (int i = 0; i < 80; i++) x[i] = in[i + 10];
    for (int y = 0; y < 3; y++) {
        bool found = false;
        for (int i = 0; i < 32 && !found; i++) found = fabs(x[i] - 41 + y * 150) < 1 && x[i + 40] > x[i + 3] - x[i + 1];
        out[y] = y < 2 ? found : !found;
    }
    int at = -1, none = -1;
    for (int i = 0; i < 32; i++) if (x[i] * x[i + 1] - x[i + 2] > x[i + 40] * 20) { at = i; break; }
    for (int i = 0; i < 32; i++) if (x[i] * x[i + 1] - x[i + 2] < x[i + 40] * -20) { none = i; break; }
    out[3] = at;
    out[4] = none;
}
