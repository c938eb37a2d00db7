#!/usr/bin/env python3
"""What runs inside pretend hosts: the network between them, and each host's first process. hosts.py starts it.

usage: inside.py network FD COUNT [--rate=R] [--delay=USEC] [--ipv6] [--sshd]    in new network, mount and pid namespaces
       inside.py host    FD NUMBER [the same]                           the same and its own hostname and IPC
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = Path.cwd()


def call(text, *more):
    subprocess.run([*text.split(), *more], check=True, stdin=subprocess.DEVNULL)


def without_offloads(interface):
    # The delay line takes frames as they would be on a wire.
    call(f"ethtool -K {interface} tx off tso off gso off gro off")


def network(owner, count, options):
    """A bridge, and for each host a host and a cable to it. Ends, and with it everything, when the owner has gone."""
    call("mount -t proc proc /proc")
    call("ip link add bridge type bridge")
    call("ip link set bridge up")
    delay = next((option.partition("=")[2] for option in options if option.startswith("--delay=")), None)
    for i in range(1, count + 1):
        before = os.readlink("/proc/self/ns/net")
        with open(FOLDER / f"log/node{i}", "wb") as log:
            host = subprocess.Popen(
                ["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", sys.executable, "-IS",
                 __file__, "host", str(owner.fileno()), str(i), *options],
                pass_fds=[owner.fileno()], stdout=log, stderr=log)
        while os.readlink(f"/proc/{host.pid}/ns/net") == before:
            time.sleep(0.002)
        call(f"ip link add cable{i} type veth peer name eth0 netns {host.pid}")
        if delay:
            # cable - delay line - plug - socket - bridge
            call(f"ip link add plug{i} type veth peer name socket{i}")
            for end in (f"cable{i}", f"plug{i}", f"socket{i}"):
                without_offloads(end)
                call(f"ip link set {end} up")
            call(f"ip link set socket{i} master bridge")
            subprocess.Popen([FOLDER / "bin/delay", f"cable{i}", f"plug{i}", delay])
        else:
            call(f"ip link set cable{i} master bridge")
            call(f"ip link set cable{i} up")
    owner.recv(1)  # nothing is ever sent: it returns when the owner's end is closed
    shutil.rmtree(FOLDER, ignore_errors=True)


def host(owner, number, options):
    """Makes this a host, and then serves those who come by ssh. As first process it also takes in orphans."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    call("mount -t proc proc /proc")
    call("mount -t tmpfs tmpfs /dev/shm")
    call(f"mount --bind {FOLDER}/hosts /etc/hosts")
    socket.sethostname(f"node{number}")
    call("ip link set lo up")
    while subprocess.run(["ip", "link", "show", "eth0"], capture_output=True, check=False).returncode:
        time.sleep(0.005)
    # Without the second in which IPv6 looks whether somebody else has the address.
    call(f"ip addr add fd77::{number:x}/64 dev eth0 nodad" if "--ipv6" in options else f"ip addr add 10.77.0.{number}/24 dev eth0")
    for option in options:
        name, _, value = option.partition("=")
        if name == "--delay":
            without_offloads("eth0")
        elif name == "--rate":
            call(f"tc qdisc replace dev eth0 root tbf rate {value} burst 256k latency 20ms")
    call("ip link set eth0 up")
    os.environ["TMPDIR"] = f"{FOLDER}/tmp.node{number}"
    sys.path.insert(0, str(HERE))
    import ssh
    if "--sshd" in options:
        os.makedirs("/run/sshd", exist_ok=True)
        call(f"mount --bind {FOLDER}/ssh.d /etc/ssh/ssh_config.d")
        call(f"/usr/sbin/sshd -f {FOLDER}/sshd_config -o", f"SetEnv=PATH={os.environ['PATH']} TMPDIR={os.environ['TMPDIR']}")
        listener = None
    else:
        listener = ssh.listen(socket.AF_INET6 if "--ipv6" in options else socket.AF_INET)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel takes the orphans' endings away
    owner.send(f"node{number}".encode())
    owner.close()
    os.chdir("/")
    if listener:
        ssh.serve(listener)
    while True:
        signal.pause()


def main():
    what, descriptor, number, *options = sys.argv[1:]
    owner = socket.socket(fileno=int(descriptor))
    try:
        {"network": network, "host": host}[what](owner, int(number), options)
    except (OSError, subprocess.CalledProcessError) as error:
        owner.send(f"!{what}: {error}".encode())


if __name__ == "__main__":
    main()
