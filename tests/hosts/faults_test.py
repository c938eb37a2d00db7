#!/usr/bin/env python3
"""What fails in a job on several hosts ends it everywhere, soon, with a line that names the culprit; or harms nobody.

usage: faults_test.py BUILD [unittest's arguments]        with WEFT_TEST_SSHD set: by the real ssh, which takes root
"""

import os
import re
import select
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "testbed"))
from hosts import Hosts, run_tests  # noqa: E402  (it is in a folder of its own)

BUILD = Path(sys.argv.pop(1)).resolve()
OSHRUN = BUILD / "bin/oshrun"
STORM = BUILD / "tests/hosts/hosts_storm"
SOON = 10   # seconds from a fault to the end of the job; a link that is silent takes longest to be given up
LIMIT = 60  # seconds for what should not end early, and for what should start


class Faults(unittest.TestCase):
    """A storm of puts by 4 PEs: 0 and 1 on node1, 2 and 3 on node2."""

    def setUp(self):
        self.hosts = Hosts(2, sshd="WEFT_TEST_SSHD" in os.environ)
        self.addCleanup(self.hosts.close)
        self.said = {"out": b"", "err": b""}

    def start(self, *program, seconds=30, words=("-n", "4", "--hosts", "node1,node2")):
        self.job = self.hosts.popen(1, [OSHRUN, *words, STORM, seconds, *program], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end_job)
        self.read(until=b"the storm begins")
        time.sleep(0.2)

    def end_job(self):
        self.job.kill()
        self.job.wait()
        self.job.stdout.close()
        self.job.stderr.close()

    def read(self, until=None, limit=LIMIT):
        """What the job says until it says something, or ends; fails at the limit."""
        end = time.monotonic() + limit
        open_pipes = {self.job.stdout: "out", self.job.stderr: "err"}
        while open_pipes and not (until and until in self.said["out"]):
            for pipe in select.select(list(open_pipes), [], [], max(0, end - time.monotonic()))[0]:
                data = os.read(pipe.fileno(), 65536)
                self.said[open_pipes[pipe]] += data
                if not data:
                    del open_pipes[pipe]
            if time.monotonic() > end:
                self.fail(f"nothing more within {limit} s, after: {self.text()}")
        if until and until not in self.said["out"]:
            self.fail(f"it ended without having said {until}: {self.text()}")

    def text(self):
        return (self.said["out"] + self.said["err"]).decode(errors="replace")

    def ends(self, *expressions, status=None, limit=SOON):
        """The job fails soon, one line of oshrun's says all the expressions, and nothing is left."""
        self.read(limit=limit)
        code = self.job.wait(limit)
        self.assertNotIn("the storm is over", self.text())
        self.assertNotEqual(code, 0, self.text())
        if status is not None:
            self.assertEqual(code, status, self.text())
        lines = re.findall("^oshrun: .*", self.said["err"].decode(errors="replace"), flags=re.M)
        about = [line for line in lines if all(re.search(expression, line) for expression in expressions)]
        self.assertEqual(len(about), 1, f"one line was to say {expressions}: {self.text()}")
        self.assertLessEqual(len(lines), 3, f"one fault, few lines: {self.text()}")
        self.assertEqual(self.hosts.leftovers(wait=limit), [], self.text())

    def goes_on(self):
        self.read(limit=LIMIT)
        self.assertEqual(self.job.wait(LIMIT), 0, self.text())
        self.assertIn("the storm is over", self.text())
        self.assertEqual(self.said["err"], b"")
        self.assertEqual(self.hosts.leftovers(), [])

    def pids(self, host, program):
        found = [pid for pid, text in self.hosts.processes(host).items() if Path(text.split()[0]).name == program]
        self.assertTrue(found, f"no {program} on node{host}: {self.hosts.processes(host)}")
        return found

    def signal(self, host, name, *pids):
        self.hosts.run(host, ["kill", f"-{name}", *pids], check=True)

    # What goes on.

    def test_nothing_fails(self):
        self.start(seconds=2)
        self.goes_on()

    def test_a_peer_that_stops_for_ten_seconds_is_waited_for(self):
        self.start(seconds=3)
        stopped = self.pids(2, "hosts_storm")[-1]
        self.signal(2, "STOP", stopped)
        time.sleep(10)
        self.signal(2, "CONT", stopped)
        self.goes_on()

    def test_strangers_are_turned_away(self):
        """Each port that the job listens on gets a connection that says nothing, one that says nonsense, one that goes."""
        self.start(seconds=4)
        for host in (1, 2):
            done = self.hosts.run(host, ["ss", "-Hltn"], capture_output=True, text=True, check=True)
            ports = {int(line.split()[3].rpartition(":")[2]) for line in done.stdout.splitlines()} - {22}
            for port in ports:
                for said in ("", "GET / HTTP/1.0\\r\\n\\r\\n", "\\x00" * 64, "\\xff" * 4096):
                    self.hosts.run(3 - host, ["timeout", "5", "bash", "-c",
                                              f"exec 3<>/dev/tcp/node{host}/{port}; printf '{said}' >&3; sleep 0.1"],
                                   stderr=subprocess.DEVNULL)
        self.goes_on()

    # What ends the job, and the PEs' own doing.

    def test_a_pe_on_another_host_aborts(self):
        self.start("abort", seconds=1)
        self.ends("PE 3", "node2", "signal 6|SIGABRT", status=134)

    def test_a_pe_on_another_host_exits_early(self):
        self.start("exit", seconds=1)
        self.ends("PE 3", "node2", status=3)

    def test_a_pe_on_another_host_ends_the_job(self):
        self.start("global_exit", seconds=1)
        self.read(limit=SOON)
        self.assertEqual(self.job.wait(SOON), 4, self.text())
        self.assertEqual(self.hosts.leftovers(), [])

    def test_a_pe_on_another_host_is_killed(self):
        self.start()
        self.signal(2, "KILL", self.pids(2, "hosts_storm")[0])
        self.ends("PE [23]", "node2", "signal 9|SIGKILL", status=137)

    # What ends the job: all around the PEs.

    def test_an_agent_is_killed(self):
        self.start()
        self.signal(2, "KILL", sorted(self.pids(2, "weft-agent"))[0])
        self.ends("node2")

    def test_an_agent_and_its_guard_are_killed(self):
        self.start()
        self.signal(2, "KILL", *sorted(self.pids(2, "weft-agent"), reverse=True))
        self.ends("node2")

    def test_the_ssh_to_a_host_is_killed(self):
        self.start()
        self.signal(1, "KILL", *[pid for pid, text in self.hosts.processes(1).items() if re.search(r"(^|/)ssh(\.py)? ", text)])
        self.ends("node2")

    def test_a_link_goes_down(self):
        self.start()
        self.hosts.link(2, "down")
        self.ends("node2", limit=3 * SOON)

    def test_a_host_loses_power(self):
        self.start()
        self.hosts.power_off(2)
        self.ends("node2", limit=3 * SOON)

    def test_the_launcher_is_killed(self):
        self.start()
        self.job.kill()
        self.job.wait()
        self.assertEqual(self.hosts.leftovers(wait=SOON), [])

    def test_the_launcher_is_interrupted(self):
        self.start()
        self.signal(1, "INT", *[pid for pid, text in self.hosts.processes(1).items()
                                if "oshrun" in text.split()[0] and "--hosts" in text][:1])
        self.read(limit=SOON)
        self.assertNotEqual(self.job.wait(SOON), 0)
        self.assertEqual(self.hosts.leftovers(wait=SOON), [])

    # What ends the job before it begins.

    def refused(self, *words, says):
        done = self.hosts.run(1, [OSHRUN, *words, STORM, "1"], capture_output=True, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, says)
        self.assertNotIn("storm", done.stdout)
        self.assertEqual(self.hosts.leftovers(wait=SOON), [])

    def test_atomic_operations_that_would_not_fit_together(self):
        """PE 3's by the network, and PE 0's by the processor."""
        odd_one = 'test $WEFT_PE != 3 || export WEFT_AMO=network; exec "$0" "$@"'
        self.refused("-n", "4", "--hosts", "node1,node2", "--env", "WEFT_AMO=cpu", "sh", "-c", odd_one,
                     says="weft: PE 3: shmem_init: WEFT_AMO is network here but cpu on PE 0; start all PEs with the same value")

    def test_networks_that_do_not_meet(self):
        """PE 3's is libfabric's, and PE 0's is TCP."""
        odd_one = 'test $WEFT_PE != 3 || export WEFT_NET=ofi; exec "$0" "$@"'
        self.refused("-n", "4", "--hosts", "node1,node2", "--env", "WEFT_NET=tcp", "sh", "-c", odd_one,
                     says="weft: PE 3: shmem_init: the network is ofi here but tcp on PE 0, .*WEFT_NET=tcp")

    def test_a_host_that_nobody_knows(self):
        self.refused("-n", "4", "--hosts", "node1,node9", says="oshrun: .*node9")

    def test_a_host_that_is_not_there(self):
        self.hosts.power_off(2)
        # The kernel would try for minutes; oshrun or ssh must not.
        self.refused("-n", "4", "--hosts", "node1,node2", says="oshrun: .*node2")


if __name__ == "__main__":
    run_tests()
