#!/usr/bin/env python3
"""Weft on an RDMA device: the kernel's soft RoCE, in a virtual machine. The device does puts, gets and atomics by itself,
as hardware does, where the other providers that tests can have do them in the target's process.

usage: rdma_test.py BUILD [unittest's arguments]
"""

import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
BUILD = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(HERE.parent / "hosts"))
import suite  # noqa: E402  (it is in a folder of its own)

# Of tests/spec, those that are over in seconds on an emulated processor: two PEs on two nodes.
SPEC = ["8.1.memory", "8.1.c99", "8.2.progress", "8.3", "8.8",  # put and get, also with a target that does not help
        "9.2.mixed",                                            # atomic operations
        "10.4", "10.5",                                         # signals
        "13.1", "13.3", "13.10",                                # waiting for values
        "14.2", "14.5",                                         # order
        "15.1.mutual", "15.2", "15.5",                          # locks
        "12.1"]                                                 # a barrier
# Where two PEs share a node and the third has its own, a word is reached by processors and by the network.
SPEC_OF_THREE = ["8.8", "10.5", "15.1.mutual"]
LOADED = [BUILD / "lib/libweft_ofi.so", *(BUILD / "libexec/weft").iterdir()]
# Each pretend host is this one machine: its name goes, and the command runs here.
SSH = 'shift\nexec sh -c "$*"\n'
SECONDS_A_JOB = 90


class Rdma(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ssh = self.folder / "ssh"
        self.ssh.write_text(SSH)

    def inside(self, command, files=(), limit=300):
        """What a command prints in the virtual machine, where it must succeed."""
        text, status = machine.run(BUILD / "rdma", command, files, limit=limit)
        self.assertEqual(status, 0, text)
        return text

    def oshrun(self, pes, program, **environment):
        """The words of a job over two nodes, which have nothing in common but the device."""
        settings = {"WEFT_OFI_PROVIDER": "verbs;ofi_rxm", "SHMEM_SYMMETRIC_SIZE": "8m", **environment}
        words = ["env", *(f"{name}={value}" for name, value in settings.items()), BUILD / "bin/oshrun", "-n", pes,
                 "--hosts", "a,b", "--timeout", SECONDS_A_JOB, "--ssh", f"sh {self.ssh}", *program]
        return shlex.join(str(word) for word in words)

    def run_jobs(self, jobs, files=()):
        """Runs jobs {name: command} one after the other in one machine; {name: (status, what it printed)}."""
        script = self.folder / "jobs"
        script.write_text("".join(f"{command} 2>&1\necho ':: {name} ended with' $?\n" for name, command in jobs.items()))
        words = {word for command in jobs.values() for word in shlex.split(command)}
        files = [self.ssh, script, *LOADED, *files, *(word for word in words if Path(word).is_file())]
        text = self.inside(f"sh {script}", files, limit=120 + SECONDS_A_JOB * len(jobs))
        ends = re.findall(r"(.*?)^:: (\S+) ended with (\d+)\n", text, flags=re.M | re.S)
        return {name: (int(status), printed) for printed, name, status in ends}

    def test_mixing_atomics_of_card_and_cpu_loses_updates(self):
        program = self.folder / "mixed"
        subprocess.run(["cc", "-O2", "-o", program, HERE / "mixed.c", "-libverbs", "-lpthread"], check=True)
        self.assertEqual(self.inside(f"{program} 100"), "in turns: nothing was lost\nat once: updates are lost\n")

    def test_atomics_and_locks_of_weft_lose_none(self):
        program = self.folder / "counts"
        subprocess.run([BUILD / "bin/oshcc", "-O2", "-o", program, HERE / "counts.c"], check=True)
        status, printed = self.run_jobs({"counts": self.oshrun(3, [program], SHMEM_DEBUG=1)})["counts"]
        self.assertEqual(status, 0, printed)
        self.assertIn("network: verbs;ofi_rxm, node 1 of 2", printed)
        self.assertIn("atomic operations: nothing was lost\nlocks: nothing was lost\n", printed)

    def test_contract_of_the_transport(self):
        program = BUILD / "tests/conformance/transport/conformance_transport_ofi"
        text = self.inside(f"WEFT_OFI_PROVIDER='verbs;ofi_rxm' {program} --gtest_brief=1 --gtest_color=no")
        self.assertRegex(text, r"\[  PASSED  \] [1-9]\d\d tests")

    def test_specification(self):
        known = {test.name: test for test in suite.tests_of(BUILD)}
        jobs = {}
        for pes, points in ((2, SPEC), (3, SPEC_OF_THREE)):
            for point in points:
                test = known[f"spec.{point}.n{pes}"]
                jobs[test.name] = self.oshrun(pes, test.program)
        done = self.run_jobs(jobs)
        for name in jobs:
            with self.subTest(name):
                status, printed = done.get(name, (None, "it did not end, or the one before it did not"))
                print(f"{name}: {'passed' if status == 0 else 'FAILED'}", flush=True)
                self.assertEqual(status, 0, printed)

    def test_memory_that_cannot_be_pinned_is_told(self):
        program = [BUILD / "tests/hosts/hosts_spread"]
        job = self.oshrun(2, program, SHMEM_SYMMETRIC_SIZE="100m")
        # The limit is nothing to root.
        job = f"sh -c {shlex.quote(f'ulimit -l 65536; exec su nobody -c {shlex.quote(job)}')}"
        status, printed = self.run_jobs({"pinned": job}, [BUILD / "bin/oshrun", *program])["pinned"]
        self.assertNotEqual(status, 0)
        self.assertRegex(printed, r"cannot register 100 MiB of symmetric memory: .*; lower SHMEM_SYMMETRIC_SIZE or raise `ulimit -l`")


if __name__ == "__main__":
    try:
        machine.check()
    except machine.Unavailable as why:
        print(why)
        sys.exit(77)
    unittest.main(verbosity=2)
