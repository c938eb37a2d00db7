#!/usr/bin/env python3
"""Writes a Python wheel that holds what the tar.gz holds: `pip install` lays it down in the environment's own bin, lib,
include and share, and since an installed Weft can be moved it works there as anywhere. Needs Python, binutils and cc.

usage: wheel.py ARCHIVE FOLDER      ARCHIVE: weft-VERSION-linux-MACHINE.tar.gz; the wheel is written to FOLDER

Where a wheel differs from the archive:
- It holds no links. The library that a chain of links leads to gets the name programs look for when they start
  (libweft.so.0), and the name the linker looks for is a linker script that says so. A copy would do for linking, but a
  program that also opened it by that name would have the library twice.
- MPI's names for the launcher and the wrappers are scripts, which start these by the name that was called.
- The names by which programs ask for their compiler's OpenMP library are libraries that have nothing but the versions
  of its symbols, and ask for ours. Copies would be two libraries to who needs it by both names.
- The manual pages of single routines are left out: pip would write thousands of small files.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

METADATA = """\
Metadata-Version: 2.1
Name: weft
Version: {version}
Summary: OpenSHMEM 1.6 for Linux machines
License: BSD-3-Clause
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Requires-External: glibc (>={glibc})
Description-Content-Type: text/plain

Weft runs OpenSHMEM programs on Linux machines, one or several. In the environment it is installed in:

  oshcc hello.c -o hello
  oshrun -n 4 ./hello

MPI programs run on it too: the folder lib/weft/mpi of the environment has MPI's header, library, mpicc and mpiexec.
OpenMP programs, as they were compiled or by weft-ompcc, run on several processes: weftrun -n 2 ./a.out.

It needs glibc {glibc} or later, to compile a C compiler, and nothing else to run. libhwloc.so.15, where it is there, lets
it place memory and processes; gfortran compiles programs in Fortran.
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: weft-wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"
# ELF files by their first bytes; scripts and text have none of them.
ELF = b"\x7fELF"

# bash, as other shells cannot say what a program is to be called.
CALLED_SO = """\
#!/usr/bin/env bash
# Another name of {target}; a wheel holds no links.
self=$(readlink -f "$0") && exec -a "$0" "${{self%/*}}/{target}" "$@"
"""


def newest_glibc(root):
    """The version of glibc that the most demanding file needs: what is linked with it asks for symbols by version."""
    versions = {(2, 17)}
    for path in root.rglob("*"):
        if path.is_symlink() or not path.is_file() or path.read_bytes()[:4] != ELF:
            continue
        needs = subprocess.run(["readelf", "--version-info", "--wide", path], capture_output=True, text=True, check=True)
        versions |= {tuple(map(int, v.split("."))) for v in re.findall(r"\bGLIBC_(\d+\.\d+)", needs.stdout)}
    return ".".join(map(str, max(versions)))


def stands_for(path):
    """A library of the link's name that loads what it leads to. Symbols are searched in both, versions in the one that
    is named."""
    library = path.resolve()
    said = subprocess.run(["readelf", "--version-info", "--wide", library], capture_output=True, text=True, check=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    defined = said.partition("Version definition section")[2].partition("Version needs section")[0]
    # But for the first, which is the library's own name.
    versions = [name for flags, name in re.findall(r"Flags: (\S+).*Name: (\S+)", defined) if flags != "BASE"]
    if not versions:
        sys.exit(f"wheel.py: readelf finds no versions of symbols in {library}")
    with tempfile.TemporaryDirectory() as holder:
        symbols, made = Path(holder) / "map", Path(holder) / path.name
        symbols.write_text("".join(f"{version} {{ }};\n" for version in versions))
        # An RPATH, which comes before LD_LIBRARY_PATH: another installation's library is not to stand for this one's.
        subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-nostdlib", "-x", "c", "/dev/null", "-x", "none",
                        "-Wl,--no-as-needed", library, "-o", made,
                        f"-Wl,-soname,{path.name},--version-script,{symbols},--build-id=none,-s,-z,relro",
                        f"-Wl,--disable-new-dtags,-rpath,$ORIGIN/{os.path.relpath(library.parent, path.parent)}"],
                       check=True)
        return made.read_bytes()


def contents(root):
    """(path in the installation, bytes, may be executed) of every file of the wheel."""
    final_names = {}  # libweft.so.0.1.0 -> libweft.so.0
    for link in [*root.glob("lib*/*.so.*"), *root.glob("lib*/weft/mpi/lib/*.so.*")]:
        if link.is_symlink():
            final_names[link.resolve().name] = link.name
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_dir() or "share/man/man3/" in name:
            continue
        executable = bool(path.stat().st_mode & 0o100)
        if path.is_symlink() and path.parent.match("weft/openmp"):
            yield name, stands_for(path), False
            continue
        if path.is_symlink() and path.resolve().name in final_names:
            if path.suffix == ".so":
                yield name, f"INPUT({final_names[path.resolve().name]})\n".encode(), False
            continue
        if path.is_symlink() and path.parent.match("weft/mpi/bin"):
            yield name, CALLED_SO.format(target=os.readlink(path)).encode(), True
            continue
        if path.name in final_names:
            name = f"{name[:-len(path.name)]}{final_names[path.name]}"
        data = path.read_bytes()
        if path.suffix == ".cmake":
            for old, new in final_names.items():
                data = data.replace(f"/{old}\"".encode(), f"/{new}\"".encode())
        yield name, data, executable


class Wheel:
    """A zip file with a RECORD of what is in it; every time in it is that of the sources, or none."""

    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
        self.when = time.gmtime(max(epoch, 315532800))[:6]  # a zip file knows no time before 1980
        self.record = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name, self.when)
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f'"{name}",sha256={digest},{len(data)}\n')

    def close(self, record):
        self.zip.writestr(zipfile.ZipInfo(record, self.when), "".join([*self.record, f"{record},,\n"]))
        self.zip.close()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    archive, folder = Path(sys.argv[1]), Path(sys.argv[2])
    name = re.fullmatch(r"weft-([\d.]+)-linux-(\w+)\.tar\.gz", archive.name)
    if not name:
        sys.exit(f"wheel.py: {archive.name} is not of the form weft-VERSION-linux-MACHINE.tar.gz")
    version, machine = name.groups()
    # Not a manylinux tag: those promise that only a short list of libraries is needed, and hwloc and gfortran's, which
    # parts of this wheel can use, are not on it.
    tag = f"py3-none-linux_{machine}"
    with tempfile.TemporaryDirectory() as holder:
        with tarfile.open(archive) as packed:
            packed.extractall(holder)
        root = Path(holder) / archive.name.removesuffix(".tar.gz")
        path = folder / f"weft-{version}-{tag}.whl"
        wheel = Wheel(path)
        for inside, data, executable in contents(root):
            scheme = "scripts" if inside.startswith("bin/") else "data"
            wheel.add(f"weft-{version}.data/{scheme}/{inside.removeprefix('bin/')}", data, executable)
        info = f"weft-{version}.dist-info"
        wheel.add(f"{info}/METADATA", METADATA.format(version=version, glibc=newest_glibc(root)).encode())
        wheel.add(f"{info}/WHEEL", WHEEL.format(tag=tag).encode())
        wheel.add(f"{info}/LICENSE", (root / "share/doc/weft/LICENSE").read_bytes())
        wheel.add(f"{info}/libsodium-notice.txt", (root / "share/doc/weft/libsodium-notice.txt").read_bytes())
        wheel.close(f"{info}/RECORD")
    print(path)


if __name__ == "__main__":
    main()
