"""Profiles of MPI programs, and of such as use OpenSHMEM too; and tools of others that stand between them and MPI."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

OSHRUN = os.environ["WEFT_TEST_OSHRUN"]
WEFT_PROFILE = os.environ["WEFT_TEST_PROFILE"]
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

    def window(self, label):
        return next(each for each in self.json["windows"] if each["label"] == label)

    def check_windows(self, n):
        done = self.run_job(n, "profile_windows_known")
        table, brought = self.window("table"), self.window("window 2")
        self.assertEqual([table["members"], table["bytes"], brought["bytes"]], [n, 1024 * n, 64 * n])
        self.assertEqual([table["made_by"], brought["made_by"]], ["MPI_Win_allocate", "MPI_Win_create"])
        for window in (table, brought):
            self.assertRegex(window["where"], r"^main(\+0x[0-9a-f]+| at .*windows_known\.c:\d+)$")
        ring = [[rank, (rank + 1) % n] for rank in range(n)]
        self.assertEqual(sorted(table["moved"]["put"]), [pair + [5, 5 * 64] for pair in ring])
        self.assertEqual(sorted(table["moved"]["get"]), [pair + [3, 3 * 32] for pair in ring])
        self.assertEqual(sorted(table["moved"]["accumulate"]), [[rank, 0, 3, 16 + 8 + 24] for rank in range(n)])
        self.assertEqual(sorted(brought["moved"]["put"]), [[rank, 0, 1, 1] for rank in range(n)])
        # And so do the tables of all calls.
        self.assertEqual(self.count_of("MPI_Put"), (7 * n, (5 * 64 + 1 + 8) * n))
        self.assertEqual(sum(size for _, _, _, size in self.json["pairs"]["atomic"]), 48 * n)
        waited = {name: {(row[0], row[1]): row[2] for row in rows} for name, rows in table["waited"].items()}
        self.assertEqual(waited["lock"], {**{(rank, 0): 1 for rank in range(n)}, **{(rank, -1): 1 for rank in range(n)}})
        self.assertEqual(waited["unlock"], waited["lock"])
        self.assertEqual(waited["flush"], {tuple(pair): 1 for pair in ring})
        self.assertEqual(waited["fence"], {})
        for name, count in (("fence", 2), ("post", 1), ("start", 1), ("complete", 1), ("wait", 1)):
            self.assertEqual([row[:3] for row in sorted(brought["waited"][name])], [[rank, -1, count] for rank in range(n)])
        if n > 1:
            long = {row[0]: row[3] for row in table["waited"]["lock"] if row[1] == 0}
            for rank in range(n - 1):
                self.assertGreaterEqual(long[rank], 0.03)
            self.assertIn("for locks of table (made in main", done.stderr.replace("\n     ", ""))
        self.assertRegex(done.stderr, r"\nwindow +put +got +accum. +locks +others +made at\n(table|window 2) ")

    def test_windows_that_are_known(self):
        for n in (1, 2, 3, 7):
            with self.subTest(n=n):
                self.check_windows(n)

    def test_more_windows_than_there_is_room_for(self):
        """Those that come last are counted together, and none of their operations is lost."""
        self.run_job(2, "profile_windows_known", "many")
        # Each PE tells 255 apart: 2 of both, and 253 of its own.
        self.assertEqual(len(self.json["windows"]), 2 + 2 * 253 + 1)
        rest = self.window("further windows")
        self.assertEqual(sorted(rest["moved"]["put"]), [[rank, rank, 47, 47 * 4] for rank in range(2)])
        self.assertEqual(sorted(row[:3] for row in rest["waited"]["lock"]), [[rank, rank, 47] for rank in range(2)])

    def test_windows_recorded_wrong(self):
        self.run_job(2, "profile_windows_known")
        path = os.path.join(self.folder, "windows.1.weft")
        with open(path, "rb") as file:
            sound = file.read()
        for wrong, line in ((sound[:8] + b"\xff" + sound[9:], "was written by another version of Weft"),
                            (sound[:-1], "is damaged: its end is missing"), (b"", "is too short to be a recording"),
                            (b"x" + sound[1:], "is not a recording of windows of Weft"),
                            (sound[:16] + b"\0" + sound[17:], "is damaged: it is of another PE than the recording of calls")):
            with open(path, "wb") as file:
                file.write(wrong)
            done = subprocess.run([WEFT_PROFILE, self.folder], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertIn(f"{path} {line}", done.stderr)

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
