#!/usr/bin/env python3
"""The test of the documentation finds what is wrong with a page.

usage: blocks_test.py BIN [unittest's arguments]
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import blocks

BIN = sys.argv.pop(1)
HELLO = """#include <shmem.h>
#include <stdio.h>
int main(void) {
  shmem_init();
  printf("PE %d\\n", shmem_my_pe());
  shmem_finalize();
}
"""


def fenced(words, text):
    return f"```{words}\n{text}```\n"


class Marks(unittest.TestCase):
    def refused(self, page, part):
        with self.assertRaises(blocks.Unknown) as problem:
            blocks.read_blocks(page)
        self.assertIn(part, str(problem.exception))

    def test_what_is_not_understood(self):
        self.refused(fenced("", "x\n"), "1: the block has no language")
        self.refused("a\n\n" + fenced("c pes=two", "x\n"), "3: the block has the mark 'pes=two'")
        self.refused(fenced("c runs", "x\n"), "'runs'")
        self.refused(fenced("sh pes=2", "x\n"), "a sh block cannot have")
        self.refused(fenced("c pes", "x\n"), "needs a value")
        self.refused(fenced("yaml", "x\n"), "file=NAME or skip:")
        self.refused(fenced("sh skip:", "x\n"), "without a reason")
        self.refused(fenced("text", "x\n"), "must be marked")
        self.refused(fenced("text output", "x\n"), "output of none that was run")
        self.refused(fenced("sh skip: needs root", "x\n") + fenced("text output", "x\n"), "output of none")
        self.refused("```c\nint x;\n", "does not end")

    def test_what_is_understood(self):
        page = ("<!-- given: int a; -->\n" + fenced("c fragment", "a = 1;\n") + "text\n" + fenced("c fragment", "b;\n") +
                fenced("yaml skip: needs a service", "a: b\n") + fenced("cmake file=CMakeLists.txt", "x\n") +
                fenced("text figure", "-->\n") + "1. a list\n\n   ```sh\n   true\n     two\n   ```\n")
        found = blocks.read_blocks(page)
        self.assertEqual([block.language for block in found], ["c", "c", "yaml", "cmake", "text", "sh"])
        self.assertEqual([block.given for block in found[:2]], ["int a;", ""])
        self.assertEqual(found[2].skip, "needs a service")
        self.assertEqual(found[5].text, "true\n  two\n")

    def test_output(self):
        for want, have, unordered, right in (("a\nb\n", "a\nb\n", False, True), ("a\nb\n", "b\na\n", False, False),
                                             ("a\nb\n", "b\na\n", True, True), ("a\n", "a\na\n", True, False),
                                             ("took ... ms\n", "took 12 ms\n", False, True), ("a.c\n", "abc\n", False, False),
                                             ("a\n...\nd\n", "a\nb\nc\nd\n", False, True), ("a\n...\n", "a\nb\n", False, True),
                                             ("...\nd\n", "d\n", False, True), ("...\nd\n", "a\nb\n", False, False)):
            with self.subTest(want=want, have=have):
                self.assertEqual(blocks.matches(want, have, unordered), right)


class Pages(unittest.TestCase):
    def page(self, text, part=None):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text(text)
            done = subprocess.run([sys.executable, "-B", Path(__file__).parent / "page_test.py", path, BIN],
                                  capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0 if part is None else 1, done.stdout + done.stderr)
        if part is not None:
            self.assertIn(part, done.stdout)
        return done.stdout

    def test_a_good_page(self):
        said = self.page(fenced("sh", "oshcc hello.c -o hello\noshrun -n 2 ./hello\n") +
                         fenced("text output unordered", "PE 1\nPE 0\n") +
                         fenced("c pes=3 file=hello.c", HELLO) + fenced("text output unordered", "PE 2\nPE 1\nPE 0\n") +
                         "<!-- given: static long x; -->\n" + fenced("c fragment", "shmem_long_p(&x, me, 0);\n") +
                         fenced("c declarations", "static long table[8];\n") + fenced("sh exit=3", "exit 3\n") +
                         fenced("sh skip: needs root", "nonsense\n"))
        self.assertIn("3 run, 3 compiled, 1 skipped", said)

    def test_what_fails(self):
        self.page(fenced("c", "int main(void) { return nothing; }\n"), "page.md:2: oshcc")
        self.page(fenced("c", "int main(void) { int unused; return 0; }\n"), "unused")
        self.page(fenced("c", "int main(void) { return 3; }\n"), "exit code 3, not 0")
        self.page(fenced("c fragment", "shmem_long_p(&x, me, 0);\n"), "page.md:2:15: error")
        self.page(fenced("sh", "false\n"), "exit code 1, not 0")
        self.page(fenced("sh exit=nonzero", "true\n"), "exit code 0, not nonzero")
        self.page(fenced("c", HELLO) + fenced("text output", "PE 5\n"), "page.md:11: the block before it printed")
        self.page(fenced("c pes=1 one", HELLO), "'one'")
        self.page("line\n[text](no/such.md#there)\n", "page.md:2: there is no no/such.md")
        self.page(fenced("text figure", "[text](nowhere)\n") + "[web](https://example.org) [here](#part) [self](page.md)\n")


if __name__ == "__main__":
    unittest.main()
