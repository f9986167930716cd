"""A process's own part of this machine, and the Gray-Scott model of two substances that react and diffuse, on it.

Any OpenCL whose device can be partitioned will do; `PLATFORM` names one by a part of its name.
"""

import functools
import os

import numpy as np
import pyopencl as cl

SOURCE = """
// Rows 1 to `rows` are ours, row 0 and row rows + 1 the neighbours'. Left and right are neighbours, too.
kernel void react(global const float2 *now, global float2 *next, int width, float feed, float kill) {
    int x = get_global_id(0), y = get_global_id(1) + 1;
    int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    global const float2 *row = now + y * width, *up = row - width, *down = row + width;
    float2 c = row[x];
    float2 around = 0.2f * (row[left] + row[right] + up[x] + down[x])
                  + 0.05f * (up[left] + up[right] + down[left] + down[right]) - c;
    float reaction = c.x * c.y * c.y;
    next[y * width + x] = (float2)(c.x + 0.2f * around.x - reaction + feed * (1.0f - c.x),
                                   c.y + 0.1f * around.y + reaction - (feed + kill) * c.y);
}
"""


def device(index, count):
    """Part `index` of `count` equal ones of the device, a sub-device; the device itself if `count` is 1."""
    wanted = os.environ.get("PLATFORM", "Clift")
    platform = next(p for p in cl.get_platforms() if wanted in p.name)
    (whole,) = platform.get_devices()[:1]
    units = whole.max_compute_units // count
    if units == 0:
        raise SystemExit(f"{whole.name} has {whole.max_compute_units} compute units, too few for {count} parts")
    if count == 1:
        return whole
    return whole.create_sub_devices([cl.device_partition_property.EQUALLY, units])[index]


@functools.cache
def part(index, count):
    """Queue and kernel on a part, made once in each process."""
    queue = cl.CommandQueue(cl.Context([device(index, count)]))
    return queue, cl.Kernel(cl.Program(queue.context, SOURCE).build(), "react")


def start(width, height):
    """The first substance everywhere, and spots of the second at places that always are the same."""
    cells = np.zeros((height, width, 2), np.float32)
    cells[..., 0] = 1
    rng = np.random.default_rng(1)
    for x, y in zip(rng.integers(0, width - 8, 40), rng.integers(0, height - 8, 40)):
        cells[y : y + 8, x : x + 8] = 0.5, 0.25
    return cells


class Band:
    """Rows of a field on a part, with a row of each neighbour above and below."""

    def __init__(self, queue, kernel, rows):
        self.queue, self.kernel = queue, kernel
        self.height, self.width = rows.shape[:2]
        bytes_of_all = (self.height + 2) * self.width * 8
        self.now, self.next = (cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, bytes_of_all) for _ in range(2))
        cl.enqueue_copy(queue, self.now, rows, dst_offset=self.width * 8)

    def get(self, first, rows):
        """Fills `rows` with ours from `first` on."""
        cl.enqueue_copy(self.queue, rows, self.now, src_offset=(first + 1) * self.width * 8)

    def set_neighbours(self, above, below):
        """Their rows, for the next step."""
        cl.enqueue_copy(self.queue, self.now, above)
        cl.enqueue_copy(self.queue, self.now, below, dst_offset=(self.height + 1) * self.width * 8)

    def step(self, feed, kill):
        """One step of time."""
        parameters = np.int32(self.width), np.float32(feed), np.float32(kill)
        self.kernel(self.queue, (self.width, self.height), None, self.now, self.next, *parameters)
        self.now, self.next = self.next, self.now


def simulate(index, count, feed, kill, size, steps):
    """A field of its own on a part, whose upper and lower border are neighbours: the mean of the second substance."""
    queue, kernel = part(index, count)
    band = Band(queue, kernel, start(size, size))
    wide = band.width * 8
    for _ in range(steps):
        # What is above the first row is the last one, and the other way round.
        cl.enqueue_copy(queue, band.now, band.now, src_offset=band.height * wide, dst_offset=0, byte_count=wide)
        to = (band.height + 1) * wide
        cl.enqueue_copy(queue, band.now, band.now, src_offset=wide, dst_offset=to, byte_count=wide)
        band.step(feed, kill)
    cells = np.empty((size, size, 2), np.float32)
    band.get(0, cells)
    return float(cells[..., 1].mean(dtype=np.float64))
