#!/usr/bin/env python3
"""Memory that PEs of several hosts share by pages, over each network.

usage: shared_test.py BUILD [unittest's arguments]
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
LIMIT = 120  # seconds for one job
LEAVES = [leaf for leaf in ("tcp", "ofi") if (BUILD / f"lib/libweft_{leaf}.so").exists()]


class SharedPages(unittest.TestCase):
    def run_program(self, hosts, pes, *program, code=0, launch=lambda leaf: [], **environment):
        self.assertTrue(LEAVES, "no network was built")
        said = []
        for leaf in LEAVES:
            with self.subTest(leaf=leaf, pes=pes, hosts=hosts), Hosts(hosts) as there:
                names = ",".join(f"node{k + 1}" for k in range(hosts))
                done = there.run(1, [BUILD / "bin/oshrun", "-n", str(pes), "--hosts", names, *launch(leaf),
                                     BUILD / "tests/shared" / f"shared_{program[0]}", *map(str, program[1:])],
                                 env={**os.environ, "WEFT_NET": leaf, "SHMEM_SYMMETRIC_SIZE": "4M", **environment},
                                 timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
                (self.assertEqual if code == 0 else self.assertNotEqual)(done.returncode, 0, done.stdout)
                said.append(done.stdout)
        return said

    def test_memory(self):
        self.run_program(2, 2, "memory")
        self.run_program(2, 3, "memory")

    def test_order(self):
        self.run_program(2, 2, "order")
        self.run_program(3, 4, "order")

    def test_words(self):
        self.run_program(2, 3, "words")
        self.run_program(2, 3, "pairs")

    def test_requests_for_locks(self):
        self.run_program(2, 3, "requests")

    def test_system_calls(self):
        if (BUILD / "tests/shared/shared_calls").exists():  # not with sanitizers
            self.run_program(2, 2, "calls")
            self.run_program(3, 4, "calls")

    def test_again_and_beside_openshmem(self):
        self.run_program(2, 2, "again")
        self.run_program(2, 3, "beside")
        self.run_program(2, 2, "beside", "first")

    def test_homes(self):
        self.run_program(2, 3, "homes")

    def test_homes_that_move(self):
        for hosts, pes in ((2, 2), (2, 3), (3, 4)):
            self.run_program(hosts, pes, "moves")
        self.run_program(2, 3, "moves", WEFT_SHARED_CACHE="64k")

    def test_what_neighbours_read(self):
        for pes in (2, 3):
            with tempfile.TemporaryDirectory(prefix="weft-shared-test-") as place:
                # Of each network its own, as a folder for a profile has to be new.
                self.run_program(pes, pes, "borders", "counts", launch=lambda leaf, at=place: [f"--profile={at}/{leaf}"])
                for leaf in LEAVES:
                    with self.subTest(leaf=leaf, pes=pes):
                        told = json.loads(Path(place, leaf, "profile.json").read_text(encoding="utf-8"))["shared_pages"]["pes"]
                        self.assertEqual(len(told), pes)
                        for each in told:
                            self.assertGreater(each["pushed"], 0, each)
                            self.assertLessEqual(each["pushed"], each["refreshed"], each)
        self.run_program(2, 4, "borders")

    def test_changed_and_changed_back(self):
        for hosts, pes in ((2, 2), (2, 3), (3, 3)):
            self.run_program(hosts, pes, "toggle", 8)

    def test_nothing_is_sent_twice(self):
        self.run_program(2, 2, "dropped")

    def test_memory_is_made_beforehand(self):
        self.run_program(2, 2, "beforehand")
        self.run_program(2, 2, "beforehand", "old")

    def test_waits_without_calls(self):
        self.run_program(2, 2, "spin")

    def test_random_programs(self):
        for hosts, pes, threads in ((2, 2, 1), (2, 3, 2), (3, 4, 1), (3, 7, 1)):
            self.run_program(hosts, pes, "random", 4, threads, hosts * 100 + pes)

    def test_blocks_come_and_go(self):
        self.run_program(2, 3, "storm")
        self.run_program(3, 3, "storm", 100, 8, WEFT_SHARED_SIZE="1M")

    def test_few_copies(self):
        self.run_program(2, 3, "cache", WEFT_SHARED_CACHE="64k")
        self.run_program(2, 3, "random", 2, 2, 31, WEFT_SHARED_CACHE="32k")

    def test_mistakes(self):
        for said in self.run_program(2, 2, "errors", "twice", code=1):
            self.assertRegex(said, r"PE 0: weft_shared_free: 0x[0-9a-f]+ was given back already")
        for said in self.run_program(2, 2, "errors", "other's", code=1):
            self.assertRegex(said, r"PE 1: weft_shared_unlock: lock: PE 0 holds the lock at 0x[0-9a-f]+")
        for said in self.run_program(2, 2, "errors", code=1, WEFT_SHARED_BY="memory"):
            self.assertRegex(said, r"weft_shared_init: the PEs are on 2 machines, which have no memory together")

    def test_safe_mode(self):
        safe = {"SHMEM_DEBUG": "check"}
        self.run_program(3, 4, "closed", "right", 60, **safe)
        self.run_program(2, 3, "random", 2, 2, 77, **safe)
        unused = r"an access to shared memory at 0x[0-9a-f]+ where nothing is in use: "
        for said in self.run_program(3, 3, "closed", "other's", code=1, **safe):
            self.assertRegex(said, rf"PE 0: {unused}PE 2 gave back the block of 20000 bytes at 0x[0-9a-f]+")
        for said in self.run_program(3, 3, "closed", "end", code=1, **safe):
            self.assertRegex(said, rf"PE 2: {unused}it is 0 bytes past the end of the block of 10000 bytes at 0x[0-9a-f]+")
        for said in self.run_program(2, 2, "closed", "lock", code=1, **safe):
            self.assertRegex(said, r"weft_shared_lock: lock: nothing is in use at 0x[0-9a-f]+: PE 0 gave back the block")


if __name__ == "__main__":
    run_tests()
