#!/usr/bin/env python3
"""The pretend hosts of tests/testbed are what tests take them for."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TESTBED = Path(__file__).resolve().parents[1] / "testbed"
sys.path.insert(0, str(TESTBED))
from hosts import Hosts, Unavailable, run_tests  # noqa: E402  (it is in a folder of its own)


def output(hosts, host, *words, **how):
    return hosts.run(host, words, capture_output=True, text=True, check=True, timeout=60, **how).stdout


class Testbed(unittest.TestCase):
    def test_hosts_share_files_and_nothing_else(self):
        with Hosts(2) as hosts, tempfile.TemporaryDirectory() as folder:
            Path(folder, "word").write_text("shared")
            for host in (1, 2):
                self.assertEqual(output(hosts, host, "hostname"), f"node{host}\n")
                self.assertEqual(output(hosts, host, "cat", f"{folder}/word"), "shared")
            output(hosts, 1, "touch", "/dev/shm/mine")
            self.assertEqual(output(hosts, 2, "ls", "/dev/shm"), "")
            for host in (1, 2):
                expected = f"{hosts.folder}/tmp.node{host}\n"
                self.assertEqual(output(hosts, host, "printenv", "TMPDIR"), expected)
                self.assertEqual(output(hosts, 1, "ssh", f"node{host}", "printenv", "TMPDIR"), expected)
            sleeper = hosts.popen(1, ["sleep", "100"])
            with sleeper:
                while "sleep" not in str(hosts.processes(1)):
                    time.sleep(0.01)
                self.assertEqual(hosts.processes(2), {})
                left = hosts.leftovers(wait=0)
                self.assertRegex(left[0], r"node1: process \d+ sleep 100")
                self.assertEqual(left[1], "node1: /dev/shm/mine")
                sleeper.kill()
            output(hosts, 1, "rm", "/dev/shm/mine")
            self.assertEqual(hosts.leftovers(), [])

    def test_ssh_is_what_launchers_take_it_for(self):
        with Hosts(2) as hosts:
            done = hosts.run(1, ["ssh", "-o", "BatchMode=yes", "-x", "me@node2", "hostname;", "cat;", "echo bad >&2; echo $MARK; exit 7"],
                             input=b"x" * 1000000, capture_output=True, env={**os.environ, "MARK": "passed on"}, timeout=60)
            self.assertEqual(done.stdout, b"node2\n" + b"x" * 1000000 + b"\n")
            self.assertEqual(done.stderr, b"bad\n")
            self.assertEqual(done.returncode, 7)
            done = hosts.run(1, ["ssh", "node9", "true"], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 255)
            self.assertRegex(done.stderr, "^ssh: connect to host node9 port 22: ")

    def test_a_command_outlives_its_ssh_but_its_input_ends(self):
        with Hosts(2) as hosts, tempfile.TemporaryDirectory() as folder:
            client = hosts.popen(1, ["ssh", "node2", f"echo up; cat >/dev/null; echo ended >{folder}/word"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            with client:
                self.assertEqual(client.stdout.readline(), b"up\n")
                client.kill()
            for _ in range(1000):
                if Path(folder, "word").exists():
                    break
                time.sleep(0.01)
            self.assertTrue(Path(folder, "word").exists())
            self.assertEqual(hosts.leftovers(), [])

    def test_a_link_can_fail_and_come_back(self):
        reach = ["timeout", "1", "bash", "-c", "exec 3<>/dev/tcp/node2/22"]
        with Hosts(2) as hosts:
            self.assertEqual(hosts.run(1, reach).returncode, 0)
            hosts.link(2, "down")
            self.assertNotEqual(hosts.run(1, reach, stderr=subprocess.DEVNULL).returncode, 0)
            hosts.link(2, "up")
            self.assertEqual(hosts.run(1, ["ssh", "node2", "true"], timeout=60).returncode, 0)
            hosts.power_off(2)
            self.assertNotEqual(hosts.run(1, reach, stderr=subprocess.DEVNULL).returncode, 0)

    def test_a_line_can_be_slow(self):
        try:
            with Hosts(2, delay=20000) as hosts:
                start = time.monotonic()
                output(hosts, 1, "ssh", "node2", "true")
                # Three crossings at the least, of 20 ms at each end.
                self.assertGreater(time.monotonic() - start, 0.12)
        except Unavailable as why:
            self.skipTest(str(why))

    def test_nothing_is_left_when_the_owner_is_killed(self):
        word = f"99{os.getpid()}"
        owner = subprocess.Popen([sys.executable, "-B", str(TESTBED / "hosts.py"), "2", "sh", "-c",
                                  f"ssh node2 sleep {word} & echo $$; sleep {word}"], stdout=subprocess.PIPE)
        with owner:
            owner.stdout.readline()
            owner.send_signal(signal.SIGKILL)
        for _ in range(1000):
            left = subprocess.run(["pgrep", "-f", f"sleep {word}"], capture_output=True, text=True, check=False).stdout
            if not left:
                break
            time.sleep(0.01)
        self.assertEqual(left, "")

    def test_two_testbeds_do_not_meet(self):
        with Hosts(1) as one, Hosts(2) as two:
            self.assertEqual(output(one, 1, "hostname"), output(two, 1, "hostname"))
            self.assertNotEqual(one.run(1, ["timeout", "1", "ssh", "node2", "true"], stderr=subprocess.DEVNULL).returncode, 0)

    @unittest.skipIf(os.geteuid(), "takes root to become nobody")
    def test_root_is_not_needed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            for path in TESTBED.iterdir():
                if path.is_file():
                    Path(folder, path.name).write_bytes(path.read_bytes())
            python = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
            done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", "-C", "/", python, "-B",
                                   f"{folder}/hosts.py", "2", "ssh", "node2", "hostname"], capture_output=True, text=True,
                                  timeout=60, check=False)
            if done.returncode == 77:
                self.skipTest(done.stderr)
            self.assertEqual(done.stdout, "node2\n", done.stderr)

    def test_what_is_missing_is_one_clear_line(self):
        done = subprocess.run([sys.executable, "-B", str(TESTBED / "hosts.py"), "2", "true"], env={**os.environ, "PATH": "/nowhere"},
                              capture_output=True, text=True, check=False)
        if done.returncode != 77:
            self.skipTest("all tools are in /usr/sbin here")
        self.assertRegex(done.stderr, r"^hosts.py: pretend hosts need \w+ \(Debian's package [\w-]+\)\n$")


if __name__ == "__main__":
    run_tests()
