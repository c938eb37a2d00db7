#!/usr/bin/env python3
"""A small virtual machine with an RDMA device (the kernel's soft RoCE), in which programs of this machine run.

usage: machine.py FOLDER [--limit S] [--with FILE]... COMMAND...

COMMAND is a line for the shell inside. Each FILE and each file that COMMAND names is there under its own name, with the
libraries it is linked with; what is loaded at run time must be named by --with. Prints what COMMAND printed and ends as
it did, within S seconds (120). In FOLDER the kernel is kept, which is Debian's, fetched by apt-get and installed nowhere.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NEEDED = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "rdma": "iproute2", "cpio": "cpio",
          "modprobe": "kmod", "depmod": "kmod", "dpkg-deb": "dpkg", "apt-get": "apt"}
# rdma_rxe finds no checksum without the two first.
MODULES = ["crc32_generic", "crc32_pclmul", "virtio_pci", "virtio_net", "ib_uverbs", "rdma_ucm", "rdma_rxe"]
PARTS = ["./boot/vmlinuz-*", "./lib/modules/*/modules.*", *(f"./lib/modules/*/kernel/{part}" for part in (
    "arch/x86/crypto/*", "crypto/*", "lib/*", "drivers/infiniband/core/*", "drivers/infiniband/sw/*", "drivers/virtio/*",
    "drivers/net/virtio_net.ko", "drivers/net/net_failover.ko", "net/core/*", "net/ipv4/*", "net/ipv6/*", "fs/configfs/*"))]

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mkdir -p /dev/shm /tmp /run
mount -t tmpfs tmpfs /dev/shm
while read -r module; do insmod "$module" || poweroff -f; done </modules
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
hostname virtual
{rdma} link add rxe0 type rxe netdev eth0
for i in $(seq 100); do grep -q ACTIVE /sys/class/infiniband/rxe0/ports/1/state && break; usleep 50000; done
stty -F /dev/ttyS1 raw
ulimit -l unlimited
cd {folder}
sh /command </dev/null >/dev/ttyS1 2>&1
echo "status $?" >/dev/ttyS1
poweroff -f
"""


class Unavailable(Exception):
    """This machine can have no virtual one; the text says why."""


def tool(name):
    found = shutil.which(name, path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    if not found:
        raise Unavailable(f"{name} is not there (Debian's package {NEEDED[name]})")
    return found


def output(*words, **how):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True, **how).stdout


def kernel(folder):
    """A folder with Debian's newest kernel and those of its modules that we want; fetched once."""
    place = folder / "kernel"
    if place.exists():
        return place
    known = output("apt-cache", "depends", "linux-image-amd64")
    name = re.search(r"Depends: (linux-image-\S+)", known)
    if not name:
        raise Unavailable("apt-cache knows no linux-image-amd64; a virtual machine takes Debian's kernel")
    with tempfile.TemporaryDirectory(dir=folder) as work:
        done = subprocess.run(["apt-get", "-q", "download", name[1]], cwd=work, capture_output=True, text=True, check=False)
        packages = list(Path(work).glob("*.deb"))
        if done.returncode or not packages:
            raise Unavailable(f"apt-get download {name[1]} failed: {done.stderr.strip()}")
        tree = Path(work, "tree")
        tree.mkdir()
        files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", packages[0]], stdout=subprocess.PIPE)
        # tar says so when a pattern matches nothing; what is missing shows when modules are looked for.
        subprocess.run(["tar", "-x", "-C", tree, "--wildcards", *PARTS], stdin=files.stdout, stderr=subprocess.DEVNULL, check=False)
        files.communicate()
        version = next((tree / "lib/modules").iterdir()).name
        output(tool("depmod"), "-b", tree, version)
        tree.rename(place)
    return place


def modules(place):
    """The files of MODULES and of what they need, in the order in which they are loaded."""
    version = next((place / "lib/modules").iterdir()).name
    found = []
    for name in MODULES:
        for line in output(tool("modprobe"), "--show-depends", "-d", place, "-S", version, name).splitlines():
            words = line.split()
            if words[0] == "insmod" and words[1] not in found:
                found.append(words[1])
    return [Path(name) for name in found]


def with_libraries(files):
    """The files and all libraries they are linked with."""
    found = set()
    for file in files:
        found.add(Path(file))
        for line in subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout.splitlines():
            found |= {Path(word) for word in line.split() if word.startswith("/")}
    return found


def drivers():
    """What libibverbs loads by itself."""
    return [*Path("/etc/libibverbs.d").glob("rxe*"), *Path("/usr/lib").glob("*/libibverbs/librxe*")]


def make_archive(place, work, command, files):
    """The initial file system, of which the machine has no other."""
    root = Path(work, "root")
    for folder in ("bin", "proc", "sys", "dev", "etc"):
        (root / folder).mkdir(parents=True)
    shutil.copy(tool("busybox"), root / "bin/busybox")
    for file in with_libraries([tool("rdma"), *drivers(), *files]):
        there = root / file.relative_to("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists():
            shutil.copy(file, there)
    names = []
    for file in modules(place):
        shutil.copy(file, root / file.name)
        names.append(f"/{file.name}\n")
    (root / "modules").write_text("".join(names))
    (root / "command").write_text(command + "\n")
    (root / "etc/passwd").write_text("root::0:0:root:/:/bin/sh\nnobody::65534:65534:nobody:/:/bin/sh\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n10.0.2.15 virtual\n")
    (root / Path.cwd().relative_to("/")).mkdir(parents=True, exist_ok=True)
    (root / "init").write_text(INIT.format(rdma=tool("rdma"), folder=shlex.quote(str(Path.cwd()))))
    (root / "init").chmod(0o755)
    archive = Path(work, "initial")
    with open(archive, "wb") as out:
        subprocess.run(["sh", "-c", f"find . | {tool('cpio')} -o -H newc --quiet"], cwd=root, stdout=out, check=True)
    return archive


def check():
    """Raises Unavailable where something is missing."""
    for name in NEEDED:
        tool(name)
    if not drivers():
        raise Unavailable("libibverbs has no driver of soft RoCE (Debian's package ibverbs-providers)")


def run(folder, command, files=(), processors=2, memory=1024, limit=120):
    """What the command prints, and its exit status."""
    check()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    place = kernel(folder)
    image = next((place / "boot").glob("vmlinuz-*"))
    named = [word for word in shlex.split(command) if word.startswith("/") and Path(word).is_file()]
    with tempfile.TemporaryDirectory() as work:
        archive = make_archive(place, work, command, [*files, *named])
        try:
            subprocess.run([tool("qemu-system-x86_64"), "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", str(processors), "-m", str(memory),
                            "-nodefaults", "-nographic", "-no-reboot", "-kernel", image, "-initrd", archive,
                            "-append", "console=ttyS0 quiet panic=-1", "-serial", f"file:{work}/console",
                            "-serial", f"file:{work}/output", "-nic", "user,restrict=on,model=virtio-net-pci"],
                           stdin=subprocess.DEVNULL, check=True, timeout=limit)
            why = "it ended early"
        except subprocess.TimeoutExpired:
            why = f"it did not end within {limit} s"
        text = Path(work, "output").read_text(errors="replace")
        status = re.search(r"^status (\d+)\n\Z", text, flags=re.M)
        if not status:
            console = Path(work, "console").read_text(errors="replace")
            raise RuntimeError(f"the virtual machine: {why}; its console:\n{console[-3000:]}\nits output:\n{text}")
        return text[:status.start()], int(status[1])


def main():
    words = sys.argv[1:]
    folder, files, limit = words.pop(0), [], 120.0
    while words and words[0] in ("--with", "--limit"):
        option, value = words[:2]
        if option == "--with":
            files.append(os.path.abspath(value))
        else:
            limit = float(value)
        del words[:2]
    try:
        text, status = run(folder, " ".join(words), files, limit=limit)
    except Unavailable as why:
        print(f"machine.py: {why}", file=sys.stderr)
        return 77
    print(text, end="")
    return status


if __name__ == "__main__":
    sys.exit(main())
