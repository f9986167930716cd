// What blocks must not be or do.
//@ options: -cl-std=CL2.0
//@ build-error: 13:12: error: invalid block variable declaration - must be initialized
//@ build-error: 14:22: error: cannot refer to a block inside block
//@ build-error: 16:13: error: a block can only be called, enqueued, or be the initializer of a block variable
//@ build-error: 17:5: error: the '__block' storage type is not supported in OpenCL C
//@ build-error: 18:56: error: the block passed to 'enqueue_kernel' must return 'void', not 'int'
//@ build-error: 19:5: error: mismatch in number of block parameters and local size arguments passed
kernel void k(global int *a, queue_t q)
{
    int n = a[0];
    int (^one)(int) = ^(int i) { return i + n; };
    void (^uninitialized)(void);
    a[1] = ^{ return one(1); }();
    int (^two)(int) = one;
    n = n ? one : two;
    __block int shared = n;
    enqueue_kernel(q, 0, ndrange_1D(1), 0, NULL, NULL, ^{ return 1; });
    enqueue_kernel(q, 0, ndrange_1D(1), ^(local void *p) {});
}
