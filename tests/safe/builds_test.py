#!/usr/bin/env python3
"""The ways into safe mode, and its work beside sanitizers and valgrind.

usage: builds_test.py [CASE]       the build tree is in WEFT_TEST_BUILD
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["WEFT_TEST_BUILD"])
TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PLACES = (BUILD / "libexec/weft/weft-where").exists()
PLAIN = {name: value for name, value in os.environ.items() if name not in ("SHMEM_DEBUG", "SMA_DEBUG")}
REPORT = "runs 8 bytes past the end of the block of 80 bytes"

CHILD_C = r"""
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  shmem_init();
  printf("%s %d\n", argv[0], argc);
  fflush(stdout);
  int code = system("test -z \"$LD_PRELOAD\" && test -z \"$WEFT_PRELOADED\" && echo clean");
  shmem_finalize();
  return code;
}
"""
DLOPEN_C = r"""
#include <dlfcn.h>
int main(int argc, char** argv) {
  (void)argc;
  void* library = dlopen(argv[1], RTLD_NOW);
  ((void (*)(void))dlsym(library, "shmem_init"))();
  return 0;
}
"""
MODULE_C = r"""
#include <shmem.h>
int run(void) {
  shmem_init();
  long* block = shmem_malloc(10 * sizeof(long));
  long here[11] = {0};
  shmem_long_put(block, here, 11, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_finalize();
  return 0;
}
"""
HOST_C = r"""
#include <dlfcn.h>
int main(int argc, char** argv) {
  (void)argc;
  void* module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  return ((int (*)(void))dlsym(module, "run"))();
}
"""
HOST_PY = "import ctypes, sys; sys.exit(ctypes.CDLL(sys.argv[1]).run())"
FULL_C = r"""
#include <shmem.h>
#include <stdio.h>
int main(void) {
  shmem_init();
  char* first = shmem_malloc(700 << 10);
  char* second = shmem_malloc(400 << 10);
  char* third = shmem_calloc(300, 1 << 10);
  char* grown = shmem_realloc(third, 400 << 10);
  char* moved = shmem_realloc(third, 200 << 10);
  for (int k = 0; k < 5; ++k) {
    char* again = shmem_malloc(100 << 10);
    if (again == NULL) puts("none again");
    shmem_free(again);
  }
  printf("%d %d %d %d %d\n", first != NULL, second != NULL, third != NULL, grown != NULL, moved != NULL);
  shmem_finalize();
  return 0;
}
"""
DEFAULTS_CPP = r"""
#include <cstdio>
#include "base/options.hpp"
int main() {
  using weft::base::parse_debug;
  std::printf("%d %d %d\n", parse_debug(nullptr).check, parse_debug("1").check, parse_debug("unchecked").check);
}
"""
OVERRUN_F = """
program overrun
  use shmem
  implicit none
  integer, save :: table(4)
  integer :: mine(5)
  call shmem_init()
  mine = 1
  call shmem_put32(table, mine, 5, mod(shmem_my_pe() + 1, shmem_n_pes()))
  call shmem_finalize()
end program
"""


class Safe(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.top = pathlib.Path(self.folder.name)

    def compile(self, source, *flags, compiler="oshcc", name="program"):
        if isinstance(source, str):
            path = self.top / (name + (".f90" if compiler == "oshfort" else ".c"))
            path.write_text(source)
            source = path
        target = self.top / name
        if compiler.startswith("osh"):
            compiler = BUILD / "bin" / compiler
        done = subprocess.run([compiler, "-g", *flags, source, "-o", target], capture_output=True,
                              text=True, check=False, timeout=120)
        if done.returncode != 0:
            raise unittest.SkipTest(done.stderr[-300:])
        return str(target)

    def run_it(self, *command, limit=60, **environment):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=limit,
                              env=PLAIN | environment, cwd=self.top)
        return done.returncode, done.stdout, done.stderr

    def oshrun(self, *words, **more):
        return self.run_it(BUILD / "bin/oshrun", *words, **more)

    def test_oshrun_safe(self):
        program = self.compile(PROGRAMS / "overrun_put.c", "-O2")
        self.assertEqual(self.oshrun("-n", 2, program)[0], 0, "a mistake that has no effect by itself")
        code, _, said = self.oshrun("--safe", "-n", 2, program)
        self.assertNotEqual(code, 0)
        self.assertIn(REPORT, said)
        if PLACES:
            self.assertIn("(called in main at overrun_put.c:13)", said)

    def test_without_oshrun(self):
        program = self.compile(PROGRAMS / "overrun_put.c", "-O2")
        code, _, said = self.run_it(program, SHMEM_DEBUG="check")
        self.assertNotEqual(code, 0)
        self.assertIn(REPORT, said)
        code, _, said = self.run_it(program, SMA_DEBUG="check,continue")
        self.assertEqual(code, 0)
        self.assertIn(REPORT, said)

    def test_program_and_its_children_see_nothing_of_it(self):
        program = self.compile(CHILD_C)
        code, out, said = self.run_it("bash", "-c", f"exec -a other {program} 1 2", SHMEM_DEBUG="check")
        self.assertEqual((code, out, said), (0, "other 3\nclean\n", ""))
        code, out, said = self.oshrun("-n", 2, "sh", "-c", f"echo shell; {program} 1", SHMEM_DEBUG="check")
        self.assertEqual((code, said), (0, ""))
        self.assertEqual(sorted(out.split("\n")), sorted(["", *2 * ["shell", f"{program} 2", "clean"]]))

    def test_only_mangled_names_are_demangled(self):
        """By weft-where, which names variables for the hang report too."""
        if not PLACES:
            self.skipTest("no weft-where")
        program = self.compile(PROGRAMS / "one_letter.c")
        symbols = [line.split() for line in self.run_it("nm", "-P", program)[1].splitlines()]
        at = {words[0]: words[2] for words in symbols if len(words) == 4}
        code, out, said = self.run_it(BUILD / "libexec/weft/weft-where", "-e", program, at["x"], at["l"])
        self.assertEqual((code, out, said), (0, "x\nl\n", ""))

    def test_lines_are_found_without_a_table_of_addresses(self):
        """clang writes none."""
        if not PLACES:
            self.skipTest("no weft-where")
        program = self.compile(PROGRAMS / "one_letter.c", "-g")
        self.assertEqual(self.run_it("objcopy", "--remove-section=.debug_aranges", program)[0], 0)
        symbols = [line.split() for line in self.run_it("nm", "-P", program)[1].splitlines()]
        main = next(words[2] for words in symbols if words[:2] == ["main", "T"])
        code, out, said = self.run_it(BUILD / "libexec/weft/weft-where", "-e", program, f"{int(main, 16) + 4:x}")
        self.assertEqual((code, said), (0, ""))
        self.assertRegex(out, r"^main at one_letter\.c:[0-9]+\n$")

    def test_the_heap_ends_where_it_was_asked_to(self):
        """Although safe mode's own is larger."""
        program = self.compile(FULL_C)
        for options in ([], ["--safe"]):
            code, out, said = self.oshrun(*options, "-n", 2, program, SHMEM_SYMMETRIC_SIZE="1M")
            self.assertEqual((code, out), (0, 2 * "1 0 1 0 1\n"), said)
        self.assertIn("note: shmem_malloc: no room for 409600 bytes: blocks of the program take 716800 of the 1048576 bytes "
                      "of SHMEM_SYMMETRIC_SIZE", said)

    def test_built_in(self):
        program = self.compile(PROGRAMS / "overrun_put.c", "--safe", "-O2")
        code, _, said = self.oshrun("-n", 2, program)
        self.assertNotEqual(code, 0)
        self.assertIn(REPORT, said)

    def test_weft_safe(self):
        """cmake -DWEFT_SAFE=ON: what the library makes of no variable, and of some."""
        source = self.top / "defaults.cpp"
        source.write_text(DEFAULTS_CPP)
        for defined, expected in (("WEFT_SAFE=1", "1 1 0"), ("OTHER", "0 0 0")):
            subprocess.run(["c++", "-std=c++20", f"-I{TOP}/src", f"-I{TOP}", f"-D{defined}", "-DWEFT_BUILT_DEFAULTS=",
                            '-DWEFT_VERSION="0"', *map(str, (TOP / "src/base").glob("*.cpp")), source, "-o",
                            self.top / "defaults"], check=True, timeout=300)
            self.assertEqual(self.run_it(self.top / "defaults")[1].strip(), expected)

    def test_fortran(self):
        if not shutil.which("gfortran"):
            self.skipTest("no gfortran")
        program = self.compile(OVERRUN_F, compiler="oshfort", name="overrun")
        code, _, said = self.oshrun("--safe", "-n", 2, program)
        self.assertNotEqual(code, 0)
        self.assertIn("dest, 20 bytes at 0x", said)
        self.assertIn("runs 4 bytes past the end of the variable table", said)
        if PLACES:
            self.assertIn("at overrun.f90:9)", said)

    def test_says_where_it_cannot_be(self):
        program = self.compile(DLOPEN_C, name="loads")
        code, _, said = self.run_it(program, BUILD / "lib/libweft.so.0", SHMEM_DEBUG="check")
        self.assertNotEqual(code, 0)
        self.assertIn("SHMEM_DEBUG=check: libweft.so was loaded by a program that runs (dlopen); start it with LD_PRELOAD=",
                      said)
        check = str(BUILD / "lib/libweft_check.so")
        code, _, said = self.run_it(program, BUILD / "lib/libweft.so.0", LD_PRELOAD=check)
        self.assertEqual((code, said.strip()), (0, "weft: shmem_init: libweft_check.so is loaded and sees no call: the "
                         "program looks routines up in libweft.so itself (dlsym); let it open libweft_check.so instead"))
        code, _, said = self.run_it(program, check, LD_PRELOAD=check)
        self.assertEqual((code, said), (0, ""))

    def test_a_module(self):
        """That a program loads while it runs, as Python does: what the message says, done."""
        module = self.compile(MODULE_C, "-shared", "-fPIC", name="module.so")
        hosts = ([self.compile(HOST_C, name="host", compiler="cc")], [sys.executable, "-c", HOST_PY])
        for host in hosts:
            code, _, said = self.run_it(*host, module, SHMEM_DEBUG="check")
            self.assertNotEqual(code, 0)
            preload = re.search(r"start it with LD_PRELOAD=(\S+),", said).group(1)
            for start in ([], [BUILD / "bin/oshrun", "-n", 2]):
                code, _, said = self.run_it(*start, *host, module, SHMEM_DEBUG="check", LD_PRELOAD=preload)
                self.assertNotEqual(code, 0)
                self.assertIn(REPORT, said)
                if PLACES:
                    self.assertIn("(called in run at module.so.c:7)", said)

    def test_says_that_its_library_is_missing(self):
        program = self.compile(PROGRAMS / "overrun_put.c")
        for library in (BUILD / "lib").glob("libweft*.so.0*"):  # the core too, whose folder tools lie in
            shutil.copy(library, self.top)
        code, _, said = self.run_it(program, SHMEM_DEBUG="check", LD_LIBRARY_PATH=str(self.top))
        self.assertNotEqual(code, 0)
        self.assertIn(f"SHMEM_DEBUG=check: {self.top}/libweft_check.so is not there; install Weft anew, or unset it", said)

    def test_address_sanitizer(self):
        program = self.compile(PROGRAMS / "overrun_store.c", "-fsanitize=address")
        code, _, said = self.oshrun("--safe", "-n", 2, program)
        self.assertNotEqual(code, 0)
        self.assertIn("AddressSanitizer: use-after-poison", said)
        self.assertIn("overrun_store.c:10", said)
        program = self.compile(PROGRAMS / "freed_store.c", "-fsanitize=address", name="freed")
        self.assertIn("freed_store.c:12", self.oshrun("--safe", "-n", 2, program)[2])

    def test_valgrind(self):
        if not shutil.which("valgrind"):
            self.skipTest("no valgrind")
        program = self.compile(PROGRAMS / "overrun_store.c", "--safe")
        _, _, said = self.oshrun("-n", 1, "valgrind", "-q", program, limit=300)
        if re.search("debuginfo reader.* failed", said):
            self.skipTest("this valgrind cannot read what the libraries' compiler writes (clang: DWARF 5)")
        self.assertIn("Invalid write of size 4", said)
        self.assertIn("overrun_store.c:10", said)
        self.assertNotIn("WARNING", said)
        program = self.compile(PROGRAMS / "overrun_put.c", name="plain")
        code, _, said = self.run_it("valgrind", "-q", program, limit=300, SHMEM_DEBUG="check")
        self.assertNotEqual(code, 0)
        self.assertIn("SHMEM_DEBUG=check: valgrind would not follow; start it with LD_PRELOAD=", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
