// options: -clift-check=memory
// Nothing is accessed.
kernel void nothing(global int *a) { }
//= no change
