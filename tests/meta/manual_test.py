#!/usr/bin/env python3
"""The manual of oshrun and its table know the same options, the help text some of them; the manual can be formatted.

usage: manual_test.py OSHRUN
"""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "docs/man/oshrun.1"
TABLE = ROOT / "src/launch/command/options.cpp"
OSHRUN = sys.argv.pop()


def spellings(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*|(?<![\w-])-[HNV]", text))


def in_table():
    """The spellings of the table that oshrun parses by: the second text of each line."""
    found = set()
    for spelled in re.findall(r'^    \{"--[a-z-]+", "([^"]+)"', TABLE.read_text(), re.MULTILINE):
        found |= spellings(spelled)
    return found


def in_help():
    """The spellings of --help's list: the lines that begin with two blanks and a dash."""
    text = subprocess.run([OSHRUN, "--help"], capture_output=True, text=True, check=True, timeout=30).stdout
    found = set()
    for line in text.splitlines():
        if line.startswith("  -"):
            spelled = re.split(r"\s{2,}", line.strip())[0]
            found |= spellings(spelled)
    return found


def in_manual():
    """The spellings of the list of options: `.It Fl n Ar N , Fl Fl np Ar N`."""
    found = set()
    for line in MANUAL.read_text().splitlines():
        if line.startswith(".It Fl "):
            found.update("-" * len(dashes.split()) + name
                         for dashes, name in re.findall(r"((?:Fl )+)([A-Za-z][\w-]*)", line))
    return found


class Manual(unittest.TestCase):
    def test_it_describes_the_options_that_there_are(self):
        self.assertEqual(in_manual(), in_table())
        self.assertLess(in_help(), in_table())
        self.assertIn("--timeout", in_help())
        self.assertIn("-n", in_help())

    def test_what_it_mentions_exists(self):
        for name in re.findall(r"Fl Fl ([\w-]+)", MANUAL.read_text()):
            self.assertIn("--" + name, in_table())

    def test_every_exit_code_is_there(self):
        text = MANUAL.read_text()
        codes = text[text.index(".Sh EXIT STATUS"):]
        for code in ("0", "1", "2", "124", "126", "127", "128 + n"):
            self.assertIn(f".It {code}\n", codes)

    def test_it_can_be_formatted(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not there")
        done = subprocess.run(["groff", "-mandoc", "-Tascii", "-wall", str(MANUAL)], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
