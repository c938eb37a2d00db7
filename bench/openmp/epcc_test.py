#!/usr/bin/env python3
"""What epcc.py runs, and what it makes of the output: with a program that prints as EPCC's do.

usage: epcc_test.py [unittest's arguments]
"""
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EPCC = Path(__file__).with_name("epcc.py")
# Twice the time with the library that is asked for.
PROGRAM = """#!/bin/sh
[ "$#" = 2 ] && [ "$1" = --note ] && [ "$2" = "two words" ] || exit 3
case "$LD_LIBRARY_PATH" in
  "") time=10;;
  *"our libraries") time=20;;
  *) exit 4;;
esac
echo " 20  $time.0  $time.0  $time.0  0.1  0"
echo "PARALLEL time     = $time.0 microseconds +/- 0.1"
echo "PARALLEL overhead = $((time - 1)).0 microseconds +/- 0.1"
"""


class Epcc(unittest.TestCase):
    def test_names_and_options_with_blanks(self):
        with tempfile.TemporaryDirectory(prefix="with blanks ") as made:
            program = Path(made, "sync bench")
            program.write_text(PROGRAM, encoding="ascii")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            command = [sys.executable, "-B", EPCC, Path(made, "our libraries"), program, "--rounds", "1", "--", "--note",
                       "two words"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^sync bench PARALLEL +19\.000 us  theirs +9\.000 +2\.11 ")

    def test_its_usage(self):
        done = subprocess.run([sys.executable, "-B", EPCC, "folder", "--", "program"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("usage: epcc.py", done.stderr)


if __name__ == "__main__":
    unittest.main()
