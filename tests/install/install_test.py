#!/usr/bin/env python3
"""What a user does with an installed Weft: compiles, links and runs, in many ways.

usage: install_test.py [CASE]       the prefix is in WEFT_TEST_PREFIX; with WEFT_TEST_THROUGH set, CC, CXX and FC name the
                                    wrappers, as in a build that was told CC=oshcc
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PREFIX = Path(os.environ.get("WEFT_TEST_PREFIX", "/usr/local"))
LIBDIR = os.environ.get("WEFT_TEST_LIBDIR", "lib")
SANITIZED = bool(os.environ.get("WEFT_TEST_SANITIZE"))
THROUGH = dict(CC="oshcc", CXX="oshc++ -O1", FC="oshfort") if os.environ.get("WEFT_TEST_THROUGH") else {}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HELLO_C, HELLO_CXX, HELLO_F = EXAMPLES / "c/hello.c", EXAMPLES / "cxx/hello.cpp", EXAMPLES / "fortran/hello.f90"
HELLO = sorted(f"hello from PE {pe} of 3" for pe in range(3))
# Static data of every kind of section, a peer's reached through it: what PIE and non-PIE could break.
STATICS_C = r"""
#include <shmem.h>
#include <stdio.h>
static long in_bss;
static long in_data = 7;
static shmem_ctx_t context = SHMEM_CTX_DEFAULT;
int main(void) {
  shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_ctx_long_p(context, &in_bss, 100 + me, (me + 1) % n);
  shmem_long_atomic_add(&in_data, 1, (me + 1) % n);
  shmem_barrier_all();
  int right = in_bss == 100 + (me + n - 1) % n && in_data == 8;
  printf(right ? "hello from PE %d of %d\n" : "wrong on PE %d of %d\n", me, n);
  shmem_finalize();
  return !right;
}
"""
GENERIC_C = r"""
#include <shmem.h>
#include <stdio.h>
static double value;
int main(void) {
  shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_p(&value, me + 0.5, (me + 1) % n);
  shmem_barrier_all();
  int right = shmem_g(&value, me) == (me + n - 1) % n + 0.5;
  printf(right ? "hello from PE %d of %d\n" : "wrong on PE %d of %d\n", me, n);
  shmem_finalize();
  return !right;
}
"""
MPI_C = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf(sum == size * (size - 1) / 2 ? "hello from rank %d of %d\n" : "wrong on rank %d of %d\n", rank, size);
  return MPI_Finalize();
}
"""
MPI_HELLO = sorted(f"hello from rank {rank} of 3" for rank in range(3))
MPI_THROUGH = dict(CC="mpicc", CXX="mpicxx") if THROUGH else {}
OLD_F = """
program old
  implicit none
  include 'PLACE'
  DECLARED
  call shmem_init()
  if (shmem_pe_accessible(0)) print '(A, I0, A, I0)', 'hello from PE ', shmem_my_pe(), ' of ', shmem_n_pes()
  call shmem_finalize()
end program old
"""


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise unittest.SkipTest(f"{program} is not there")


class Installed(unittest.TestCase):
    prefix = PREFIX
    libdir = LIBDIR

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="weft a user ")  # a blank in the user's path as well
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.environment = {"PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}"}

    def run_command(self, *command, code=0, **environment):
        kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "FC", "LD_LIBRARY_PATH")}
        done = subprocess.run([str(part) for part in command], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False, env={**kept, **THROUGH, **self.environment, **environment})
        if code is not None:
            self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def compile(self, *command, **environment):
        done = self.run_command(*command, **environment)
        self.assertEqual(done.stderr, "", f"{command}: a compiler that complains")
        return done

    def says_hello(self, program):
        done = self.run_command("oshrun", "-n", "3", program)
        self.assertEqual(sorted(done.stdout.splitlines()), HELLO)

    def says_hello_on_hosts(self, program):
        """Two hosts, which are this machine by two names: as ssh does it, but for the network between them."""
        if SANITIZED:
            self.skipTest("jobs on hosts are not tried with sanitizers")
        ssh = self.write("ssh", '#!/bin/sh\nwhile case $1 in -*) true;; *) false;; esac; do shift; done\nshift\n'
                                'exec /bin/sh -c "exec $*"\n')
        ssh.chmod(0o755)
        done = self.run_command("oshrun", "-n", "3", "--hosts", "a,b", "--ssh", "./ssh", program)
        self.assertEqual(sorted(done.stdout.splitlines()), HELLO)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path


class MpiProgram:
    """What an installation with MPI does with a program of it."""

    def has_mpi(self):
        mpi = self.prefix / self.libdir / "weft/mpi"
        if not (mpi / "bin/mpiexec").exists():
            self.skipTest("built without MPI")
        need("cc")
        path = f"{mpi / 'bin'}:{self.environment['PATH']}"
        self.write("hello_mpi.c", MPI_C)
        self.compile("mpicc", "-Wall", "-Wextra", "hello_mpi.c", "-o", "hello_mpi", PATH=path, **MPI_THROUGH)
        for command in (("mpiexec", "-n", "3"), ("mpirun", "-np", "3"), ("oshrun", "-n", "3")):
            done = self.run_command(*command, "./hello_mpi", PATH=path)
            self.assertEqual(sorted(done.stdout.splitlines()), MPI_HELLO, command)
            self.assertEqual(done.stderr, "", command)
        # The name that it is called by says what is meant without -n, and in whose words it speaks.
        self.assertEqual(self.run_command("mpiexec", "./hello_mpi", PATH=path).stdout, "hello from rank 0 of 1\n")
        self.assertTrue(self.run_command("mpirun", "-n", "0", "true", PATH=path, code=None).stderr.startswith("mpirun: "))
        return mpi


class Mpi(MpiProgram, Installed):
    def test_a_program_runs(self):
        self.has_mpi()

    def test_whole_paths_and_links_do(self):
        mpi = self.has_mpi()
        (self.folder / "my-launcher").mkdir()
        for name in ("mpicc", "mpiexec"):
            (self.folder / "my-launcher" / name).symlink_to(mpi / "bin" / name)
            for command in (mpi / "bin" / name, f"./my-launcher/{name}"):
                if name == "mpicc":
                    self.compile(command, "hello_mpi.c", "-o", "hello_too", **MPI_THROUGH)
                else:
                    done = self.run_command(command, "-n", "3", "./hello_too")
                    self.assertEqual(sorted(done.stdout.splitlines()), MPI_HELLO)

    def test_man_finds_its_functions(self):
        """By PATH, where mpicc is; and without that another MPI's page of the name is the one."""
        need("man")
        mpi = self.has_mpi()
        for name, page in (("MPI_Isend", "MPI_Isend"), ("MPI_Isend_c", "MPI_Isend")):
            found = self.run_command("man", "-w", name, PATH=f"{mpi / 'bin'}:{self.environment['PATH']}", MANPATH="")
            self.assertEqual(Path(found.stdout.strip()).resolve(), (mpi / f"share/man/man3/{page}.3.gz").resolve())
        self.assertEqual(list(self.prefix.glob("share/man/man3/MPI_*")), [])

    def test_pkg_config_knows_it(self):
        need("pkg-config")
        self.has_mpi()
        flags = self.run_command("pkg-config", "--cflags", "--libs", "weft-mpi",
                                 PKG_CONFIG_PATH=str(self.prefix / self.libdir / "pkgconfig")).stdout
        self.write("build", f"#!/bin/sh\nexec cc hello_mpi.c {flags.strip()} -o by_hand\n").chmod(0o755)
        if SANITIZED:
            self.skipTest("cc knows of no sanitizer")
        self.compile("./build")
        done = self.run_command("oshrun", "-n", "3", "./by_hand")
        self.assertEqual(sorted(done.stdout.splitlines()), MPI_HELLO)


class Layout(Installed):
    def test_what_lies_where(self):
        for name in ("bin/oshrun", "bin/oshcc", "bin/oshc++", "bin/oshfort", "include/shmem.h", "include/shmemx.h",
                     "include/mpp/shmem.h", f"{LIBDIR}/libweft.so", f"{LIBDIR}/libweft.so.0", f"{LIBDIR}/libweft_tcp.so",
                     "include/shmem.fh", "include/mpp/shmem.fh", "include/shmem_long.fh", f"{LIBDIR}/libweft_fortran.so",
                     f"{LIBDIR}/pkgconfig/weft.pc", f"{LIBDIR}/cmake/Weft/WeftConfig.cmake", "bin/weft-scale",
                     "share/man/man1/oshcc.1.gz", "share/man/man7/weft.7.gz", "share/man/man1/oshrun.1.gz",
                     "share/man/man1/weft-info.1.gz", "share/doc/weft/examples/c/hello.c", "share/doc/weft/LICENSE",
                     "bin/weft-info", "bin/weft-perf", "bin/weft-profile", "share/doc/weft/weft-info.schema.json",
                     f"{LIBDIR}/liboshmem.so", f"{LIBDIR}/libsma.so", "share/doc/weft/SECURITY.md",
                     f"{LIBDIR}/pkgconfig/openshmem.pc", f"{LIBDIR}/cmake/OpenSHMEM/OpenSHMEMConfig.cmake",
                     "share/bash-completion/completions/oshrun", "share/bash-completion/completions/oshc++",
                     "share/man/man1/weft-perf.1.gz", "libexec/weft/weft-agent", "share/doc/weft/guide/clusters.md"):
            self.assertTrue((self.prefix / name).exists(), name)

    def test_nothing_holds_the_path_of_the_prefix(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.suffix in ("", ".cmake", ".pc", ".h"):
                self.assertNotIn(str(self.prefix).encode(), path.read_bytes(), str(path))

    def test_the_libraries_need_only_the_c_library(self):
        if SANITIZED:
            self.skipTest("a sanitizer brings libraries of its own")
        core = next((self.prefix / LIBDIR).glob("libweft_core.so.*"))
        for library, other in ((core, set()), (self.prefix / LIBDIR / "libweft.so.0", {core.name})):
            done = self.run_command("readelf", "-d", library)
            needed = {line.split("[")[1].rstrip("]") for line in done.stdout.splitlines() if "(NEEDED)" in line}
            self.assertLessEqual(needed - other, {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
            self.assertLessEqual(other, needed)

    def test_nobody_links_with_the_core(self):
        self.assertFalse((self.prefix / LIBDIR / "libweft_core.so").exists())

    def test_only_weft_where_needs_libdw(self):
        tool = self.prefix / "libexec/weft/weft-where"
        if not tool.exists():
            self.skipTest("built without libdw")
        self.assertIn("libdw", self.run_command("readelf", "-d", tool).stdout)
        self.assertNotIn("libdw", self.run_command("readelf", "-d", self.prefix / "bin/oshrun").stdout)

    def test_only_the_placement_module_needs_hwloc(self):
        module = self.prefix / LIBDIR / "libweft_placement.so"
        if not module.exists():
            self.skipTest("built without hwloc")
        self.assertIn("libhwloc", self.run_command("readelf", "-d", module).stdout)
        self.assertTrue((self.prefix / "libexec/weft/weft-bindings").exists())
        for name in (f"{LIBDIR}/libweft.so.0", "bin/oshrun"):
            self.assertNotIn("libhwloc", self.run_command("readelf", "-d", self.prefix / name).stdout, name)

    def test_only_one_network_module_needs_libfabric(self):
        module = self.prefix / LIBDIR / "libweft_ofi.so"
        if not module.exists():
            self.skipTest("built without libfabric")
        self.assertIn("libfabric", self.run_command("readelf", "-d", module).stdout)
        for name in (f"{LIBDIR}/libweft.so.0", f"{LIBDIR}/libweft_tcp.so", "bin/oshrun", "libexec/weft/weft-agent"):
            self.assertNotIn("libfabric", self.run_command("readelf", "-d", self.prefix / name).stdout, name)

    def test_only_the_decoder_needs_zydis(self):
        needing = [path.name for path in (self.prefix / LIBDIR).glob("libweft*.so")
                   if "libZydis" in self.run_command("readelf", "-d", path).stdout]
        self.assertIn(needing, ([], ["libweft_decode.so"]))

    def test_weft_info_finds_the_installation(self):
        said = json.loads(self.run_command("weft-info", "--json").stdout)
        needs = {need["name"]: need["usable"] for transport in said["transports"] for need in transport["needs"]}
        module = self.prefix / LIBDIR / "libweft_placement.so"
        self.assertEqual(needs["placement on NUMA nodes"], module.exists())


class Compiler:
    """The ways to compile, for one compiler."""

    cc, cxx = "", ""

    def setUp(self):
        super().setUp()
        need(self.cc, self.cxx)
        self.environment.update(CC=self.cc, CXX=self.cxx)

    def test_standards_of_c(self):
        for standard in ("c99", "gnu99", "c11", "c17"):
            for level in ("-O0", "-O3"):
                with self.subTest(standard=standard, level=level):
                    self.compile("oshcc", f"-std={standard}", level, "-Wall", "-Wextra", "-Wpedantic", HELLO_C, "-o", "hello")
                    self.says_hello("./hello")

    def test_standards_of_cxx(self):
        for standard in ("c++11", "c++14", "c++17", "c++20"):
            with self.subTest(standard=standard):
                self.compile("oshc++", f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", HELLO_CXX, "-o", "hello")
                self.says_hello("./hello")

    def test_the_cxx_interface(self):
        for standard in ("c++17", "c++20"):
            with self.subTest(standard=standard):
                self.compile("oshc++", f"-std={standard}", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                             EXAMPLES / "cxx/halo.cpp", "-o", "halo")
                self.assertEqual(self.run_command("oshrun", "-n", "3", "./halo").stdout, "heat is kept: yes\n")
        done = self.run_command("oshc++", "-std=c++14", "-fsyntax-only", EXAMPLES / "cxx/halo.cpp", code=1)
        self.assertIn("needs C++17", done.stderr)

    def test_generic_names(self):
        self.write("generic.c", GENERIC_C)
        self.compile("oshcc", "-std=c11", "generic.c", "-o", "generic")
        self.says_hello("./generic")

    def test_static_data_in_every_kind_of_executable(self):
        self.write("statics.c", STATICS_C)
        for flags in ([], ["-O0"], ["-O3"], ["-fPIE", "-pie"], ["-fno-pie", "-no-pie"], ["-fPIC", "-pie"],
                      ["-Wl,-z,now"], ["-Wl,-z,lazy"], ["-Wl,-z,norelro"], ["-DWEFT_NO_INLINE"]):
            with self.subTest(flags=flags):
                self.compile("oshcc", *flags, "statics.c", "-o", "statics")
                self.says_hello("./statics")

    def test_compiling_and_linking_apart(self):
        self.compile("oshcc", "-Werror", "-c", HELLO_C, "-o", "hello.o")
        self.compile("oshcc", "hello.o", "-o", "hello")
        self.says_hello("./hello")

    def test_a_program_of_c_and_cxx(self):
        self.write("part.c", "#include <shmem.h>\nint me(void) { return shmem_my_pe(); }\n")
        self.write("main.cpp", '#include <shmem.h>\n#include <cstdio>\nextern "C" int me(void);\nint main() { shmem_init(); '
                               'std::printf("hello from PE %d of %d\\n", me(), shmem_n_pes()); shmem_finalize(); }\n')
        self.compile("oshcc", "-c", "part.c")
        self.compile("oshc++", "-c", "main.cpp")
        self.compile("oshc++", "main.o", "part.o", "-o", "both")
        self.says_hello("./both")


class Gcc(Compiler, Installed):
    cc, cxx = "gcc", "g++"


class Clang(Compiler, Installed):
    cc, cxx = "clang", "clang++"

    def setUp(self):
        if SANITIZED:
            self.skipTest("clang's sanitizers do not fit a library made with gcc's")
        super().setUp()


class Wrapper(Installed):
    def test_showme(self):
        shown = self.run_command("oshcc", "--showme", "-c", "a b.c", CC="my-cc -flag").stdout
        self.assertRegex(shown, r"^my-cc -flag .*-c 'a b\.c'\n$")
        self.assertNotIn("-lweft", shown)
        self.assertIn("-lweft", self.run_command("oshcc", "-show", "a.c").stdout)
        self.assertIn("-lweft", self.run_command("oshcc", "--showme").stdout)

    def test_showme_parts(self):
        compile_flags = self.run_command("oshc++", "--showme:compile").stdout
        link_flags = self.run_command("oshc++", "--showme:link").stdout
        self.assertIn(f"-I{self.prefix / 'include'}", compile_flags)
        self.assertNotIn("-lweft", compile_flags)
        self.assertIn("-lweft", link_flags)
        self.assertEqual(self.run_command("oshc++", "--showme:command", CXX="my-cxx").stdout, "my-cxx\n")
        self.assertEqual(self.run_command("oshc++", "--showme:incdirs").stdout, f"{self.prefix / 'include'}\n")
        self.assertEqual(len(self.run_command("oshc++", "--showme:nonsense", code=1).stderr.splitlines()), 1)

    def test_what_is_shown_can_be_run_by_a_shell(self):
        shown = self.run_command("oshcc", "--showme", HELLO_C, "-o", "hello there").stdout
        self.run_command("sh", "-c", shown)
        self.says_hello("./hello there")

    def test_flags_for_the_linker_come_only_when_it_links(self):
        for flag in ("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"):
            with self.subTest(flag=flag):
                self.assertNotIn("-lweft", self.run_command("oshcc", "-show", flag, "hello.c").stdout)

    def test_values_of_options_are_not_taken_for_options(self):
        self.assertIn("-lweft", self.run_command("oshcc", "-show", "hello.c", "-o", "-c").stdout)

    def test_the_compilers_own_options_pass(self):
        self.assertEqual(self.run_command("oshcc", "--version", CC="gcc").stdout,
                         self.run_command("gcc", "--version").stdout)
        self.run_command("oshcc", "-print-search-dirs")

    def test_help(self):
        self.assertIn("--showme", self.run_command("oshcc", "--help").stdout)

    def test_the_variable_may_hold_options(self):
        need("gcc")
        self.run_command("oshcc", HELLO_C, "-o", "hello", CC="env WEFT_UNUSED=1 gcc -O1")
        self.says_hello("./hello")

    def test_arguments_stay_whole(self):
        self.write("a b.c", HELLO_C.read_text().replace('"hello', "GREETING \""))
        self.run_command("oshcc", '-DGREETING="hello"', "a b.c", "-o", "c d")
        self.says_hello("./c d")
        self.write("star.c", "int main(void) { return !(3 TIMES 2 == 6); }\n")
        self.run_command("oshcc", "-DTIMES=*", "star.c", "-o", "star")
        self.run_command("./star")

    def test_the_exit_code_is_the_compilers(self):
        self.write("wrong.c", "int main(void) { return nothing; }\n")
        self.assertIn("nothing", self.run_command("oshcc", "wrong.c", code=1).stderr)

    def test_a_compiler_that_is_missing_is_one_clear_line(self):
        done = self.run_command("oshcc", "a.c", code=127, CC="no-such-cc")
        self.assertEqual(done.stderr, 'oshcc: the compiler "no-such-cc" is not there; install it or name another in CC\n')

    def test_through_a_symbolic_link(self):
        (self.folder / "links").mkdir()
        (self.folder / "links/second").symlink_to(self.prefix / "bin/oshcc")
        (self.folder / "links/first").symlink_to("second")
        self.run_command("links/first", HELLO_C, "-o", "hello")
        self.says_hello("./hello")

    def test_a_shared_library_of_the_user(self):
        self.write("part.c", "#include <shmem.h>\nint me(void) { return shmem_my_pe(); }\n")
        self.write("main.c", '#include <shmem.h>\n#include <stdio.h>\nint me(void);\nint main(void) { shmem_init(); '
                             'printf("hello from PE %d of %d\\n", me(), shmem_n_pes()); shmem_finalize(); return 0; }\n')
        self.run_command("oshcc", "-shared", "-fPIC", "part.c", "-o", "libpart.so")
        self.run_command("oshcc", "main.c", "-L.", "-lpart", "-Wl,-rpath,$ORIGIN", "-o", "main")
        self.says_hello("./main")


class Fortran(Installed):
    def setUp(self):
        super().setUp()
        need("gfortran")

    def test_hello(self):
        for flags in (["-O0"], ["-O3"], ["-no-pie"]):
            with self.subTest(flags=flags):
                self.compile("oshfort", *flags, HELLO_F, "-o", "hello")
                self.says_hello("./hello")

    def test_shared_pages(self):
        self.write("shared.f90", "program p\nuse weft_shared\ninteger, pointer :: a(:)\ncall weft_shared_init()\n"
                                 "call weft_shared_allocate(a, [5], from=0)\na(1) = 7\ncall weft_shared_barrier()\n"
                                 "print *, a(1)\ncall weft_shared_finalize()\nend\n")
        self.compile("oshfort", "shared.f90", "-o", "shared")
        self.assertEqual(self.run_command("oshrun", "-n", "2", "./shared").stdout.split(), ["7", "7"])

    def test_compiling_and_linking_apart(self):
        self.compile("oshfort", "-c", HELLO_F, "-o", "hello.o")
        self.compile("oshfort", "hello.o", "-o", "hello")
        self.says_hello("./hello")

    def test_the_old_interface_in_each_form_of_the_header(self):
        for form, declared in (("short", "integer shmem_my_pe, shmem_n_pes\n"),
                               ("constants", "integer shmem_my_pe, shmem_n_pes\nlogical shmem_pe_accessible\n"),
                               ("long", "")):
            for place in ("shmem.fh", "mpp/shmem.fh"):
                with self.subTest(form=form, place=place):
                    self.write("old.f90", OLD_F.replace("PLACE", place).replace("DECLARED", declared))
                    self.compile("oshfort", f"--header={form}", "old.f90", "-o", "old")
                    self.says_hello("./old")
                    if form == "short":
                        self.compile("oshfort", "old.f90", "-o", "old")
        self.assertEqual(len(self.run_command("oshcc", "--header=long", "a.c", code=1).stderr.splitlines()), 1)
        self.assertIn("short, constants and long", self.run_command("oshfort", "--header=all", "old.f90", code=1).stderr)

    def test_pkg_config(self):
        need("pkg-config")
        self.run_command("sh", "-c", f"eval gfortran {PkgConfig.sanitizer()} '{HELLO_F}' -o hello "
                         "$(pkg-config --cflags --libs weft-fortran)",
                         PKG_CONFIG_PATH=str(self.prefix / LIBDIR / "pkgconfig"))
        self.says_hello("./hello")

    def test_cmake_package(self):
        self.write("CMakeLists.txt", f"""
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C Fortran)
find_package(Weft REQUIRED)
add_executable(hello "{HELLO_F}")
target_link_libraries(hello PRIVATE Weft::fortran)
""")
        self.run_command("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                         f"-DCMAKE_Fortran_FLAGS={PkgConfig.sanitizer()}")
        self.run_command("cmake", "--build", "build")
        self.says_hello("build/hello")


class PkgConfig(Installed):
    def test_hello(self):
        need("pkg-config")
        path = str(self.prefix / LIBDIR / "pkgconfig")
        self.run_command("sh", "-c", f"eval cc {self.sanitizer()} '{HELLO_C}' -o hello $(pkg-config --cflags --libs weft)",
                         PKG_CONFIG_PATH=path)
        self.says_hello("./hello")
        version = self.run_command("pkg-config", "--modversion", "weft", PKG_CONFIG_PATH=path).stdout
        self.assertRegex(version, r"^\d+\.\d+\.\d+\n$")

    @staticmethod
    def sanitizer():
        return f"-fsanitize={os.environ['WEFT_TEST_SANITIZE']}" if SANITIZED else ""


class CMakePackage(Installed):
    def test_hello(self):
        self.write("CMakeLists.txt", f"""
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(Weft REQUIRED)
add_executable(hello "{HELLO_C}")
target_link_libraries(hello PRIVATE Weft::weft)
enable_testing()
add_test(NAME hello COMMAND ${{WEFT_OSHRUN}} -n 3 $<TARGET_FILE:hello>)
""")
        flags = [f"-DCMAKE_C_FLAGS={PkgConfig.sanitizer()}"]
        self.run_command("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *flags)
        self.run_command("cmake", "--build", "build")
        self.says_hello("build/hello")
        self.assertIn("100% tests passed", self.run_command("ctest", "--test-dir", "build").stdout)


class OnHosts(Installed):
    def test_hello(self):
        self.compile("oshcc", HELLO_C, "-o", "hello")
        self.says_hello_on_hosts("./hello")


class Moved(Installed):
    """The whole installation, at another place than it was installed to."""

    def setUp(self):
        super().setUp()
        self.prefix = self.folder / "another place"
        shutil.copytree(PREFIX, self.prefix, symlinks=True)
        self.environment["PATH"] = f"{self.prefix / 'bin'}:{os.environ['PATH']}"

    def uses_the_moved_library(self, program):
        listing = self.run_command("ldd", program).stdout
        found = [line.split(" => ")[1].rsplit(" (")[0] for line in listing.splitlines() if "libweft" in line]
        self.assertGreaterEqual(len(found), 2, "the core too")
        for library in found:
            self.assertEqual(Path(library).resolve().parent, (self.prefix / LIBDIR).resolve())

    def test_wrapper(self):
        self.run_command("oshcc", HELLO_C, "-o", "hello")
        self.uses_the_moved_library("./hello")
        self.says_hello("./hello")

    def test_the_tools(self):
        """The folder has a blank in its path, which LD_PRELOAD does not take."""
        if SANITIZED:
            self.skipTest("a sanitizer wants to be loaded first")
        self.write("shout.c", """
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
static long target;
int main(int argc, char **argv) {
  long on_stack = 0;
  shmem_init();
  printf("search %s\\n", getenv("LD_LIBRARY_PATH"));
  shmem_long_put(argc > 1 ? &on_stack : &target, &on_stack, 1, 0);
  shmem_finalize();
}
""")
        self.run_command("oshcc", "-g", "shout.c", "-o", "shout")
        self.environment["LD_LIBRARY_PATH"] = "/nowhere"
        done = self.run_command("oshrun", "--safe", "-n", "1", "./shout", "wrong", code=1)
        self.assertIn("search /nowhere\n", done.stdout)
        self.assertRegex(done.stderr, r"shmem_long_put: dest, .* is not symmetric: it is on the stack")
        done = self.run_command("oshrun", "--profile=recorded", "-n", "2", "./shout")
        self.assertIn("search /nowhere\n", done.stdout)
        self.assertIn("shmem_long_put", done.stderr)

    def test_a_job_on_hosts(self):
        OnHosts.test_hello(self)

    def test_the_placement_module(self):
        module = self.prefix / LIBDIR / "libweft_placement.so"
        if not module.exists():
            self.skipTest("built without hwloc")
        self.run_command("oshcc", HELLO_C, "-o", "hello")
        self.environment.update(WEFT_NUMA="interleave", LD_DEBUG="files", LD_DEBUG_OUTPUT=str(self.folder / "loaded"))
        oshrun = [str(self.prefix / "bin/oshrun"), "-n", "2", "./hello"]
        done = subprocess.run(oshrun, cwd=self.folder, env={**os.environ, **self.environment}, capture_output=True,
                              text=True, timeout=60, check=False)
        if "did not let the heap be placed" in done.stderr:
            self.skipTest("this kernel places no memory")
        self.assertEqual(done.returncode, 0, done.stderr)
        loaded = "".join(path.read_text(errors="replace") for path in self.folder.glob("loaded.*"))
        self.assertIn(f"file={module.resolve()} ", loaded)

        module.unlink()
        del self.environment["LD_DEBUG"]
        done = self.run_command("./hello", code=1)
        self.assertRegex(done.stderr, r"^weft: .*: WEFT_NUMA=interleave needs libweft_placement.so, which .*; install Weft "
                                      r"anew or unset WEFT_NUMA \(.*\)\n$")

    def test_pkg_config(self):
        need("pkg-config")
        self.run_command("sh", "-c", f"eval cc {PkgConfig.sanitizer()} '{HELLO_C}' -o hello $(pkg-config --cflags --libs weft)",
                         PKG_CONFIG_PATH=str(self.prefix / LIBDIR / "pkgconfig"))
        self.uses_the_moved_library("./hello")

    def test_cmake_package(self):
        CMakePackage.test_hello(self)
        self.uses_the_moved_library("build/hello")


def main():
    # A test that could not run is told to ctest as skipped, but only when none of its case ran.
    program = unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]], exit=False)
    result = program.result
    if not result.wasSuccessful():
        return 1
    return 77 if result.testsRun and len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
