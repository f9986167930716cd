// target: scalar
// local: 64 2 1
// Loops that stay: a sum lives from turn to turn.
kernel void sum(global const int *in, global int *out, int n) {
    int sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    out[get_global_id(0)] = sum;
}
// Each work-item has another step.
kernel void steps(global int *out, int n) {
    for (int i = get_local_id(0); i < n; i += get_local_id(0) + 64) out[i] = i;
}
// Each work-item has another bound.
kernel void bounds(global int *out, global const int *n) {
    for (int i = get_local_id(0); i < n[get_local_id(0)]; i += 64) out[i] = i;
}
// Work-items next to each other start with the same.
kernel void same(global int *out, int n) {
    for (int i = get_local_id(1); i < n; i += 2) out[i] = i;
}
// Work-items that leave early do not come to what is behind.
kernel void early(global int *out, int n) {
    for (int i = get_local_id(0); i < n; i += 64) {
        if (out[i] < 0) break;
        out[i] = i;
    }
}
// Not all come to the loop.
kernel void some(global int *out, int n) {
    if (get_local_id(0) & 1)
        for (int i = get_local_id(0); i < n; i += 64) out[i] = i;
}
// Others may see what comes first.
kernel void ordered(global atomic_int *out, int n) {
    for (int i = get_local_id(0); i < n; i += 64) atomic_fetch_add(out + i, 1);
}
// A variable of the work-item's own lives from turn to turn.
kernel void own(global int *out, int n) {
    int last[40] = { 0 };
    for (int i = get_local_id(0); i < n; i += 64) last[out[i] & 31] = i;
    out[get_local_id(0)] = last[5];
}
// There is one turn.
kernel void once(global int *out) {
    for (int i = get_local_id(0); i < 60; i += get_local_size(0)) out[i] = i;
}
//= no change
