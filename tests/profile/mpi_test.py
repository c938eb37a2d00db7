"""Profiles of MPI programs, and of such as use OpenSHMEM too; and tools of others that stand between them and MPI."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

OSHRUN = os.environ["WEFT_TEST_OSHRUN"]
PROGRAMS = os.environ["WEFT_TEST_PROGRAMS"]
TOOL = os.environ["WEFT_TEST_PMPI_TOOL"]
LARGE = 256 * 1024


class Profile(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="weft-mpi-profile-test-")
        self.addCleanup(place.cleanup)
        self.folder = os.path.join(place.name, "profile")
        self.json = None

    def run_job(self, n, program, *args, environment=None, profile=True):
        options = [f"--profile={self.folder}"] if profile else []
        done = subprocess.run([OSHRUN, "-n", str(n), *options, os.path.join(PROGRAMS, program), *args], text=True,
                              env={**os.environ, **(environment or {})}, capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        if profile:
            with open(os.path.join(self.folder, "profile.json"), encoding="utf-8") as file:
                self.json = json.load(file)
        return done

    def count_of(self, name):
        found = next((each for each in self.json["routines"] if each["name"] == name), None)
        return (found["count"], found["bytes"]) if found else (0, 0)

    def sent(self):
        return {(source, to): (count, size) for source, to, count, size in self.json["pairs"]["send"]}

    def check_known(self, n):
        done = self.run_job(n, "profile_mpi_known")
        self.assertEqual(self.json["interface"], "MPI")
        pairs = n // 2
        late = 1 if n > 1 else 0
        for name, (count, size) in {
                "MPI_Init": (n, 0), "MPI_Sendrecv": (10 * n, 10 * n * 400), "MPI_Isend": (5 * n, 5 * n * 8), "MPI_Irecv": (5 * n, 0),
                "MPI_Startall": (3 * n, 3 * n * 16), "MPI_Send": (pairs + late, pairs * LARGE + late * 4), "MPI_Send_init": (n, 0),
                "MPI_Barrier": (4 * n, 0), "MPI_Allreduce": (n, 32 * n), "MPI_Comm_split": (n, 0), "MPI_Finalize": (n, 0)}.items():
            self.assertEqual(self.count_of(name), (count, size), name)
        expected = {}
        for rank in range(n):
            add(expected, rank, (rank + 1) % n, 18, 10 * 400 + 5 * 8 + 3 * 16)
            if rank % 2 == 0 and rank + 1 < n:
                add(expected, rank, rank + 1, 1, LARGE)
        if n > 1:
            add(expected, n - 1, 0, 1, 4)
        self.assertEqual(self.sent(), expected)
        self.check_ways(n, sum(count for count, _ in expected.values()), sum(size for _, size in expected.values()))
        self.check_late(n)
        for pe in self.json["pes"]:
            self.assertEqual(pe["end"], "finalized")
            # Barriers of all, allreduce, finalize, and the barrier of those with even or with odd ranks.
            half = (n + 1 - pe["pe"] % 2) // 2
            self.assertEqual(pe["meetings"], (5 if n > 1 else 0) + (1 if half > 1 else 0))
        for site in self.json["sites"]:
            self.assertTrue(site["module"].endswith("/profile_mpi_known"), site)
        if n > 1:
            self.assertIn("Messages came by", done.stderr)
            self.assertIn("sent, bytes", done.stderr)

    def check_ways(self, n, messages, size):
        """Each message came by one way, and the large ones by one or two copies."""
        ways = self.json["ways"]
        self.assertEqual(sum(each["count"] for classes in ways.values() for each in classes), messages)
        self.assertEqual(sum(each["bytes"] for classes in ways.values() for each in classes), size)
        large = [each for way in ("one copy", "two copies") for each in ways[way]]
        self.assertEqual(sum(each["count"] for each in large), n // 2)
        self.assertEqual(ways["network"], [])

    def check_late(self, n):
        """The last rank slept 50 ms before a message to rank 0, and as long before a barrier."""
        senders = {(waiting, sender): seconds for waiting, sender, _, seconds in self.json["late_senders"]}
        late = {(waiting, last): seconds for waiting, last, _, seconds in self.json["late"]}
        if n > 1:
            self.assertGreaterEqual(senders[0, n - 1], 0.03)
        for rank in range(n - 1):
            self.assertGreaterEqual(late[rank, n - 1], 0.03)

    def test_calls_that_are_known(self):
        for n in (1, 2, 3, 7):
            with self.subTest(n=n):
                self.check_known(n)

    def test_both_interfaces(self):
        for first in ("mpi", "shmem"):
            with self.subTest(first=first):
                done = self.run_job(2, "profile_hybrid", first)
                self.assertNotIn("weft:", done.stderr)
                self.assertEqual(self.json["interface"], "MPI" if first == "mpi" else "OpenSHMEM")
                self.assertEqual(self.count_of("shmem_long_put"), (2, 16))
                self.assertEqual(self.count_of("shmem_barrier_all"), (2, 0))
                self.assertEqual(self.count_of("MPI_Sendrecv"), (2, 16))
                self.assertEqual(self.sent(), {(0, 1): (1, 8), (1, 0): (1, 8)})
                self.assertEqual([pe["end"] for pe in self.json["pes"]], ["finalized"] * 2)

    def test_tools_of_others(self):
        """A PMPI tool sees the same calls, with a profile and without; and so does the profile."""
        for n in (2, 3, 7):
            for profile in (False, True):
                with self.subTest(n=n, profile=profile):
                    done = self.run_job(n, "profile_mpi_known", environment={"LD_PRELOAD": TOOL}, profile=profile)
                    lines = sorted(done.stdout.splitlines())
                    self.assertEqual(lines, [f"rank {rank} has called MPI_Send {sends(rank, n)} times" for rank in range(n)])
                    if profile:
                        self.assertEqual(self.count_of("MPI_Send")[0], sum(sends(rank, n) for rank in range(n)))
                        self.assertEqual(self.count_of("MPI_Finalize")[0], n)


def sends(rank, n):
    return (1 if rank % 2 == 0 and rank + 1 < n else 0) + (1 if rank == n - 1 else 0)


def add(pairs, source, to, count, size):
    before = pairs.get((source, to), (0, 0))
    pairs[source, to] = (before[0] + count, before[1] + size)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
