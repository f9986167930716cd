// width: 8
// local: 64 1 1
// Where a work-item starts is read from memory: nothing is gained by 64 bits, for lanes are no neighbours.
kernel void k(global const float *in, global const int *at, global float *out) {
    float sum = 0;
    for (int j = at[get_global_id(0)]; j < 1000; j += 64) sum += in[j];
    out[get_global_id(0)] = sum;
}
//= no change
