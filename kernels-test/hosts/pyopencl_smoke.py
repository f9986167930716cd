"""A vector add and an ElementwiseKernel through pyopencl, compared with numpy."""

import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.elementwise import ElementwiseKernel

platform = next(p for p in cl.get_platforms() if "Clift" in p.name)
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)

rng = np.random.default_rng(1)
a = rng.random(100_003, dtype=np.float32)
b = rng.random(100_003, dtype=np.float32)

program = cl.Program(
    context,
    """
    kernel void add(global const float *a, global const float *b, global float *c) {
        int i = get_global_id(0);
        c[i] = a[i] + b[i];
    }
    """,
).build()
flags = cl.mem_flags
a_mem = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
b_mem = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=b)
c_mem = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
program.add(queue, a.shape, None, a_mem, b_mem, c_mem)
c = np.empty_like(a)
cl.enqueue_copy(queue, c, c_mem)
assert (c == a + b).all(), "vector add differs from numpy"

kernel = ElementwiseKernel(context, "float k, float *x, float *y, float *z", "z[i] = k*x[i] + sin(y[i])", "mix_kernel")
x, y = cl.array.to_device(queue, a), cl.array.to_device(queue, b)
z = cl.array.empty_like(x)
kernel(5.0, x, y, z)
error = np.abs(z.get() - (np.float64(5) * a + np.sin(b.astype(np.float64)))).max()
assert error < 2e-6, f"elementwise kernel is off by {error}"

print(f"pyopencl {cl.VERSION_TEXT}: vector add equal to numpy, elementwise kernel within {error:.1e}")
