#!/usr/bin/env python3
"""Profiles of MPI programs whose ranks are on two hosts, over each network.

usage: mpi_profile_test.py BUILD [unittest's arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
LIMIT = 90  # seconds for one job
LEAVES = [leaf for leaf in ("tcp", "ofi") if (BUILD / f"lib/libweft_{leaf}.so").exists()]
LARGE = 256 * 1024


def expected(n):
    """{(from, to): (messages, bytes)} of tests/profile/programs/mpi_known.c."""
    sent = {}

    def add(source, to, count, size):
        before = sent.get((source, to), (0, 0))
        sent[source, to] = (before[0] + count, before[1] + size)

    for rank in range(n):
        add(rank, (rank + 1) % n, 18, 10 * 400 + 5 * 8 + 3 * 16)
        if rank % 2 == 0 and rank + 1 < n:
            add(rank, rank + 1, 1, LARGE)
    add(n - 1, 0, 1, 4)
    return sent


def sums(ways, *names):
    classes = [each for name in names for each in ways[name]]
    return sum(each["count"] for each in classes), sum(each["bytes"] for each in classes)


class Profiles(unittest.TestCase):
    def profile(self, leaf, n, program="profile_mpi_known"):
        with Hosts(2) as hosts, tempfile.TemporaryDirectory() as place:
            done = hosts.run(1, [BUILD / "bin/oshrun", "-n", str(n), "--hosts", "node1,node2", f"--profile={place}/p",
                                 BUILD / "tests/profile" / program],
                             env={**os.environ, "WEFT_NET": leaf}, timeout=LIMIT, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            return done.stdout, json.loads(Path(place, "p/profile.json").read_text())

    def test_messages_and_their_ways(self):
        self.assertTrue(LEAVES, "no network was built")
        for leaf in LEAVES:
            for n in (2, 3, 7):
                with self.subTest(leaf=leaf, n=n):
                    said, profile = self.profile(leaf, n)
                    self.assertEqual(profile["interface"], "MPI")
                    sent = expected(n)
                    self.assertEqual({(source, to): (count, size) for source, to, count, size in profile["pairs"]["send"]}, sent)
                    first = (n + 1) // 2  # so many ranks are on the first host
                    over = [of for (source, to), of in sent.items() if (source < first) != (to < first)]
                    here = [of for (source, to), of in sent.items() if (source < first) == (to < first)]
                    self.assertEqual(sums(profile["ways"], "network"), tuple(map(sum, zip(*over))))
                    self.assertEqual(sums(profile["ways"], "box", "queue", "one copy", "two copies"),
                                     tuple(map(sum, zip(*here))) or (0, 0))
                    self.assertIn("network: ", said)
                    # The last rank slept before its last message to rank 0, which is on the other host.
                    late = {(waiting, sender): seconds for waiting, sender, _, seconds in profile["late_senders"]}
                    self.assertGreaterEqual(late[0, n - 1], 0.03)
                    self.assertEqual([pe["end"] for pe in profile["pes"]], ["finalized"] * n)

    def test_windows(self):
        """Counted by who calls, whether the target is on the same host or not."""
        for leaf in LEAVES:
            for n in (2, 3):
                with self.subTest(leaf=leaf, n=n):
                    said, profile = self.profile(leaf, n, "profile_windows_known")
                    table = next(each for each in profile["windows"] if each["label"] == "table")
                    self.assertEqual((table["members"], table["bytes"]), (n, 1024 * n))
                    ring = [[rank, (rank + 1) % n] for rank in range(n)]
                    self.assertEqual(sorted(table["moved"]["put"]), [pair + [5, 320] for pair in ring])
                    self.assertEqual(sorted(table["moved"]["get"]), [pair + [3, 96] for pair in ring])
                    self.assertEqual(sorted(table["moved"]["accumulate"]), [[rank, 0, 3, 48] for rank in range(n)])
                    # All waited for the lock that the last rank had.
                    waited = {row[0]: row[3] for row in table["waited"]["lock"] if row[1] == 0}
                    for rank in range(n - 1):
                        self.assertGreaterEqual(waited[rank], 0.03)
                    self.assertRegex(said, r"\ntable ")


if __name__ == "__main__":
    run_tests()
