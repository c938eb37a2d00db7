"""Arrays of programs that are mapped by WEFT_OMP_MAP, without a change of their sources: fewer changes go home, results
are the same, and what cannot be mapped ends the program with a line."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BIN, PROGRAM, STRIPPED, FORTRAN = (pathlib.Path(word) for word in sys.argv[1:5])
del sys.argv[1:5]


class Mapping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, program, processes, mapping=None, **more):
        environment = os.environ | {"WEFT_SHARED_BY": "pages", "WEFT_SHARED_STATS": "1", "OMP_NUM_THREADS": str(2 * processes)} | more
        if mapping is not None:
            environment["WEFT_OMP_MAP"] = str(mapping)
        words = [BIN / "oshrun", "-n", str(processes), program] if processes > 1 else [program]
        return subprocess.run(words, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)

    def sent(self, run):
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("all is right", run.stdout)
        return sum(int(number) for number in re.findall(r"(\d+) pages whose changes went home", run.stderr))

    def refused(self, mapping, line, program=PROGRAM):
        run = self.run_it(program, 2, mapping)
        self.assertNotEqual(run.returncode, 0, mapping)
        self.assertNotIn("all is right", run.stdout)
        self.assertRegex(run.stderr, "(?m)^weft: process 0: OpenMP: " + line)

    def test_fewer_changes_go_home(self):
        alone = self.run_it(PROGRAM, 1).stdout
        for processes in (2, 3):
            plain = self.run_it(PROGRAM, processes, WEFT_SHARED_HOMES="first")
            mapped = self.run_it(PROGRAM, processes, "u: block,*; next_u: like u", WEFT_SHARED_HOMES="first")
            self.assertEqual({plain.stdout, mapped.stdout}, {alone})
            # What is left is what the first thread initialises for the others.
            self.assertLess(self.sent(mapped), self.sent(plain) // 3, mapped.stderr)

    def test_a_file(self):
        (self.folder / "u.map").write_text("# homes\nu: block,*   # by rows\n\nnext_u: like u\n")
        plain = self.run_it(PROGRAM, 2, WEFT_SHARED_HOMES="first")
        mapped = self.run_it(PROGRAM, 2, "u.map", WEFT_SHARED_HOMES="first")
        self.assertLess(self.sent(mapped), self.sent(plain) // 3)
        (self.folder / "u.map").write_text("u: block,*\n\nv: like u\n")
        self.refused("u.map", "u.map:3: the program has no static variable v; .* a directive in its source$")
        self.refused("none.map", "WEFT_OMP_MAP=none.map cannot be read: No such file or directory; it is a file of mappings")
        self.refused(self.folder, f"WEFT_OMP_MAP={self.folder} cannot be read: Is a directory$")

    def test_without_debug_information(self):
        plain = self.run_it(STRIPPED, 2, WEFT_SHARED_HOMES="first")
        mapped = self.run_it(STRIPPED, 2, "u[512][512]: block,*; next_u[512][512]: block,*", WEFT_SHARED_HOMES="first")
        self.assertLess(self.sent(mapped), self.sent(plain) // 3)
        self.sent(self.run_it(STRIPPED, 3, "kept: block; inner: block"))
        self.refused("u: block,*", "WEFT_OMP_MAP, mapping 1: u: nothing tells its dimensions; compile the program with -g", STRIPPED)

    def test_finer_than_pages(self):
        run = self.run_it(PROGRAM, 3, "narrow: *,block")
        self.sent(run)
        self.assertRegex(run.stderr, r"mapping 1: narrow \(\*,block\): its pieces have 800 bytes, and a page has 4096: each of its "
                                     r"5 pages is at home at the process that has its middle, 1 to 2 pages at each of 3")
        self.assertNotIn("its pieces", self.run_it(PROGRAM, 3, "u: block,*").stderr)

    def test_what_cannot_be_mapped(self):
        for mapping, line in (
                ("x: block", "the program has no static variable x; "),
                ("scalar: block", r"scalar \(mapped.c:\d+\) is no array"),
                ("pointer: block", r"pointer \(mapped.c:\d+\) is a pointer, and no array"),
                ("u: block", "u has 2 dimensions, and the mapping says something of 1"),
                ("u: block,block", "u is divided in 2 dimensions"),
                ("u: *,blok", '"blok" of u: what becomes of a dimension is'),
                ("u: like next_u", "u is to be like next_u, which is not mapped"),
                ("kept: like inner", "dimension 1 of kept has 512 elements, and dimension 1 of inner, .* has 100"),
                ("other.c:u: block,*", "the program has no static variable other.c:u"),
                ("u[511][512]: block,*", "u has 2097152 bytes, which is no multiple")):
            self.refused(mapping, "WEFT_OMP_MAP, mapping 1: " + line)
        self.refused("u: like next_u; next_u: like u", "WEFT_OMP_MAP, mapping 1: u is aligned with next_u, which leads back to it")
        self.refused("u: block,*; u: *,block", "WEFT_OMP_MAP, mapping 2: u is mapped already, at WEFT_OMP_MAP, mapping 1")

    def test_one_memory_and_one_process(self):
        for processes, way in ((1, "auto"), (2, "memory")):
            self.sent(self.run_it(PROGRAM, processes, "u: block,*", WEFT_SHARED_BY=way))
        run = self.run_it(PROGRAM, 2, "u: *", WEFT_SHARED_BY="memory")
        self.assertIn("u has 2 dimensions", run.stderr)

    @unittest.skipIf(not FORTRAN.exists(), "no gfortran")
    def test_fortran(self):
        alone = self.run_it(FORTRAN, 1).stdout
        mapping = "u: *,block; /forces/rhs: *,*,block; own(i): like u(*,i)"
        for processes in (2, 3):
            plain = self.run_it(FORTRAN, processes, WEFT_SHARED_HOMES="first")
            mapped = self.run_it(FORTRAN, processes, mapping, WEFT_SHARED_HOMES="first")
            self.assertEqual({plain.stdout, mapped.stdout}, {alone})
            self.assertLess(self.sent(mapped), self.sent(plain) // 3, mapped.stderr)
        self.sent(self.run_it(FORTRAN, 2, "fields::u: *,block; rhs(*,*,k): like U(*,k); mapped::OWN: cyclic(8)"))
        self.refused("later: *,block", r"WEFT_OMP_MAP, mapping 1: fields::later \(mapped.f90:\d+\) is allocated when the program runs",
                     FORTRAN)
        self.refused("rhs: *,block", "WEFT_OMP_MAP, mapping 1: rhs has 3 dimensions, and the mapping says something of 2", FORTRAN)


if __name__ == "__main__":
    unittest.main()
