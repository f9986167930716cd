// What OpenCL C 2.0 has and the device does not is refused by name.
//@ options: -cl-std=CL2.0
//@ build-error: 8:13: error: function 'enqueue_kernel' is not available: device-side enqueue is not supported
//@ build-error: 8:52: error: blocks are not supported
//@ build-error: 9:17: error: type 'clk_event_t' is not supported
kernel void k(global int *a)
{
    int n = enqueue_kernel(0, 0, 0, 0), m = a[0], (^b)(void) = ^{ return 1; };
    clk_event_t event;
}
