"""Many small fields with other parameters each, over the workers of a Dask cluster, each with a part of its machine.

    python3 sweep.py --workers 2

Without `--scheduler` the workers are processes of this machine that end with this one. If a worker ends in between,
what it was at is done again by another, or by the one that takes its place; `--kill` tries it.
"""

import argparse
import os
import re
import signal
import sys
import time

from distributed import Client, LocalCluster, as_completed, get_worker


def mean(point, count, size, steps):
    """A task: runs in a worker, whose name ends with the number of its part."""
    import parts

    index = int(re.search(r"\d+$", str(get_worker().name)).group())
    return parts.simulate(index % count, count, *point, size, steps)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workers", type=int, default=2, help="processes on this machine")
    options.add_argument("--parts", type=int, help="parts of each machine; by default as many as workers")
    options.add_argument("--scheduler", help="address of a cluster that runs already")
    options.add_argument("--points", type=int, default=6, help="values of each of the two parameters")
    options.add_argument("--size", type=int, default=256, help="rows and columns of a field")
    options.add_argument("--steps", type=int, default=1500)
    options.add_argument("--kill", action="store_true", help="kill a worker after the first results")
    options = options.parse_args()
    count = options.parts or options.workers

    # One task at a time, as a part is one device; nothing listens but on this machine, and no web page is served.
    cluster = options.scheduler or LocalCluster(
        n_workers=options.workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    )
    with Client(cluster) as client:
        client.upload_file(os.path.join(os.path.dirname(os.path.abspath(__file__)), "parts.py"))
        # The first task of a worker builds its program: not to be timed. Each has one of its own.
        workers = list(client.scheduler_info(n_workers=-1)["workers"])
        warm = [client.submit(mean, (0.03, 0.06), count, 64, 1, workers=[w], pure=False) for w in workers]
        client.gather(warm)
        steps = range(options.points)
        points = [(0.02 + 0.04 * i / options.points, 0.05 + 0.015 * j / options.points) for i in steps for j in steps]
        begin = time.perf_counter()
        tasks = client.map(mean, points, count=count, size=options.size, steps=options.steps)
        if options.kill:
            for done, _ in enumerate(as_completed(tasks), 1):
                if done == 3:
                    break
            victim, pid = next(iter(client.run(os.getpid).items()))
            os.kill(pid, signal.SIGKILL)
            print(f"killed {victim}", file=sys.stderr)
        means = client.gather(tasks)
        seconds = time.perf_counter() - begin
        best = max(range(len(points)), key=means.__getitem__)
        print(f"{len(workers)} workers: {seconds:.2f} s, {len(means)} fields, sum {sum(means)!r}")
        print("most of the second substance at feed {:.4f}, kill {:.4f}".format(*points[best]))
    if not options.scheduler:
        cluster.close()


if __name__ == "__main__":
    main()
