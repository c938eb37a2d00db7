"""weft-ompcc, weft-omp++ and weft-ompfort compile programs that run alone and in several processes, by weftrun too."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1))

PROGRAM = """
#include <stdio.h>
int main(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 1; i <= 100; i++) sum += i;
  printf("%ld\\n", sum);
  return 0;
}
"""
# Its second thread, which may be another process's, waits for a word without anything that orders but the read itself.
TOLD = """
#include <stdio.h>
#include <stdlib.h>
static long data[1024], ready[1024];
int main(void) {
  long found = 0;
#pragma omp parallel num_threads(2) reduction(+ : found)
  {
#pragma omp for schedule(static)
    for (int k = 0; k < 2; k++) {
      if (k == 0) {
        data[512] = 5050;
#pragma omp atomic write release
        ready[0] = 1;
      } else {
        long seen = 0;
        while (seen == 0) {
#pragma omp atomic read acquire
          seen = ready[0];
        }
        found = data[512];
      }
    }
  }
  printf("%ld\\n", found);
  return 0;
}
"""
FORTRAN = """
program add
  integer :: i, total
  total = 0
  !$omp parallel do reduction(+:total)
  do i = 1, 100
    total = total + i
  end do
  print '(i0)', total
end program
"""


class Wrappers(unittest.TestCase):
    def run_it(self, *words, **more):
        clean = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX", "FC")} | more
        return subprocess.run([str(w) for w in words], cwd=self.folder, env=clean, text=True, capture_output=True, timeout=60,
                              check=False)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile_and_run(self, wrapper, name, text, library="libgomp.so.1", options=(), **more):
        (self.folder / name).write_text(text, encoding="utf-8")
        built = self.run_it(BIN / wrapper, "-O2", *options, name, "-o", "prog", **more)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn(f"weft/openmp/{library}", self.run_it("ldd", "prog").stdout)
        for words in (["./prog"], [BIN / "weftrun", "-n", "2", "./prog"], [BIN / "oshrun", "-n", "3", "./prog"]):
            ran = self.run_it(*words)
            self.assertEqual((ran.returncode, ran.stdout), (0, "5050\n"), ran.stderr)

    def test_c(self):
        self.compile_and_run("weft-ompcc", "prog.c", PROGRAM)

    @unittest.skipIf("/" not in subprocess.run(["gcc", "-fno-inline-atomics", "-print-file-name=libatomic.so"], capture_output=True,
                                               text=True, check=False).stdout, "no gcc with libatomic")
    def test_atomics_are_calls(self):
        for options in ((), ("-flto",), ("-shared-libgcc", "-O0")):
            self.compile_and_run("weft-ompcc", "prog.c", TOLD, options=options)
            self.assertIn("__atomic_load_8", self.run_it("nm", "-D", "prog").stdout)
        ran = self.run_it(BIN / "oshrun", "-n", "2", "./prog", WEFT_SHARED_BY="pages")
        self.assertEqual((ran.returncode, ran.stdout), (0, "5050\n"), ran.stderr)
        # Who wants the processor's instructions says so.
        self.compile_and_run("weft-ompcc", "prog.c", TOLD, options=("-finline-atomics",))
        self.assertNotIn("__atomic", self.run_it("nm", "-D", "prog").stdout)

    def test_simd_only(self):
        """The compiler's own link of it needs no library, and oshrun would not know it."""
        text = PROGRAM.replace("parallel for", "simd")
        self.compile_and_run("weft-ompcc", "prog.c", text)
        self.compile_and_run("weft-omp++", "prog.cpp", text)

    def test_cxx(self):
        self.compile_and_run("weft-omp++", "prog.cpp", PROGRAM)

    @unittest.skipIf(subprocess.run("clang -fopenmp -include omp.h -x c -fsyntax-only /dev/null", shell=True, capture_output=True,
                                    check=False).returncode, "no clang with OpenMP")
    def test_clang(self):
        self.compile_and_run("weft-ompcc", "prog.c", PROGRAM, "libomp.so.5", WEFT_CC="clang")
        self.compile_and_run("weft-omp++", "prog.cpp", PROGRAM, "libomp.so.5", WEFT_CXX="clang++")

    @unittest.skipIf(subprocess.run(["which", "gfortran"], capture_output=True, check=False).returncode, "no gfortran")
    def test_fortran(self):
        self.compile_and_run("weft-ompfort", "prog.f90", FORTRAN)

    def test_show(self):
        shown = self.run_it(BIN / "weft-ompcc", "--showme", "prog.c").stdout
        self.assertIn(" -fopenmp ", shown)
        self.assertNotIn("-fno-inline-atomics", self.run_it(BIN / "weft-ompcc", "--showme", "prog.c", WEFT_CC="clang").stdout)
        self.assertIn("weft-ompcc: --safe is for oshcc", self.run_it(BIN / "weft-ompcc", "--safe", "prog.c").stderr)


if __name__ == "__main__":
    unittest.main()
