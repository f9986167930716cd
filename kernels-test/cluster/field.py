"""One field over all processes, each with its rows on a part of its machine: MPI sends the rows at the borders.

    mpirun -n 2 python3 field.py --parts 2

`--parts` says in how many parts each machine is divided; so many processes may run on it. The result has the same bits
whatever the number of processes.
"""

import argparse
import hashlib
import time

import numpy as np
from mpi4py import MPI

import parts


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--parts", type=int, default=1, help="parts of each machine")
    options.add_argument("--size", type=int, default=768, help="rows and columns")
    options.add_argument("--steps", type=int, default=1000)
    options = options.parse_args()

    world = MPI.COMM_WORLD
    # The number of this process among those of its machine.
    here = world.Split_type(MPI.COMM_TYPE_SHARED).rank
    queue, kernel = parts.part(here, options.parts)
    first, end = (options.size * rank // world.size for rank in (world.rank, world.rank + 1))
    band = parts.Band(queue, kernel, parts.start(options.size, options.size)[first:end])
    above, below = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    top, bottom, from_above, from_below = (np.empty((options.size, 2), np.float32) for _ in range(4))

    world.Barrier()
    begin = time.perf_counter()
    for _ in range(options.steps):
        band.get(0, top)
        band.get(band.height - 1, bottom)
        world.Sendrecv(top, above, recvbuf=from_below, source=below)
        world.Sendrecv(bottom, below, recvbuf=from_above, source=above)
        band.set_neighbours(from_above, from_below)
        band.step(0.037, 0.06)
    queue.finish()
    world.Barrier()
    seconds = time.perf_counter() - begin

    rows = np.empty((band.height, options.size, 2), np.float32)
    band.get(0, rows)
    rows = world.gather(rows)
    if world.rank == 0:
        field = np.concatenate(rows)
        digest = hashlib.sha256(field.tobytes()).hexdigest()[:16]
        mean = field[..., 1].mean(dtype=np.float64)
        print(f"{world.size} processes: {seconds:.2f} s, mean {mean:.6f}, bits {digest}")


main()
