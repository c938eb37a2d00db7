#!/usr/bin/env python3
"""What constructs of OpenMP cost in several processes, beside what they are held to: medians over rounds by turns. On
one machine, or between two pretended hosts with a process on each.

usage: bars.py BUILD [--hosts] [--rounds N]      BUILD: build/release or build/dev
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/testbed"))
from hosts import Hosts  # noqa: E402  (it is in a folder of its own)

# what is measured, beside what, how many of that it may take
HERE_BARS = (("barrier", "barrier", 2), ("parallel", "barrier", 6), ("critical", "barrier", 12),
             ("reduction", "barrier", 6), ("atomic", "atomic", 2))
HOSTS_BARS = (("barrier", "barrier", 1.5), ("parallel", "barrier", 2), ("critical", "round_trip", 3),
              ("reduction", "sum", 1.5))


def build(oshcc, folder):
    """Programs as a user compiles them."""
    several, beside, empty = (str(folder / name) for name in ("several", "beside", "empty"))
    subprocess.run(["gcc", "-O2", "-fopenmp", str(HERE / "several.c"), "-o", several], check=True)
    subprocess.run([oshcc, "-O2", str(HERE / "beside.c"), "-o", beside], check=True)
    (folder / "empty.c").write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n",
                                    encoding="ascii")
    subprocess.run(["gcc", "-O2", "-fopenmp", str(folder / "empty.c"), "-o", empty], check=True)
    return several, beside, empty


def numbers(output):
    return {line.split()[0]: float(line.split()[1]) for line in output.splitlines()}


def start(command):
    """Seconds until all of these have ended, that begin at once."""
    begin = time.monotonic()
    for process in [subprocess.Popen(each, env=ENVIRONMENT) for each in command]:
        if process.wait() != 0:
            sys.exit(f"{command}: ended with {process.returncode}")
    return time.monotonic() - begin


# The variable says that processes of one machine are meant, where a line would say that threads are faster.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "2", "WEFT_SHARED_BY": "memory"}

BETWEEN_HOSTS = {**os.environ, "OMP_NUM_THREADS": "2"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    bin_folder = args.build.resolve() / "bin"
    oshrun = str(bin_folder / "oshrun")
    with tempfile.TemporaryDirectory(prefix="openmp_bars.") as made:
        several, beside, empty = build(str(bin_folder / "oshcc"), Path(made))
        if args.hosts:
            with Hosts(2) as hosts:
                def run(*command):
                    done = hosts.run(1, [oshrun, "--hosts", "node1,node2", "-n", "2", *command], env=BETWEEN_HOSTS,
                                     timeout=120, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
                    done.check_returncode()
                    return numbers(done.stdout)
                found = [(run(several, "200"), run(beside, "200")) for _ in range(args.rounds)]
        else:
            def run(*command):
                return numbers(subprocess.run([oshrun, "-n", "2", *command], env=ENVIRONMENT, check=True,
                                              capture_output=True, text=True).stdout)
            found = [(run(several), run(beside)) for _ in range(args.rounds)]
        for name, other, bar in HOSTS_BARS if args.hosts else HERE_BARS:
            ratios = sorted(ours[name] / theirs[other] for ours, theirs in found)
            ratio = statistics.median(ratios)
            print(f"{name:10} {statistics.median(ours[name] for ours, _ in found):10.0f} ns  of {other:10} "
                  f"{statistics.median(theirs[other] for _, theirs in found):10.0f} ns  {ratio:6.2f} "
                  f"({ratios[0]:.2f} to {ratios[-1]:.2f}), held to {bar}{'' if ratio <= bar else '  MISSED'}")
        if not args.hosts:
            starts = [(start([[oshrun, "-n", "2", empty]]), start([["/bin/true"]] * 2)) for _ in range(4 * args.rounds)]
            ratios = sorted(ours / theirs for ours, theirs in starts)
            ratio = statistics.median(ratios)
            print(f"{'start':10} {statistics.median(ours for ours, _ in starts) * 1e3:10.2f} ms  of {'two forks':10} "
                  f"{statistics.median(theirs for _, theirs in starts) * 1e3:10.2f} ms  {ratio:6.2f} "
                  f"({ratios[len(ratios) // 4]:.2f} to {ratios[-1 - len(ratios) // 4]:.2f}), held to 4"
                  f"{'' if ratio <= 4 else '  MISSED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
