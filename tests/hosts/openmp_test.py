#!/usr/bin/env python3
"""Programs of OpenMP, and what agents find beside oshrun, on several hosts.

usage: openmp_test.py BUILD [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
PROGRAMS = BUILD / "tests/openmp"
# Without it a program's atomic instructions cannot be carried out at their words' homes.
DECODES = (BUILD / "lib/libweft_decode.so").exists()


def run(*words, hosts=2, threads=4, **more):
    names = ",".join(f"node{k + 1}" for k in range(hosts))
    env = dict(os.environ, OMP_NUM_THREADS=str(threads)) | more
    with Hosts(hosts) as there:
        return there.run(1, [BUILD / "bin/oshrun", "--hosts", names, *words], env=env, timeout=240,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class OpenMp(unittest.TestCase):
    def is_right(self, *words, **shape):
        program = PROGRAMS / words[-1]
        if not program.exists():
            self.skipTest(f"{program.name} was not built")
        done = run(*words[:-1], program, **shape)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("all is right", done.stdout)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_programs_are_one_on_several_hosts(self):
        for program in ("pages", "laplace", "host", "threads", "tasks", "classes", "fortran"):
            with self.subTest(program=program):
                self.is_right("-n", "2", f"openmp_{program}")

    # With one and several threads of each, and so many that barriers are process 0's.
    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_what_orders_is_seen_in_its_order(self):
        for hosts, threads in ((2, 2), (2, 4), (3, 3), (4, 6), (5, 5)):
            with self.subTest(hosts=hosts, threads=threads):
                self.is_right("-n", str(hosts), "openmp_order", hosts=hosts, threads=threads)

    # By a file, as hosts share them: what a thread only reads by loads is what this is about.
    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_barriers_hold_nobody_off(self):
        with tempfile.TemporaryDirectory() as folder:
            program = PROGRAMS / "openmp_held_off"
            done = run("-n", "3", program, f"{folder}/begin", hosts=3, threads=3) if program.exists() else None
            self.assertTrue(done is None or done.returncode == 0 and "all is right" in done.stdout, done and done.stdout)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_no_operation_on_a_word_is_lost(self):
        for hosts, threads in ((2, 2), (2, 4), (3, 3)):
            with self.subTest(hosts=hosts, threads=threads):
                self.is_right("-n", str(hosts), "openmp_reduced", hosts=hosts, threads=threads)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_what_is_done_between_regions_is_there_in_them(self):
        for hosts, threads in ((2, 4), (3, 3)):
            with self.subTest(hosts=hosts, threads=threads):
                self.is_right("-n", str(hosts), "openmp_between", hosts=hosts, threads=threads)

    # Their atomic loads and stores are calls.
    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_what_an_atomic_read_finds_is_told_on(self):
        for hosts, threads in ((2, 2), (3, 3), (3, 6)):
            with self.subTest(hosts=hosts, threads=threads):
                self.is_right("-n", str(hosts), "openmp_chains", hosts=hosts, threads=threads)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_what_a_comparison_finds_is_told_on(self):
        for threads in (3, 6):
            with self.subTest(threads=threads):
                self.is_right("-n", "3", "openmp_found", hosts=3, threads=threads)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_a_lock_is_free_behind_a_barrier(self):
        for hosts, threads in ((2, 2), (3, 3), (4, 4), (5, 5)):
            with self.subTest(hosts=hosts, threads=threads):
                self.is_right("-n", str(hosts), "openmp_tried", hosts=hosts, threads=threads)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_threads_beside_a_team_see_what_it_has_written(self):
        for hosts, threads in ((2, 2), (3, 4), (5, 5)):
            with self.subTest(hosts=hosts, threads=threads):
                self.is_right("-n", str(hosts), "openmp_beside", hosts=hosts, threads=threads)
        for hosts in (2, 3):
            with self.subTest(hosts=hosts):
                self.is_right("-n", str(hosts), "openmp_plainly", hosts=hosts, threads=hosts)
        # From the first one on, in each process that makes any, though it calls nothing of ours; and in no other.
        said = "the program has threads of its own"
        for name, times in (("beside", 2), ("plainly", 1), ("order", 0)):
            program = PROGRAMS / f"openmp_{name}"
            done = run("-n", "2", program, threads=2, SHMEM_DEBUG="1") if program.exists() else None
            self.assertTrue(done is None or done.stdout.count(said) == times, done and done.stdout)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_programs_of_clang_are_one_on_several_hosts(self):
        for program in ("clang", "laplace"):
            with self.subTest(program=program):
                self.is_right("-n", "2", f"by_clang_{program}")

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_three_hosts_and_two_processes_of_one(self):
        self.is_right("-n", "3", "openmp_pages", hosts=3, threads=7)
        self.is_right("-n", "4", "openmp_pages", hosts=2, threads=5)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_what_is_cancelled_is_over_on_all_hosts(self):
        for program, hosts, threads in (("openmp_cancel", 2, 4), ("openmp_cancel", 3, 5), ("by_clang_cancel", 2, 3)):
            with self.subTest(program=program, hosts=hosts):
                self.is_right("-n", str(hosts), program, hosts=hosts, threads=threads, OMP_CANCELLATION="true")

    def test_variables_of_openmp_go_to_all_hosts(self):
        done = run("-n", "2", "/bin/sh", "-c", 'echo "$OMP_SCHEDULE $GOMP_SPINCOUNT $KMP_BLOCKTIME."', OMP_SCHEDULE="guided,3",
                   GOMP_SPINCOUNT="7", KMP_BLOCKTIME="9")
        self.assertEqual((done.returncode, done.stdout), (0, "guided,3 7 9.\n" * 2))

    # Homes that are fixed otherwise: only what was said moves them.
    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_arrays_are_mapped(self):
        program = PROGRAMS / "openmp_mapped"
        if not program.exists():
            self.skipTest("not built")
        sent = {}
        for hosts in (2, 3):
            for mapping in (None, "u: block,*; next_u: like u"):
                more = {"WEFT_OMP_MAP": mapping} if mapping else {}
                done = run("-n", str(hosts), program, hosts=hosts, threads=2 * hosts, WEFT_SHARED_STATS="1", WEFT_SHARED_HOMES="first",
                           **more)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertIn("all is right: 537922856.8, ", done.stdout)
                sent[mapping] = sum(int(n) for n in re.findall(r"(\d+) pages whose changes went home", done.stdout))
            self.assertLess(sent[mapping], sent[None] // 3)
        done = run("-n", "2", program, WEFT_OMP_MAP="v: block")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("process 0: OpenMP: WEFT_OMP_MAP, mapping 1: the program has no static variable v", done.stdout)

    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_a_process_that_ends_ends_all(self):
        program = PROGRAMS / "openmp_ends"
        if not program.exists():
            self.skipTest("not built")
        done = run("-n", "2", program, "exit")
        self.assertEqual(done.returncode, 7, done.stdout)
        done = run("-n", "2", program, "kill")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"PE 1 .*was killed by signal 9")

    # Its threads tell through their hosts' agents. Where a site is, nobody looks up there.
    @unittest.skipUnless(DECODES, "built without Zydis")
    def test_what_is_told_of_threads_that_hang(self):
        program = PROGRAMS / "openmp_hang"
        if not program.exists():
            self.skipTest("not built")
        done = run("-n", "2", "--timeout", "4s", program, "barrier")
        self.assertEqual(done.returncode, 124, done.stdout)
        self.assertRegex(done.stdout, r"threads 0-2 of 4 have waited up to [0-9.]+ s at the barrier at \S+; thread 3 "
                                      r"\(PE 1\) has not reached it\n")
        self.assertRegex(done.stdout, r"thread 3 \(PE 1\) does not wait in OpenMP\n")
        done = run("-n", "2", "--timeout", "4s", program, "circle", threads=2)
        self.assertRegex(done.stdout, r"=> deadlock: thread 0 \(PE 0\) waits for thread 1 \(PE 1\) for the lock at 0x\S+ "
                                      r"at \S+, thread 1 \(PE 1\) waits for thread 0 \(PE 0\) for the lock ")

    def test_agents_find_the_helpers_of_an_installation(self):
        done = run("-n", "2", "--bind-to", "core", "/bin/echo", "bound")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout.count("bound"), 2, done.stdout)


if __name__ == "__main__":
    run_tests()
