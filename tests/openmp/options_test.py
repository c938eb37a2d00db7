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

    def test_wrong_variables_are_told_once(self):
        wrong = {"OMP_NUM_THREADS": "x", "OMP_PLACES": "planets"}
        for way in WAYS:
            ran = self.run_it("-n", "3", WHERE, WEFT_SHARED_BY=way, OMP_DISPLAY_ENV="true", **wrong)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            for line in [f"libgomp: Invalid value for environment variable {name}" for name in wrong] + ["OPENMP DISPLAY ENVIRONMENT BEGIN"]:
                self.assertEqual(ran.stderr.count(line), 1, ran.stderr)
        apart = self.run_it("-n", "2", WHERE, WEFT_OPENMP="apart", **wrong)
        self.assertEqual(apart.stderr.count("variable OMP_PLACES"), 2, apart.stderr)

    def test_a_library_that_is_linked_in(self):
        source = "#include <stdio.h>\nint main(void) {\n#pragma omp parallel\n#pragma omp single\nputs(\"ran\");\n}\n"
        with tempfile.TemporaryDirectory() as folder:
            for flags in (["-static"], ["-static-libgcc", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic"]):
                words = ["gcc", "-xc", "-", "-o", f"{folder}/linked", "-fopenmp", *flags]
                if subprocess.run(words, input=source, text=True, capture_output=True, check=False).returncode != 0:
                    self.skipTest("no gcc with libraries to link in")
                ran = self.run_it("-n", "2", f"{folder}/linked")
                self.assertEqual((ran.returncode, ran.stdout), (126, ""), flags)
                self.assertIn("an OpenMP library is linked into it, which knows of one process", ran.stderr)
                self.assertEqual(len(ran.stderr.splitlines()), 1, ran.stderr)
                self.assertEqual(self.run_it("-n", "2", f"{folder}/linked", WEFT_OPENMP="apart").stdout, "ran\n" * 2)
                self.assertEqual(self.run_it("-n", "1", f"{folder}/linked").stdout, "ran\n")

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
