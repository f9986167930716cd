/* Resampling: each particle takes the first place whose cumulative weight reaches its number. */
kernel void particle_filter(global const float *array_x, global const float *array_y, global const float *cdf,
                            global const float *u, global float *xj, global float *yj, int particles) {
    int i = get_global_id(0);
    if (i < particles) {
        int index = -1;
        for (int x = 0; x < particles; x++) {
            if (cdf[x] >= u[i]) {
                index = x;
                break;
            }
        }
        if (index == -1) index = particles - 1;
        xj[i] = array_x[index];
        yj[i] = array_y[index];
    }
}
