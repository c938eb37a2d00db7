#!/usr/bin/env python3
"""weft-perf on one host and on two that are this machine, what --tune leaves, and that later jobs go by it.

usage: run_test.py BIN [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN = Path(sys.argv.pop(1))
# A stand-in for ssh: drops options and the host, and runs the rest here.
SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
shift
exec sh -c "$*"
"""


class Perf(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="weft-perf-test-")
        self.addCleanup(self.place.cleanup)
        self.ssh = Path(self.place.name) / "ssh"
        self.ssh.write_text(SSH, encoding="utf-8")
        self.ssh.chmod(0o755)
        self.file = Path(self.place.name) / "config/network"

    def run_perf(self, *arguments, launch=("-n", "2"), code=0, **environment):
        environment = {**os.environ, "WEFT_NET_FILE": str(self.file), "SHMEM_SYMMETRIC_SIZE": "16M", **environment}
        done = subprocess.run([BIN / "oshrun", *launch, BIN / "weft-perf", *arguments], env=environment, text=True,
                              capture_output=True, timeout=150, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def two_hosts(self, *arguments, **more):
        return self.run_perf(*arguments, launch=("-n", "2", "--hosts", "a,b", "--ssh", str(self.ssh)), **more)

    def rows(self, text, columns):
        return [[float(word) for word in line.split()] for line in text.splitlines()
                if re.fullmatch(r"( +[0-9.]+){%d}" % columns, line)]

    def check_report(self, text):
        rows = self.rows(text, 5)
        self.assertEqual([row[0] for row in rows], [8, 64, 512, 4096, 16384, 65536, 262144, 1048576])
        # On a busy machine eight bytes may go at a rate that is rounded to nothing.
        self.assertTrue(all(value > 0 for _, put, get, *_ in rows for value in (put, get)), text)
        self.assertTrue(all(value > 0 for value in rows[-1]), text)
        self.assertRegex(text, r"fetch-add [0-9.]+ us, compare-swap [0-9.]+ us, add [0-9.]+ us")

    def test_one_node(self):
        said = self.run_perf().stdout
        self.assertRegex(said, r"^PE 0 on \S+ and PE 1 on \S+, by shared memory\n")
        self.check_report(said)

    def test_two_hosts(self):
        said = self.two_hosts().stdout
        self.assertRegex(said, r"^PE 0 on \S+ and PE 1 on \S+, by \S+;?\S*\n")
        self.assertNotIn("shared memory", said)
        self.check_report(said)

    def test_tune_writes_what_jobs_read(self):
        said = self.two_hosts("--tune").stdout
        sizes = [row[0] for row in self.rows(said, 3)]
        self.assertEqual(sizes[-1], 65536)
        provider, found = re.search(r"^(\S+): puts of up to (\d+) bytes are copied from now on; it was 8192", said, re.M).groups()
        self.assertIn(int(found), [0, *sizes])
        self.assertEqual(self.file.read_text(encoding="utf-8").splitlines()[-1], f"{provider} copy {found}")
        self.file.write_text(f"{provider} copy 4321\n", encoding="utf-8")
        said = self.two_hosts("--help", SHMEM_DEBUG="1").stderr
        self.assertIn("up to 4321 are copied (weft-perf --tune)", said)

    def test_a_damaged_file_hurts_nobody(self):
        self.file.parent.mkdir()
        self.file.write_text("\0\1 not of ours", encoding="utf-8")
        said = self.two_hosts("--help", SHMEM_DEBUG="1").stderr
        self.assertIn("line 1 of " + str(self.file), said)
        self.assertIn("up to 8192 are copied (default)", said)
        self.assertEqual(self.two_hosts("--help").stderr, "")

    def test_the_option_is_obeyed_and_checked(self):
        self.assertIn("up to 0 are copied (WEFT_NET_COPY)", self.two_hosts("--help", SHMEM_DEBUG="1", WEFT_NET_COPY="0").stderr)
        self.assertIn("WEFT_NET_COPY=70000: a put copies at most 65536 bytes", self.two_hosts("--help", WEFT_NET_COPY="70000", code=1).stderr)

    def test_wrong_use(self):
        self.assertIn("--tune measures the network, and this job has one node", self.run_perf("--tune", code=1).stderr)
        self.assertIn("--pe 2: name one of the PEs 1 to 1", self.run_perf("--pe", "2", code=2).stderr)
        self.assertIn("it takes two to measure", self.run_perf(launch=("-n", "1"), code=2).stderr)
        self.assertIn("--picture", self.run_perf("--picture", code=2).stderr)
        self.assertFalse(self.file.exists())


if __name__ == "__main__":
    unittest.main()
