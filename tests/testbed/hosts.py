#!/usr/bin/env python3
"""Pretend hosts on one machine: each has its own network, hostname, processes, /dev/shm, /etc/hosts and TMPDIR; other
files are shared.

usage: hosts.py [--rate RATE] [--delay USEC] [--ipv6] [--slurm] [--sshd] N COMMAND...
                runs COMMAND on node1 of node1..nodeN, which are reached by ssh; nothing of them is left when it ends
"""

import argparse
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOST = 64  # their addresses are 10.77.0.1 and so on, or fd77::1


class Unavailable(Exception):
    """This machine can have no pretend hosts; the text says why."""


class Hosts:
    """`with Hosts(3) as hosts: hosts.run(1, ["ssh", "node2", "hostname"])`

    Everything lives below one pid namespace, whose first process ends when this process does, however that comes about:
    with it end all processes and interfaces of all hosts. Several may be up at a time: they do not see each other.
    """

    def __init__(self, count, rate=None, delay=None, sshd=False, ipv6=False):
        assert 1 <= count <= MOST, f"1 to {MOST} hosts"
        self.count = count
        self.names = [f"node{i}" for i in range(1, count + 1)]
        self.as_root = os.geteuid() == 0
        self.processes_of_hosts = {}  # by name: the pid of its first process as we see it
        self.services = {}            # by name: the processes that are part of the host
        for tool, package in (("unshare", "util-linux"), ("nsenter", "util-linux"), ("setpriv", "util-linux"),
                              ("ip", "iproute2"), *([("tc", "iproute2")] if rate else []),
                              *([("ethtool", "ethtool"), ("cc", "gcc")] if delay else []),
                              *([("sshd", "openssh-server"), ("ssh-keygen", "openssh-client")] if sshd else [])):
            if not find(tool):
                raise Unavailable(f"pretend hosts need {tool} (Debian's package {package})")
        if sshd and not self.as_root:
            raise Unavailable("a real sshd on pretend hosts takes root")
        self.folder = Path(tempfile.mkdtemp(prefix="weft-hosts."))
        try:
            self.folder.chmod(0o755)
            self._write_files(sshd, ipv6)
            options = ([f"--rate={rate}"] if rate else []) + (["--ipv6"] if ipv6 else [])
            if delay:
                subprocess.run(["cc", "-O2", "-o", self.folder / "bin/delay", HERE / "delay.c"], check=True)
                options.append(f"--delay={delay}")
            self._start(options + (["--sshd"] if sshd else []))
            self.settle()
        except BaseException:
            self.close()
            raise

    def _write_files(self, sshd, ipv6):
        (self.folder / "bin").mkdir()
        (self.folder / "log").mkdir()
        for name in self.names:
            # Launchers name their files in there by the host only, and several sets of hosts may be up.
            (self.folder / f"tmp.{name}").mkdir()
        localhost, network = ("::1", "fd77::") if ipv6 else ("127.0.0.1", "10.77.0.")
        addresses = "".join(f"{network}{i:{'x' if ipv6 else 'd'}} {name}\n" for i, name in enumerate(self.names, 1))
        (self.folder / "hosts").write_text(f"{localhost} localhost\n{addresses}")
        if sshd:
            for key in ("id", "host"):
                subprocess.run([find("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key], check=True)
            shutil.copy(self.folder / "id.pub", self.folder / "authorized")
            (self.folder / "ssh.d").mkdir()
            (self.folder / "ssh.d/hosts.conf").write_text(
                f"IdentityFile {self.folder}/id\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n")
            (self.folder / "sshd_config").write_text(
                f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/authorized\nStrictModes no\nUsePAM no\n"
                f"PermitRootLogin yes\nPidFile none\nMaxStartups 100\n")
        else:
            stand_in = self.folder / "bin/ssh"
            stand_in.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {HERE}/ssh.py "$@"\n')
            stand_in.chmod(0o755)

    def _path(self):
        return f"{self.folder}/bin:{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"

    def _start(self, options):
        """Starts the network between the hosts, which starts the hosts; each tells us through a socket that it is ready."""
        self.owner, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.owner.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)  # the kernel adds pids as we see them
        rights = [] if self.as_root else ["--user", "--map-root-user"]
        with open(self.folder / "log/network", "wb") as log:
            self.network = subprocess.Popen(
                ["unshare", *rights, "--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
                 sys.executable, "-IS", HERE / "inside.py", "network", str(theirs.fileno()), str(self.count), *options],
                cwd=self.folder, env={**os.environ, "PATH": self._path()}, pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        theirs.close()
        end = time.monotonic() + 60
        while len(self.processes_of_hosts) < self.count:
            ready = select.select([self.owner], [], [], max(0, end - time.monotonic()))[0]
            message, extra = self.owner.recvmsg(1000, 100)[:2] if ready else (b"", [])
            if not message or message.startswith(b"!"):
                raise Unavailable("pretend hosts did not come up: " + (self.logs() or message.decode()[1:] or "no reason was given"))
            self.processes_of_hosts[message.decode()] = struct.unpack("3i", extra[0][2])[0]

    def logs(self):
        return "".join(log.read_text(errors="replace") for log in sorted((self.folder / "log").iterdir())).strip()

    def command(self, host, words):
        """What to execute so that `words` run on a host (a number from 1); they are killed when that ends early."""
        pid = self.processes_of_hosts[f"node{host}"]
        user = [] if self.as_root else ["--user", "--preserve-credentials"]
        return ["nsenter", "--target", str(pid), *user, "--mount", "--uts", "--ipc", "--net", "--pid", "setpriv",
                "--pdeathsig", "KILL", "env", "-C", os.getcwd(), f"PATH={self._path()}",
                f"TMPDIR={self.folder}/tmp.node{host}", *map(str, words)]

    def run(self, host, words, **how):
        """subprocess.run on a host."""
        return subprocess.run(self.command(host, words), check=how.pop("check", False), **how)

    def popen(self, host, words, **how):
        """subprocess.Popen on a host."""
        return subprocess.Popen(self.command(host, words), **how)

    def link(self, host, state):
        """Takes a host's link "down" or "up"."""
        self.run(host, ["ip", "link", "set", "eth0", state], check=True)

    def power_off(self, host):
        """All of a host is gone at once; the others hear no word of it."""
        self.link(host, "down")
        os.kill(self.processes_of_hosts.pop(f"node{host}"), signal.SIGKILL)

    def files(self, host, folder):
        """A folder as the host sees it, for reading from here."""
        return Path(f"/proc/{self.processes_of_hosts[f'node{host}']}/root{folder}")

    def settle(self):
        """What runs on the hosts now is theirs, and no job's."""
        self.services = {}
        self.services = {name: set(self.processes(int(name[4:]))) for name in self.processes_of_hosts}

    def processes(self, host):
        """Command lines by pid of what runs on a host, without its services."""
        found = {}
        for place in self.files(host, "/proc").glob("[0-9]*"):
            try:
                words = (place / "cmdline").read_bytes().split(b"\0")[:-1]
                state = (place / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue  # it has ended just now
            text = b" ".join(words).decode(errors="replace")
            pid = int(place.name)
            if pid not in self.services.get(f"node{host}", set()) and state != "Z":
                found[pid] = text
        return found

    def leftovers(self, wait=2):
        """What jobs have left on the hosts, a line each; what is just ending is given a while for it."""
        end = time.monotonic() + wait
        while True:
            left = []
            for name in self.processes_of_hosts:
                host = int(name[4:])
                left += [f"{name}: process {pid} {text}" for pid, text in self.processes(host).items()]
                left += [f"{name}: /dev/shm/{path.name}" for path in self.files(host, "/dev/shm").iterdir()]
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.02)

    def close(self):
        if getattr(self, "network", None):
            self.owner.close()
            try:
                self.network.wait(5)
            except subprocess.TimeoutExpired:
                self.network.kill()
                self.network.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def find(tool):
    return shutil.which(tool, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")


def run_tests():
    """unittest.main() of a file of tests that need hosts; ctest counts it as skipped where there can be none."""
    try:
        Hosts(1).close()
    except Unavailable as why:
        print(why)
        sys.exit(77)
    unittest.main()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", help="what a host's link carries, such as 1gbit")
    parser.add_argument("--delay", type=int, help="microseconds that each host's link adds one way")
    parser.add_argument("--ipv6", action="store_true", help="the hosts have IPv6 addresses only")
    parser.add_argument("--slurm", action="store_true", help="srun and the like work on the hosts")
    parser.add_argument("--sshd", action="store_true", help="a real sshd instead of the stand-in (takes root)")
    parser.add_argument("count", type=int, metavar="N")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    options = parser.parse_args()
    if not options.command or not 1 <= options.count <= MOST:
        parser.error(f"give a number of hosts from 1 to {MOST} and a command for the first of them")
    try:
        with Hosts(options.count, options.rate, options.delay, options.sshd, options.ipv6) as hosts:
            environment = dict(os.environ)
            if options.slurm:
                import slurm
                environment |= slurm.start(hosts)
            return hosts.run(1, options.command, env=environment).returncode
    except Unavailable as why:
        print(f"hosts.py: {why}", file=sys.stderr)
        return 77


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    import hosts as module  # so that slurm.py and this are of one mind about what Unavailable is
    sys.exit(module.main())
