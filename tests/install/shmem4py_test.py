#!/usr/bin/env python3
"""Python's binding shmem4py from PyPI: it is built with oshcc in PATH, as the guide says, and passes its own tests.

usage: shmem4py_test.py [CASE]       the prefix is in WEFT_TEST_PREFIX
"""

import os
import subprocess
import sys
import tarfile
import unittest
import venv

import install_test
from install_test import SANITIZED, Installed

VERSION = "1.0.0"
NUMPY = "numpy<2"  # with NumPy 2 it cannot make arrays
TESTS = 110        # of its own, all told
REACH = 60         # seconds for PyPI to give the sources


class Shmem4py(Installed):
    def setUp(self):
        super().setUp()
        if SANITIZED:
            self.skipTest("a sanitizer's library has to be there before Python's")
        self.sources = self.from_pypi()
        venv.create(self.folder / "python", with_pip=True)
        self.python = self.folder / "python/bin/python"

    def from_pypi(self):
        """The folder of its sources. Without PyPI there is nothing to test."""
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--retries", "1",
                   "--dest", self.folder, f"shmem4py=={VERSION}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=REACH, check=False)
        except subprocess.TimeoutExpired:
            self.skipTest("PyPI does not answer")
        archive = self.folder / f"shmem4py-{VERSION}.tar.gz"
        if done.returncode != 0 or not archive.exists():
            self.skipTest(f"PyPI is out of reach: {done.stderr.strip().splitlines()[-1:]}")
        with tarfile.open(archive) as packed:
            packed.extractall(self.folder, filter="data")
        return self.folder / f"shmem4py-{VERSION}"

    def pip(self, *words):
        done = subprocess.run([self.python, "-m", "pip", "install", "--quiet", *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, timeout=600, check=False,
                              env={**os.environ, **self.environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_its_own_tests(self):
        self.pip(f"shmem4py=={VERSION}", "--no-binary", "shmem4py", NUMPY)
        for pes in (1, 2, 4, 7):
            with self.subTest(pes=pes):
                done = self.run_command("oshrun", "-n", pes, self.python, "-m", "unittest", "discover", "-s", self.sources / "test")
                self.assertEqual(done.stderr.count(f"Ran {TESTS} tests"), pes, done.stderr)
                self.assertEqual(done.stderr.count("\nOK"), pes, done.stderr)


if __name__ == "__main__":
    sys.exit(install_test.main())
