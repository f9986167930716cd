/* Electric potential on a lattice from the atoms of neighbouring bins, up to a cutoff. */
#define DEPTH 8

kernel void cutcp(global const float4 *bins, int bins_x, int bins_y, global float *lattice, float h, float cutoff2,
                  float inv_cutoff2) {
    local float4 cache[27 * DEPTH];
    int gx = get_group_id(0), gy = get_group_id(1), gz = get_group_id(2);
    int tid = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    for (int i = tid; i < 27 * DEPTH; i += 128) {
        int nbr = i / DEPTH;
        /* There is a layer of bins around the lattice; a group is 8 by 8 by 2 points, a bin 8 by 8 by 8. */
        int bx = gx + nbr % 3, by = gy + nbr / 3 % 3, bz = gz / 4 + nbr / 9;
        cache[i] = bins[((bz * bins_y + by) * bins_x + bx) * DEPTH + i % DEPTH];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float x = get_global_id(0) * h, y = get_global_id(1) * h, z = get_global_id(2) * h;
    float energy = 0.0f;
    for (int bin = 0; bin < 27; bin++) {
        for (int i = 0; i < DEPTH; i++) {
            float4 atom = cache[bin * DEPTH + i];
            if (atom.w == 0.0f) break;
            float dx = atom.x - x, dy = atom.y - y, dz = atom.z - z;
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cutoff2) {
                float s = 1.0f - r2 * inv_cutoff2;
                energy += atom.w * rsqrt(r2) * s * s;
            }
        }
    }
    int line = get_global_id(2) * get_global_size(1) + get_global_id(1);
    lattice[line * get_global_size(0) + get_global_id(0)] = energy;
}
