#!/usr/bin/env python3
"""What weft-info tells of a program is what oshrun makes of it.

usage: program_test.py BIN COMPILER [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN, COMPILER = Path(sys.argv.pop(1)), sys.argv.pop(1)
SUM = """
#include <stdio.h>
int %s(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 1; i <= 100; i++) sum += i;
  return printf("sum %%ld\\n", sum) < 0;
}
"""


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=60, check=False)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def make(self, name, *options, text=SUM % "main"):
        (self.folder / f"{name}.c").write_text(text)
        done = run(COMPILER, self.folder / f"{name}.c", "-o", self.folder / name, "-L", self.folder, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / name

    def tell(self, program, code=0, **environment):
        done = run(BIN / "weft-info", program, **environment)
        self.assertEqual((done.returncode, done.stderr if code == 0 else done.stdout), (code, ""))
        return re.sub(r"\n {10,}", " ", done.stdout) if code == 0 else done.stderr  # long lines in one

    def test_one_program(self):
        program = self.make("one", "-fopenmp", "-no-pie", "-Wl,--build-id=0x0badcafe")
        said = self.tell(program)
        for line in (r"kind +executable at fixed addresses", "build-id +0badcafe$", r"compilers +GCC: ",
                     r"written for +OpenMP \(libgomp.so.1\)$", "on any hosts +one program$"):
            self.assertRegex(said, re.compile(line, re.MULTILINE))
        jumps, traps = re.search(r"on several hosts: jumps (\d+), traps (\d+)$", said, re.MULTILINE).groups()
        done = run(BIN / "oshrun", "-n", 2, program, WEFT_SHARED_BY="pages", SHMEM_DEBUG="1", OMP_NUM_THREADS="2")
        self.assertEqual((done.returncode, done.stdout), (0, "sum 5050\n"))
        self.assertIn(f"OpenMP: atomic instructions: {jumps} are calls, {traps} traps", done.stderr)

    def test_what_is_no_program_on_several_hosts(self):
        program = self.make("norelro", "-fopenmp", "-Wl,-z,norelro")
        self.assertRegex(self.tell(program), r"on one host +one program\n +on several +does not run: it is linked without RELRO; link")
        done = run(BIN / "oshrun", "-n", 2, program, WEFT_SHARED_BY="pages", OMP_NUM_THREADS="2")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("without RELRO", done.stderr)

    def test_what_does_not_run(self):
        library = run(COMPILER, "-print-file-name=libgomp.so.1").stdout.strip()
        rpath = self.make("rpath", "-fopenmp", f"-Wl,--disable-new-dtags,-rpath,{Path(library).resolve().parent}")
        own = self.make("own", "-fopenmp", text=SUM % "main" + "void* malloc(unsigned long n) { return (void*)(n * 0); }")
        for program, why in ((rpath, r"RPATH.*libgomp.so.1, which knows of one process; take"), (own, "it has a malloc of its own")):
            self.assertRegex(self.tell(program), f"on any hosts +does not run: .*{why}")
        self.assertRegex(self.tell(own, WEFT_OPENMP="apart"), "on any hosts +each its own: WEFT_OPENMP=apart is set")

    def test_what_stays_apart(self):
        plain = self.make("plain")
        self.assertRegex(self.tell(plain), "on any hosts +each its own: it needs no OpenMP library by itself")
        self.make("libinside.so", "-fopenmp", "-shared", "-fPIC", text=SUM % "inside")
        by_library = self.make("by_library", "-Wl,--no-as-needed", "-linside", "-Wl,-rpath,$ORIGIN")
        self.assertRegex(self.tell(by_library), r"regions in +libinside.so\n(.*\n)*.*each its own: it needs no OpenMP library by itself")
        odd = self.make("libodd.so", "-fopenmp", "-shared", "-fPIC", "-Wl,-soname,lib\033[7m.so", text=SUM % "inside")
        by_odd = self.make("by_odd", "-Wl,--no-as-needed", "-lodd", "-Wl,-rpath,$ORIGIN")
        odd.rename(self.folder / "lib\033[7m.so")
        self.assertRegex(self.tell(by_odd), r"regions in +lib\?\[7m.so\n")
        if run(COMPILER, "-print-file-name=libgomp.a").stdout.startswith("/"):
            linked = self.make("linked", "-fopenmp", "-static")
            self.assertRegex(self.tell(linked), r"OpenMP \(linked in\)\n(.*\n)*.*does not run: an OpenMP library is linked into it")
            self.assertRegex(self.tell(linked, WEFT_OPENMP="apart"), "each its own: an OpenMP library is linked into it")

    def test_what_is_no_program(self):
        file = self.folder / "file"
        whole = self.make("whole").read_bytes()
        narrow = bytearray(whole)
        narrow[4] = 1  # of 32 bits
        for content, why in ((b"#!/bin/sh\n", "is a script; name the program that it starts"), (b"", "is not a program this machine can run"),
                             (whole[:60], "is not a program this machine can run"), (narrow, "was compiled for another kind of machine")):
            file.write_bytes(content)
            file.chmod(0o755)
            self.assertEqual(self.tell(file, code=2), f"weft-info: {file}: {why}\n")
        self.assertEqual(self.tell(self.folder, code=2), f"weft-info: {self.folder}: is a directory, not a program\n")
        os.mkfifo(self.folder / "pipe", 0o755)
        self.assertRegex(self.tell(self.folder / "pipe", code=2), "pipe: is not executable")
        library = self.make("libnone.so", "-shared", "-fPIC")
        self.assertEqual(self.tell(library, code=2), f"weft-info: {library}: is a library; name a program\n")


if __name__ == "__main__":
    unittest.main()
