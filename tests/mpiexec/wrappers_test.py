#!/usr/bin/env python3
"""The compiler wrappers for MPI: what they add, what they answer to finders, and who finds them.

usage: wrappers_test.py [CASE]      WEFT_TEST_BUILD is the folder of the build
"""

import os
import shutil
import sys
import unittest

from prefix import LIBDIR, PROGRAM, Prefix, lines_of

CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(user C CXX)
find_package(MPI REQUIRED COMPONENTS C CXX)
enable_testing()
add_executable(c prog.c)
target_link_libraries(c PRIVATE MPI::MPI_C)
add_executable(cxx prog.cpp)
target_link_libraries(cxx PRIVATE MPI::MPI_CXX)
add_test(NAME c COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 ${MPIEXEC_PREFLAGS} $<TARGET_FILE:c> ${MPIEXEC_POSTFLAGS})
message(STATUS "mpiexec: ${MPIEXEC_EXECUTABLE}")
message(STATUS "version: ${MPI_C_VERSION}")
"""


class Flags(Prefix):
    def flags(self):
        return (f"-I{self.mpi}/include", f"-L{self.mpi}/lib -Wl,-rpath,{self.mpi}/lib -Wl,--enable-new-dtags -lmpi_abi")

    def test_as_open_mpi_is_asked(self):
        compiling, linking = self.flags()
        for dash in ("-", "--"):
            for what, answer in (("compile", compiling), ("link", linking), ("incdirs", f"{self.mpi}/include"),
                                 ("libdirs", f"{self.mpi}/lib"), ("libs", "mpi_abi"), ("command", "my-cc")):
                self.assertEqual(self.run_command("mpicc", f"{dash}showme:{what}", CC="my-cc").stdout.strip(), answer)
        self.assertRegex(self.run_command("mpicc", "--showme:version").stdout, r"^weft-mpicc: Weft [0-9.]+ \(Language: C\)\n$")
        self.assertRegex(self.run_command("mpic++", "--showme:version").stdout, r"^weft-mpicxx: Weft .*C\+\+\)\n$")
        self.assertEqual(self.run_command("mpicc", "--showme", "-O2", "a.c", CC="cc").stdout,
                         f"cc {compiling} -O2 a.c {linking}\n")

    def test_as_mpich_is_asked(self):
        compiling, linking = self.flags()
        self.assertEqual(self.run_command("mpicc", "-show", CC="cc").stdout, f"cc {compiling} {linking}\n")
        self.assertEqual(self.run_command("mpicxx", "-show", "-c", "a.cc", CXX="c++").stdout, f"c++ {compiling} -c a.cc\n")
        self.assertEqual(self.run_command("mpicc", "-compile-info", CC="cc").stdout, f"cc {compiling}\n")
        self.assertEqual(self.run_command("mpicc", "-link-info", CC="cc").stdout, f"cc {compiling} {linking}\n")

    def test_other_wrappers_say_whose_these_are(self):
        oshcc = str(self.mpi.parents[2] / "bin/oshcc")
        shutil.copy(os.path.join(os.environ["WEFT_TEST_BUILD"], "tools/wrappers/oshcc"), oshcc)
        os.chmod(oshcc, 0o755)
        self.says("oshcc: -compile-info is for wrappers of MPI", oshcc, "-compile-info", code=1)
        self.says("oshcc: -cc is for wrappers of MPI; write WEFT_CC=clang", oshcc, "-cc=clang", code=1)
        self.says("weft-mpicc: --safe is for oshcc", "mpicc", "--safe", "x.c", code=1)


class Compilers(Prefix):
    def setUp(self):
        super().setUp()
        self.write("prog.c", PROGRAM)

    def test_named_in_cc_they_do_not_run_themselves(self):
        (self.folder / "mine").symlink_to(self.prefix / "bin/weft-mpicc")
        for form in ("mpicc", "mpicc -O2", "weft-mpicc", "./mine", "env A=b mpicc -g", "mpicc.mpich", "mpicxx",
                     str(self.mpi / "bin/mpicc")):
            self.assertEqual(self.run_command("mpicc", "--showme:command", CC=form).stdout, "cc\n", form)
            self.compile("mpicc", "prog.c", "-o", "prog", CC=form)
        for form in ("gcc -I/opt/mpicc", "my-mpicc"):
            self.assertEqual(self.run_command("mpicc", "--showme:command", CC=form).stdout, f"{form}\n")
        self.says("weft-mpicc: WEFT_CC=mpicc leads back to a compiler wrapper of MPI; name the compiler itself", "mpicc", "prog.c",
                  code=1, WEFT_CC="mpicc")
        script = self.script("my-cc", 'exec mpicc "$@"')
        self.compile("mpicc", "prog.c", "-o", "prog", CC=script)

    def test_a_compiler_is_named(self):
        self.assertEqual(self.run_command("mpicc", "--showme:command", CC="mpicc", WEFT_CC="my -O7").stdout, "my -O7\n")
        self.assertEqual(self.run_command("mpicc", "-cc=clang", "--showme:command", CC="gcc").stdout, "clang\n")
        self.assertEqual(self.run_command("mpicxx", "-cxx=clang++", "--showme:command").stdout, "clang++\n")
        self.says('weft-mpicc: the compiler "no-such" is not there', "mpicc", "prog.c", code=127, WEFT_CC="no-such")

    def test_what_cannot_be_linked_is_told(self):
        self.says("weft-mpicc: -static cannot be: Weft is a shared library", "mpicc", "-static", "prog.c", code=1)
        self.says("weft-mpicc: -m32 asks for a 32-bit program", "mpicc", "-m32", "prog.c", code=1)

    def test_beside_the_wrappers_of_openshmem(self):
        """One is a compiler to the other, so that a program may be of both."""
        path = self.prefix / "bin/oshcc"
        shutil.copy(os.path.join(os.environ["WEFT_TEST_BUILD"], "tools/wrappers/oshcc"), path)
        path.chmod(0o755)
        self.assertEqual(self.run_command("mpicc", "--showme:command", CC="oshcc").stdout, "oshcc\n")
        shown = self.run_command("oshcc", "prog.c", CC="weft-mpicc -show").stdout
        self.assertIn("-lweft", shown)
        self.assertIn("-lmpi_abi", shown)
        self.assertEqual(self.run_command("oshcc", "prog.c", WEFT_CC="weft-mpicc -show").stdout, shown)
        self.compile("oshcc", "prog.c", "-c", WEFT_CC="weft-mpicc -O2")


class Programs(Prefix):
    def test_c_and_cxx(self):
        self.write("prog.c", PROGRAM)
        self.write("prog.cpp", PROGRAM)
        self.compile("mpicc", "-Wall", "-Werror", "prog.c", "-o", "c")
        self.compile("mpicxx", "-Wall", "-Werror", "prog.cpp", "-o", "cxx")
        self.compile("mpic++", "-c", "prog.cpp", "-o", "prog.o")
        self.compile("weft-mpicxx", "prog.o", "-o", "parts")
        for prog in ("./c", "./cxx", "./parts"):
            self.assertEqual(self.lines("mpiexec", "-n", "3", prog), lines_of(3))
            self.assertEqual(self.run_command(prog).stdout, "rank 0 of 1 by ours\n")

    def test_a_program_goes_with_any_library_of_the_standard(self):
        self.write("prog.c", PROGRAM)
        self.compile("mpicc", "prog.c", "-o", "prog")
        self.make_library(self.folder / "theirs", "libmpi_abi.so.1", "theirs")
        self.assertEqual(self.run_command("./prog", LD_LIBRARY_PATH=str(self.folder / "theirs")).stdout,
                         "rank 0 of 1 by theirs\n")


class Finders(Prefix):
    def need(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not there")

    def setUp(self):
        super().setUp()
        self.write("prog.c", PROGRAM)
        self.write("prog.cpp", PROGRAM)

    def builds(self, *options, **environment):
        self.need("cmake")
        self.write("CMakeLists.txt", CMAKE)
        shutil.rmtree(self.folder / "b", ignore_errors=True)
        configured = self.run_command("cmake", "-S", ".", "-B", "b", *options, **environment).stdout
        self.assertIn(f"mpiexec: {self.mpi}/bin/mpiexec", configured)
        self.assertRegex(configured, "version: [0-9]+[.][0-9]")
        self.run_command("cmake", "--build", "b", **environment)
        self.run_command("ctest", "--test-dir", "b", **environment)
        for prog in ("b/c", "b/cxx"):
            self.assertEqual(self.lines("mpiexec", "-n", "2", prog), lines_of(2))

    def test_cmake_by_path(self):
        self.builds()

    def test_cmake_by_home(self):
        self.builds(f"-DMPI_HOME={self.mpi}", PATH=os.environ["PATH"])

    def test_cmake_with_the_wrappers_as_compilers(self):
        self.builds("-DCMAKE_C_COMPILER=mpicc", "-DCMAKE_CXX_COMPILER=mpicxx")
        self.builds(CC="mpicc", CXX="mpicxx")

    def test_pkg_config(self):
        self.need("pkg-config")
        path = str(self.prefix / LIBDIR / "pkgconfig")
        flags = self.run_command("pkg-config", "--cflags", "--libs", "weft-mpi", PKG_CONFIG_PATH=path).stdout.split()
        self.compile("cc", "prog.c", *flags, "-o", "prog")
        self.assertEqual(self.lines("mpiexec", "-n", "2", "./prog"), lines_of(2))

    def test_make(self):
        self.need("make")
        self.write("Makefile", "prog: prog.c\n\t$(CC) $(CFLAGS) prog.c -o prog\n")
        self.compile("make", "CC=mpicc", "CFLAGS=-O2")
        self.assertEqual(self.lines("mpiexec", "-n", "2", "./prog"), lines_of(2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
