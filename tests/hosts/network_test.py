#!/usr/bin/env python3
"""The network of Weft's own between hosts: which addresses it takes, and what it does when a host falls silent.

usage: network_test.py BUILD [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import time
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, Unavailable, run_tests  # noqa: E402  (it is in a folder of its own)
from launchers import LAUNCHERS  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
OSHRUN = BUILD / "bin/oshrun"
STORM = BUILD / "tests/hosts/hosts_storm"
FLOOD = BUILD / "tests/hosts/hosts_flood"
LIMIT = 60  # seconds for what should end


class Network(unittest.TestCase):
    """A storm of puts by 4 PEs: 0 and 1 on node1, 2 and 3 on node2."""

    def hosts(self, **how):
        hosts = Hosts(2, **how)
        self.addCleanup(hosts.close)
        return hosts

    def start(self, hosts, words, environment=()):
        """A job by these words, when it has begun."""
        job = hosts.popen(1, words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "WEFT_NET": "tcp", **dict(environment)})
        self.addCleanup(job.stdout.close)
        self.addCleanup(job.wait)
        self.addCleanup(job.kill)
        said = ""
        while "the storm begins" not in said:
            line = job.stdout.readline()
            self.assertTrue(line, f"it ended: {said}")
            said += line
        return job

    def ends_well(self, hosts, words, environment=()):
        job = self.start(hosts, words, environment)
        said = job.communicate(timeout=LIMIT)[0]
        self.assertEqual(job.returncode, 0, said)
        self.assertIn("the storm is over", said)
        self.assertEqual(hosts.leftovers(), [])

    def listeners(self, hosts, host):
        """Addresses that PEs listen at."""
        done = hosts.run(host, ["ss", "-Hltn"], capture_output=True, text=True, check=True)
        found = [line.split()[3].rpartition(":") for line in done.stdout.splitlines()]
        return sorted({address for address, _, port in found if port != "22"})

    # Addresses.

    def test_hosts_with_ipv6_only(self):
        hosts = self.hosts(ipv6=True)
        self.ends_well(hosts, [OSHRUN, "-n", "4", "--hosts", "node1,node2", STORM, "1"])

    def test_hosts_named_by_ipv6_addresses(self):
        hosts = self.hosts(ipv6=True)
        self.ends_well(hosts, [OSHRUN, "-n", "4", "--hosts", "fd77::1,[fd77::2]:2", "--ppn", "2", STORM, "1"])

    def test_an_interface_is_listened_at_alone(self):
        for ipv6, address in ((False, "10.77.0.2"), (True, "[fd77::2]")):
            with self.subTest(address):
                hosts = self.hosts(ipv6=ipv6)
                job = self.start(hosts, [OSHRUN, "-n", "4", "--hosts", "node1,node2", STORM, "2"],
                                 [("WEFT_NET_INTERFACE", "eth0")])
                self.assertEqual(self.listeners(hosts, 2), [address])
                said = job.communicate(timeout=LIMIT)[0]
                self.assertEqual(job.returncode, 0, said)

    def test_an_interface_that_does_not_lead_there(self):
        hosts = self.hosts()
        done = hosts.run(1, [OSHRUN, "-n", "4", "--hosts", "node1,node2", STORM, "1"], capture_output=True, text=True,
                         timeout=LIMIT, env={**os.environ, "WEFT_NET": "tcp", "WEFT_NET_INTERFACE": "lo"},
                         stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"connecting with PE \d on node\d failed: ")
        self.assertEqual(hosts.leftovers(), [])

    # Messages.

    def test_one_that_is_ahead_fills_nobodys_memory(self):
        hosts = self.hosts()
        for pes in ("2", "4"):
            done = hosts.run(1, [OSHRUN, "-n", pes, "--link-timeout", "30", "--hosts", "node1,node2", FLOOD],
                             capture_output=True, text=True, timeout=3 * LIMIT, env={**os.environ, "WEFT_NET": "tcp"}, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("the flood is over", done.stdout)

    # Silence.

    def silent(self, name, net="tcp"):
        """A host whose link goes down ends the job, and a line of the other one's PEs names it."""
        hosts = self.hosts()
        try:
            launcher = LAUNCHERS[name](hosts)
        except Unavailable as why:
            self.skipTest(str(why))
        hosts.settle()
        test = types.SimpleNamespace(pes=4, environment={"WEFT_NET": net, "WEFT_NET_TIMEOUT": "6"}, oshrun=OSHRUN)
        words = [*launcher.words(test, hosts.names), STORM, "600"]
        job = self.start(hosts, words, [*launcher.environment.items(), *test.environment.items()])
        # With libfabric who was never heard is not missed: two signs of life are due by then.
        time.sleep(0.5 if net == "tcp" else 3)
        hosts.link(2, "down")
        said = ""
        while not re.search(r"weft: PE [01]: .*PE [23] on node2 ", said):
            line = job.stdout.readline()
            self.assertTrue(line, f"nobody named node2: {said}")
            said += line
        end = time.monotonic() + LIMIT
        while [text for text in hosts.processes(1).values() if "hosts_storm" in text.partition(" ")[0]]:
            self.assertLess(time.monotonic(), end, f"PEs of node1 are left: {hosts.processes(1)}")
            time.sleep(0.1)

    def test_silence_under_mpirun(self):
        self.silent("mpirun")

    def test_silence_under_mpirun_by_libfabric(self):
        self.silent("mpirun", "ofi")

    def test_silence_under_mpiexec(self):
        self.silent("mpiexec")

    def test_silence_under_srun(self):
        self.silent("srun-pmi2")


if __name__ == "__main__":
    run_tests()
