#!/usr/bin/env python3
"""The manual pages: every routine and tool has one, groff understands them all, and what they point to is there.

usage: manual_pages_test.py MAN      MAN: the folder of the pages, build/<preset>/man
"""

import csv
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
MAN = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else TOP / "build/dev/man"
# Pages that other packages have.
ELSEWHERE = {"malloc(3)", "cc(1)", "man(1)"}


def pages():
    """Pages that are no links: path -> text."""
    return {path: gzip.decompress(path.read_bytes()).decode() for path in sorted(MAN.glob("**/man*/*.gz"))
            if not path.is_symlink()}


def page_of(name, section=3):
    """Those of MPI have a folder of their own."""
    folder = MAN / "mpi" if name.startswith("MPI_") else MAN
    return folder / f"man{section}/{name}.{section}.gz"


class Pages(unittest.TestCase):
    def test_every_routine_of_the_specification_has_one(self):
        with open(TOP / "tests/spec/api/openshmem-1.6.csv", encoding="utf-8") as file:
            names = {row["name"] for row in csv.DictReader(file) if row["kind"] == "function"}
        self.assertGreater(len(names), 1500)
        self.assertEqual([name for name in sorted(names) if not page_of(name).exists()], [])

    def test_every_name_of_the_headers_has_one(self):
        for name in ("shmem_put", "shmem_ctx_long_put", "shmem_put64", "shmem_atomic_add", "shmemx_req_wait",
                     "shmem_integer_put", "shpalloc", "shmem_allocate", "start_pes", "_my_pe"):
            self.assertTrue(page_of(name).exists(), name)

    def test_every_function_of_shared_pages_has_one(self):
        header = (TOP / "include/weft/shared.h").read_text(encoding="utf-8")
        names = set(re.findall(r"^[\w ]+\**(?:\b)(weft_shared_\w+)\(", header, flags=re.M))
        names |= {f"weft_shared_{word}_{operation}" for word in ("uint8", "uint16", "uint32", "uint64")
                  for operation in re.findall(r"##name##_(\w+)\(", header)}
        self.assertGreater(len(names), 55)
        self.assertEqual([name for name in sorted(names) if not page_of(name).exists()], [])

    def test_every_tool_has_one(self):
        for name in ("oshcc", "oshc++", "oshcxx", "oshfort", "oshrun", "weft-info", "weft-perf", "weft-profile",
                     "weft-scale", "weft-mpicc", "weft-mpicxx", "weft-ompcc", "weft-omp++", "weft-ompfort", "weftrun"):
            self.assertTrue(page_of(name, 1).exists(), name)

    def test_links_lead_to_pages(self):
        for path in MAN.glob("**/man*/*"):
            self.assertTrue(path.exists(), path)
            self.assertEqual(path.resolve().parent, path.parent.resolve())

    def test_what_they_see_is_there(self):
        for path, text in pages().items():
            for name, section in re.findall(r"\.?\bXr (\S+) (\d)", text):
                if f"{name}({section})" not in ELSEWHERE:
                    self.assertTrue(page_of(name, section).exists(), f"{path.name} sees {name}({section})")

    def complaints(self, *command):
        """What a formatter says of all pages, in one go."""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for path, text in pages().items():
                names.append(path.name.removesuffix(".gz"))
                (Path(folder) / names[-1]).write_text(text, encoding="utf-8")
            done = subprocess.run([*command, *names], cwd=folder, text=True, capture_output=True, timeout=200, check=False)
            return done.stdout + done.stderr

    def test_groff_has_nothing_to_say(self):
        # Some functions of MPI have names and arguments of 50 letters, which 78 columns do not hold.
        self.assertEqual(self.complaints("groff", "-mandoc", "-rLL=90n", "-ww", "-z", "-Tutf8", "-Kutf8"), "")

    def test_mandoc_has_nothing_to_say(self):
        if shutil.which("mandoc") is None:
            self.skipTest("mandoc is not there")
        self.assertEqual(self.complaints("mandoc", "-Tlint", "-Wwarning"), "")

    def test_no_name_is_left_to_be_filled_in(self):
        for path, text in pages().items():
            self.assertNotRegex(text, r"@[A-Z]+@|\{(CTX|TYPE|SIZE|DIR|E)\}", path.name)

    def test_names_are_marked_up_whole(self):
        for path, text in pages().items():
            self.assertNotRegex(text, r"\b(SHMEMX?|WEFT) Ns|Ns _", path.name)
            self.assertNotIn("`", text, path.name)

    def test_the_overview_has_every_option_and_page(self):
        text = gzip.decompress(page_of("weft", 7).read_bytes()).decode()
        for name in re.findall(r"WEFT_OPTION\(\w+, \w+, \"(\w+)\"", (TOP / "api/options.def").read_text()):
            self.assertIn(f".It Ev {name}\n", text)
        for path in MAN.glob("man3/*.gz"):
            if not path.is_symlink():
                self.assertIn(f".It Xr {path.name.removesuffix('.3.gz')} 3\n", text)

    def test_every_function_of_mpi_is_on_one_list(self):
        text = gzip.decompress(page_of("weft-mpi", 7).read_bytes()).decode()
        lists = re.search(r"^\.Sh FUNCTIONS THAT ARE WHOLE\n(.*)^\.Sh FUNCTIONS THAT ARE TO COME\n(.*?)^\.Sh ", text,
                          re.M | re.S)
        listed = []
        for part in lists.groups():
            words = re.sub(r"^\.Ss.*$", "", part, flags=re.M).split()
            listed.append([word.strip(",.") for word in words if word.startswith("MPI_")])
            for at, word in enumerate(words):
                if word.startswith("(_c)"):
                    listed[-1].append(words[at - 1] + "_c")
        with open(TOP / "tests/mpi/abi/functions.csv", encoding="utf-8") as file:
            names = {row[0] for row in csv.reader(file) if row and row[0].startswith("MPI_")}
        self.assertEqual(sorted(listed[0] + listed[1]), sorted(names))
        for name in ("MPI_Send_c", "MPI_Comm_idup", "MPI_Allreduce", "MPI_Type_create_struct", "MPI_Win_create"):
            self.assertIn(name, listed[0])
        for name in ("MPI_Ibarrier", "MPI_File_open", "MPI_T_init_thread"):
            self.assertIn(name, listed[1])
        self.assertIn(f"\n{len(listed[0])} of them are whole, and {len(listed[1])} are to come", text)


class MpiPages(unittest.TestCase):
    """Of each function that is whole, its own page, with what the standard's list says of it."""

    @classmethod
    def setUpClass(cls):
        text = gzip.decompress(page_of("weft-mpi", 7).read_bytes()).decode()
        whole = re.search(r"^\.Sh FUNCTIONS THAT ARE WHOLE\n(.*)^\.Sh FUNCTIONS THAT ARE TO COME", text, re.M | re.S).group(1)
        cls.names = re.findall(r"\b(MPI_\w+)", whole)
        cls.twins = [f"{name}_c" for name in re.findall(r"\b(MPI_\w+)\s+\(_c\)", whole)]

    def test_each_has_one(self):
        self.assertEqual(len(self.names) + len(self.twins), 388)
        self.assertEqual({path.name.removesuffix(".3.gz") for path in MAN.glob("mpi/man3/*")}, set(self.names + self.twins))

    def test_each_is_of_its_function(self):
        for name in self.names:
            text = gzip.decompress(page_of(name).read_bytes()).decode()
            self.assertRegex(text, rf"(?m)^\.Fo {name}$|^\.Fn {name} void$")
            self.assertIn(f"\n.Dt {name.upper()} 3\n", text)
            self.assertRegex(text, r"(?m)^\.Ss Completion$", name)
            self.assertRegex(text, r"(?m)^MPI 5\.0, (section \d+\.\d+|chapter \d+); since", name)
            arguments = {word for fa in re.findall(r'^\.Fa "?(.*?)"?$', text.split(".Sh DESCRIPTION")[0], re.M)
                         for word in re.findall(r"(\w+)(?:\[\d*\])*$", fa)}
            self.assertEqual(set(re.findall(r"^\.It Fa (\w+) Pq (?:in|out|in and out)$", text, re.M)), arguments, name)

    def test_twins_lead_to_them(self):
        for name in self.twins:
            self.assertEqual(page_of(name).resolve(), page_of(name.removesuffix("_c")).resolve())
            self.assertIn(f".Fo {name}\n", gzip.decompress(page_of(name).read_bytes()).decode())

    def test_what_is_checked_is_told(self):
        text = gzip.decompress(page_of("MPI_Send").read_bytes()).decode()
        errors = re.findall(r"^\.It Dv (\w+)$", text, re.M)
        self.assertEqual(set(errors), {"MPI_ERR_COUNT", "MPI_ERR_TYPE", "MPI_ERR_COMM", "MPI_ERR_RANK", "MPI_ERR_TAG",
                                       "MPI_ERR_BUFFER", "MPI_ERR_OTHER"})
        self.assertNotIn("MPI_ERR_OTHER", gzip.decompress(page_of("MPI_Initialized").read_bytes()).decode())


class Checks(unittest.TestCase):
    """The generator says what is wrong with the table."""

    def complaint(self, old, new, where="manual.toml"):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            for name in ("api", "docs/man", "examples"):
                shutil.copytree(TOP / name, top / name)
            table = top / "api" / where
            text = table.read_text()
            self.assertIn(old, text)
            table.write_text(text.replace(old, new, 1))
            done = subprocess.run([sys.executable, "-B", str(TOP / "tools/gen/manual.py"), "--top", folder, "--out",
                                   str(top / "man")], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            return done.stderr

    def test_a_routine_without_a_page(self):
        self.assertIn("no page covers shmem_fence", self.complaint('covers = ["9.12.1"]', "covers = []"))

    def test_a_routine_on_two_pages(self):
        self.assertIn("9.12.1 is on shmem_fence and on shmem_quiet",
                      self.complaint('covers = ["9.12.2"', 'covers = ["9.12.1", "9.12.2"'))

    def test_an_argument_without_a_text(self):
        self.assertIn("no [arg.lock]", self.complaint("[arg.lock]", "[arg.key]"))

    def test_a_page_that_is_not_there(self):
        self.assertIn("sees shmem_nothing", self.complaint('see = ["shmem_quiet", "shmem_barrier_all"]',
                                                           'see = ["shmem_nothing"]'))

    def test_a_function_of_mpi_without_a_page(self):
        self.assertIn("no page for MPI_Barrier", self.complaint("[page.Barrier]", "[form.Barrier]", "mpi_manual.toml"))

    def test_an_argument_of_mpi_without_a_text(self):
        self.assertIn("no text for the argument color", self.complaint("color = {", "colour = {", "mpi_manual.toml"))

    def test_something_covered_that_is_nothing(self):
        self.assertIn("covers 9.99", self.complaint('covers = ["9.12.1"]', 'covers = ["9.12.1", "9.99"]'))


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main()
