"""oshrun's options for programs of OpenMP: how many threads each process has, and where arrays are at home."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1))
WHERE = sys.argv.pop(1)
MAPPED = sys.argv.pop(1)
# Without it a program cannot have copies of pages.
WAYS = ("memory", "pages") if MAPPED != "none" else ("memory",)


class Options(unittest.TestCase):
    def run_it(self, *words, **more):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "WEFT_OMP"))}
        return subprocess.run([BIN / "oshrun", *words], env=clean | more, capture_output=True, text=True, timeout=120, check=False)

    def says(self, wanted, *words, **more):
        ran = self.run_it(*words, WHERE, **more)
        self.assertEqual((ran.returncode, sorted(ran.stdout.splitlines())), (0, wanted), ran.stderr)

    def test_threads_of_each_process(self):
        for way in WAYS:
            with self.subTest(way=way):
                self.says(["6 threads: 3 3; inner regions have 1"], "-n", "2", "--threads", "3", WEFT_SHARED_BY=way)
                self.says(["3 threads: 1 1 1; inner regions have 1"], "-n", "3", "--threads=1", WEFT_SHARED_BY=way)
                # What OMP_NUM_THREADS says of all threads gives way, of inner regions it stays.
                self.says(["4 threads: 2 2; inner regions have 3"], "-n", "2", "--threads", "2", WEFT_SHARED_BY=way, OMP_NUM_THREADS="7,3")
                self.says(["4 threads: 2 2; inner regions have 1"], "-n", "2", WEFT_SHARED_BY=way, OMP_NUM_THREADS="4")
                self.says(["4 threads: 2 2; inner regions have 1"], "-n", "2", WEFT_SHARED_BY=way, WEFT_OMP_THREADS="2")

    @unittest.skipIf(os.path.exists("/sys/devices/system/node/node1"), "several processes are for several nodes of memory")
    def test_threads_are_faster(self):
        line = "weft: process 0: OpenMP: 3 processes are on one machine, where one with as many threads is faster"
        self.assertEqual(self.run_it("-n", "3", WHERE).stderr.count(line), 1)
        for way in WAYS:
            self.assertNotIn("faster", self.run_it("-n", "3", WHERE, WEFT_SHARED_BY=way).stderr)
        self.assertNotIn("faster", self.run_it("-n", "1", WHERE).stderr)

    def test_threads_of_programs_by_themselves(self):
        self.says(["3 threads: 3; inner regions have 1"] * 2, "-n", "2", "--threads", "3", WEFT_OPENMP="apart")
        self.says(["5 threads: 5; inner regions have 1"], "-n", "1", "--threads", "5")

    def test_wrong_numbers(self):
        for words in (["0"], ["many"], ["9999"]):
            ran = self.run_it("-n", "2", "--threads", *words, WHERE)
            self.assertEqual(ran.returncode, 2)
            self.assertIn(f"--threads {words[0]}: give a whole number from 1 to ", ran.stderr)
        ran = self.run_it("-n", "2", WHERE, WEFT_OMP_THREADS="0")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("OpenMP: WEFT_OMP_THREADS=0: give a whole number from 1 to 4096, or auto", ran.stderr)

    @unittest.skipUnless(MAPPED != "none", "built without Zydis")
    def test_mappings(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "my.map").write_text("u: block,*\n")
            for words in (["--map", "u: block,*"], [f"--map={os.path.relpath(folder)}/my.map", "--wdir", "/"]):
                ran = self.run_it("-n", "2", "--threads", "1", *words, MAPPED, WEFT_SHARED_BY="pages", SHMEM_DEBUG="1")
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertRegex(ran.stderr, r": u \(block,\*\): \d+ to \d+ of its \d+ pages at each of 2 processes")
            ran = self.run_it("-n", "2", "--map", "none.map", MAPPED, WEFT_SHARED_BY="pages")
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn("WEFT_OMP_MAP=none.map cannot be read", ran.stderr)


if __name__ == "__main__":
    unittest.main()
