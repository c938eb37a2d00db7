#!/usr/bin/env python3
"""A program of OpenMP as it was built before anybody thought of Weft, and one by the wrapper, with an installation.

usage: openmp_test.py [CASE]       the prefix is in WEFT_TEST_PREFIX
"""

import os
import shutil
import sys

import install_test
from install_test import PREFIX, SANITIZED, Installed, need


class OpenMp(Installed):
    def has_sum(self, *compiler):
        if SANITIZED:
            self.skipTest("a sanitizer wants to be loaded first")
        need("gcc")
        self.write("sum.c", """
#include <omp.h>
#include <stdio.h>
static long counted;
int main(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long k = 0; k < 1000; ++k) sum += k;
#pragma omp parallel
  {
#pragma omp critical
    counted += 1;
  }
  printf("%ld by %ld of %d\\n", sum, counted, omp_get_max_threads());
  return 0;
}
""")
        self.environment["OMP_NUM_THREADS"] = "4"
        self.run_command(*compiler, "-O2", "sum.c", "-o", "sum")

    def is_one_program(self, *command):
        done = self.run_command(*command)
        self.assertEqual(done.stdout, "499500 by 4 of 4\n", command)
        several = command[0] != "./sum" and command[2] != "1"
        faster = r"weft: process 0: OpenMP: \d processes are on one machine, .*\n" if several else ""
        self.assertRegex(done.stderr, f"^{faster}$", command)

    def test_an_unchanged_program(self):
        self.has_sum("gcc", "-fopenmp")
        for launcher in ((), ("weftrun", "-n", "1"), ("weftrun", "-n", "2"), ("oshrun", "-n", "3")):
            self.is_one_program(*launcher, "./sum")

    def test_the_wrapper_and_clang(self):
        compilers = [("weft-ompcc",)]
        if shutil.which("clang") and os.path.isabs(self.run_command("clang", "-print-file-name=libomp.so").stdout):
            compilers.append(("clang", "-fopenmp"))
        for compiler in compilers:
            with self.subTest(compiler=compiler):
                self.has_sum(*compiler)
                for launcher in ((), ("weftrun", "-n", "2")):
                    self.is_one_program(*launcher, "./sum")

    def test_another_installation_in_the_environment(self):
        """Its folder of libraries, as a module file may leave it there: the launcher's own is the one."""
        (self.folder / "other").mkdir()
        (self.folder / "other/libweft_omp.so.0").write_text("of another installation")
        self.environment["LD_LIBRARY_PATH"] = str(self.folder / "other")
        self.has_sum("gcc", "-fopenmp")
        self.is_one_program("weftrun", "-n", "2", "./sum")

    def test_moved(self):
        """To a folder with a blank in its path, which LD_PRELOAD does not take."""
        moved = self.folder / "another place"
        shutil.copytree(PREFIX, moved, symlinks=True)
        self.environment["PATH"] = f"{moved / 'bin'}:{os.environ['PATH']}"
        self.has_sum("gcc", "-fopenmp")
        self.is_one_program("oshrun", "-n", "2", "./sum")


if __name__ == "__main__":
    sys.exit(install_test.main())
