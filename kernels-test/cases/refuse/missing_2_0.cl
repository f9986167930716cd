// What OpenCL C 2.0 has and the device does not is refused by name.
//@ options: -cl-std=CL2.0
//@ build-error: 10:24: error: pipes are not supported
//@ build-error: 13:9: error: blocks are not supported
//@ build-error: 13:17: error: function 'enqueue_kernel' is not available: device-side enqueue is not supported
//@ build-error: 14:5: error: type 'reserve_id_t' is not supported
//@ build-error: 15:5: error: type 'clk_event_t' is not supported
// OpenCL C 3.0 names vector components by colours, 2.0 does not.
//@ build-error: 16:9: error: vector component name 'r' is a feature from OpenCL C 3.0 onwards
kernel void p(read_only pipe int in) { }
kernel void k(global int *a, global float4 *v)
{
    int n = enqueue_kernel(0, 0, 0, 0);
    reserve_id_t id;
    clk_event_t event;
    v[0].r = 1;
}
