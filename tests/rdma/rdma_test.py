#!/usr/bin/env python3
"""Weft on an RDMA device: the kernel's soft RoCE, in a virtual machine. The device does puts, gets and atomics by itself,
as hardware does, where the other providers that tests can have do them in the target's process.

usage: rdma_test.py BUILD [unittest's arguments]
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
BUILD = Path(sys.argv.pop(1)).resolve()


class Rdma(unittest.TestCase):
    def inside(self, command, files=(), limit=300):
        """What a command prints in the virtual machine, where it must succeed."""
        text, status = machine.run(BUILD / "rdma", command, files, limit=limit)
        self.assertEqual(status, 0, text)
        return text

    def test_mixing_atomics_of_card_and_cpu_loses_updates(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/mixed"
            subprocess.run(["cc", "-O2", "-o", program, HERE / "mixed.c", "-libverbs", "-lpthread"], check=True)
            text = self.inside(f"{program} 100")
        self.assertEqual(text, "in turns: nothing was lost\nat once: updates are lost\n")


if __name__ == "__main__":
    try:
        machine.check()
    except machine.Unavailable as why:
        print(why)
        sys.exit(77)
    unittest.main()
