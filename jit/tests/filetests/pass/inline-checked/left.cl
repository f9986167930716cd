// options: -clift-check=memory
// Nothing is called.
kernel void nothing(global int *a) { }
//= no change
