"""An installation with MPI's names, put together of what the build has, and an MPI of the tests' own in it."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("WEFT_TEST_BUILD", "build/dev")).resolve()
LIBDIR = os.environ.get("WEFT_TEST_LIBDIR", "lib")

# Where the build makes no mpi.h: as much of it as the tests and finders need.
HEADER = """
#ifndef MPI_H
#define MPI_H
#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#ifdef __cplusplus
extern "C" {
#endif
typedef struct MPI_ABI_Comm *MPI_Comm;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
int MPI_Init(int *argc, char ***argv);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Get_library_version(char *version, int *resultlen);
int MPI_Finalize(void);
#ifdef __cplusplus
}
#endif
#endif
"""
LIBRARY = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int number(const char *name, int otherwise) { return getenv(name) ? atoi(getenv(name)) : otherwise; }
int MPI_Init(int *argc, char ***argv) { (void)argc; (void)argv; return 0; }
int MPI_Comm_rank(MPI_Comm comm, int *rank) { (void)comm; *rank = number("OMPI_COMM_WORLD_RANK", 0); return 0; }
int MPI_Comm_size(MPI_Comm comm, int *size) { (void)comm; *size = number("OMPI_COMM_WORLD_SIZE", 1); return 0; }
int MPI_Get_library_version(char *version, int *resultlen) {
  strcpy(version, NAME);
  *resultlen = (int)strlen(version);
  return 0;
}
int MPI_Finalize(void) { return 0; }
"""
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, size, length;
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_library_version(name, &length);
  printf("rank %d of %d by %s\n", rank, size, name);
  return MPI_Finalize();
}
"""


def lines_of(size, name="ours"):
    return sorted(f"rank {rank} of {size} by {name}" for rank in range(size))


class Prefix(unittest.TestCase):
    """Each class has one installation, and each test a folder."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="weft-mpiexec-")
        cls.addClassCleanup(holder.cleanup)
        cls.prefix = Path(holder.name).resolve() / "prefix"
        cls.mpi = cls.prefix / LIBDIR / "weft/mpi"
        for folder in ("bin", "libexec/weft", f"{LIBDIR}/pkgconfig"):
            (cls.prefix / folder).mkdir(parents=True)
        for folder in ("bin", "include", "lib"):
            (cls.mpi / folder).mkdir(parents=True)
        shutil.copy(BUILD / "bin/oshrun", cls.prefix / "bin")
        shutil.copy(BUILD / "libexec/weft/weft-agent", cls.prefix / "libexec/weft")
        shutil.copy(BUILD / "weft-mpi.pc", cls.prefix / LIBDIR / "pkgconfig")
        for wrapper in ("weft-mpicc", "weft-mpicxx"):
            shutil.copy(BUILD / "tools/wrappers" / wrapper, cls.prefix / "bin")
            (cls.prefix / "bin" / wrapper).chmod(0o755)
        to_bin = os.path.relpath(cls.prefix / "bin", cls.mpi / "bin")
        for name, target in (("mpiexec", "oshrun"), ("mpirun", "oshrun"), ("mpicc", "weft-mpicc"),
                             ("mpicxx", "weft-mpicxx"), ("mpic++", "weft-mpicxx")):
            (cls.mpi / "bin" / name).symlink_to(f"{to_bin}/{target}")
        (cls.mpi / "include/mpi.h").write_text(HEADER)
        for built in (BUILD / "generated/mpi/include").glob("*.h"):
            shutil.copy(built, cls.mpi / "include")
        cls.make_library(cls.mpi / "lib", "libmpi_abi.so.1", "ours")
        (cls.mpi / "lib/libmpi_abi.so").symlink_to("libmpi_abi.so.1")

    @classmethod
    def make_library(cls, folder, soname, name):
        """An MPI of this name."""
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", f'-DNAME="{name}"', f"-I{cls.mpi}/include", "-xc",
                        "-", "-o", folder / soname], input=LIBRARY, text=True, check=True, timeout=120)

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="weft-user-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.environment = {"PATH": f"{self.mpi}/bin:{self.prefix}/bin:{os.environ['PATH']}"}

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def script(self, name, text):
        path = self.write(name, "#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return str(path)

    def run_command(self, *command, code=0, **environment):
        dropped = ("CC", "CXX", "LD_LIBRARY_PATH", "WEFT_CC", "WEFT_CXX", "WEFT_WRAPPED")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              check=False, env={**kept, **self.environment, **environment})
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def compile(self, *command, **environment):
        done = self.run_command(*command, **environment)
        self.assertEqual(done.stderr, "", f"{command}: a compiler that complains")

    def lines(self, *command, **environment):
        """What a job prints, when nothing is said of it."""
        done = self.run_command(*command, **environment)
        self.assertEqual(done.stderr, "", command)
        return sorted(done.stdout.splitlines())

    def says(self, line, *command, code, **environment):
        """The command fails with one line that begins so."""
        done = self.run_command(*command, code=code, **environment)
        self.assertTrue(done.stderr.startswith(line), f"{line}\nis not what is said:\n{done.stderr}")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
