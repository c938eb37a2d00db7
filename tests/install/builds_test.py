#!/usr/bin/env python3
"""Other people's builds that are told to use the wrappers: CC=oshcc in all its forms, make, autotools, CMake.

usage: builds_test.py [CASE]       the prefix is in WEFT_TEST_PREFIX
"""

import os
import shutil
import sys
import tempfile

import install_test
from install_test import HELLO_C, HELLO_CXX, HELLO_F, Installed

MAKEFILE = "hello: hello.o\n\t$(CC) $(CFLAGS) $^ -o $@\n"
CONFIGURE_AC = """\
AC_INIT([greeting], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_PROG_CXX
AC_CHECK_HEADERS([shmem.h shmemx.h], [], [AC_MSG_ERROR([a header is missing])])
AC_SEARCH_LIBS([shmem_init], [sma oshmem], [], [AC_MSG_ERROR([no OpenSHMEM])])
AC_SEARCH_LIBS([shmem_query_thread], [sma oshmem], [], [AC_MSG_ERROR([no OpenSHMEM])])
AC_CHECK_FUNCS([shmem_team_sync shmem_putmem_signal])
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""
MAKEFILE_AM = "bin_PROGRAMS = hello twice\nhello_SOURCES = hello.c\ntwice_SOURCES = twice.cpp\n"
CMAKELISTS = """
cmake_minimum_required(VERSION 3.16)
project(greeting LANGUAGES C CXX {fortran})
include(CheckSymbolExists)
check_symbol_exists(shmem_init shmem.h HAVE_SHMEM)
if(NOT HAVE_SHMEM)
  message(FATAL_ERROR "no OpenSHMEM")
endif()
add_executable(hello hello.c)
add_executable(twice twice.cpp)
if(CMAKE_Fortran_COMPILER)
  add_executable(thrice thrice.f90)
endif()
"""


class Build(Installed):
    def setUp(self):
        super().setUp()
        self.wrappers = self.prefix / "bin"
        for name, source in (("hello.c", HELLO_C), ("twice.cpp", HELLO_CXX), ("thrice.f90", HELLO_F)):
            self.write(name, source.read_text())

    def needs(self, *programs):
        """What a build takes is there, or the test fails: one that is left out proves nothing."""
        for program in programs:
            self.assertIsNotNone(shutil.which(program), f"{program} is not there; ./dev setup test installs it")

    def says_one_line(self, begin, *command, code=1, **environment):
        done = self.run_command(*command, code=code, **environment)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(begin), done.stderr)

    def link(self, name, target):
        (self.folder / name).symlink_to(target)
        return f"./{name}"

    def path_without_blanks(self):
        """To the wrappers: another, where theirs has blanks, at which make and the shell part words."""
        place = tempfile.TemporaryDirectory(prefix="weft-links-")
        self.addCleanup(place.cleanup)
        os.symlink(self.wrappers, f"{place.name}/bin")
        return f"{place.name}/bin"

    def script(self, name, text):
        self.write(name, f"#!/bin/sh\n{text}\n").chmod(0o755)
        return f"./{name}"


class Compilers(Build):
    """What the variables may name."""

    def test_themselves(self):
        self.link("mine", self.wrappers / "oshcc")
        (self.folder / "other installation").mkdir()
        shutil.copy(self.wrappers / "oshcc", self.folder / "other installation/any-name")
        self.link("other", self.folder / "other installation/any-name")
        for form in ("oshcc", "oshcc -O2", "oshc++", "./mine", "./other", "env A=b oshcc -g", "oshcc.openmpi",
                     str(self.wrappers / "oshcc"), str(self.folder / "mine"), self.path_without_blanks() + "/oshcc -O1"):
            with self.subTest(CC=form):
                self.assertEqual(self.run_command("oshcc", "--showme:command", CC=form).stdout, "cc\n")
                self.compile("oshcc", "hello.c", "-o", "hello", CC=form)
                self.says_hello("./hello")
        self.compile("oshc++", "twice.cpp", "-o", "twice", CXX="oshc++ -O1", CC="oshcc")
        self.says_hello("./twice")
        self.needs("gfortran")
        self.compile("oshfort", "thrice.f90", "-o", "thrice", FC="oshfort", CC="oshcc")
        self.says_hello("./thrice")

    def test_what_only_looks_like_one(self):
        for name in ("gcc -I/opt/oshcc", "gcc -DA=/oshcc", "my-oshcc"):
            self.assertEqual(self.run_command("oshcc", "--showme:command", CC=name).stdout, f"{name}\n")

    def test_a_compiler_cache(self):
        if not shutil.which("ccache"):
            self.script("ccache", 'exec "$@"')  # as far as a wrapper is concerned
            self.environment["PATH"] = f"{self.folder}:{self.environment['PATH']}"
        for words in (["ccache", "oshcc"], ["oshcc"]):
            self.run_command(*words, "hello.c", "-o", "hello", CC="ccache oshcc", CCACHE_DIR=str(self.folder / "cache"))
            self.says_hello("./hello")

    def test_a_compiler_of_its_own_name_wins(self):
        for language in ("CC", "CXX", "FC"):
            wrapper = {"CC": "oshcc", "CXX": "oshc++", "FC": "oshfort"}[language]
            shown = self.run_command(wrapper, "--showme:command",
                                     **{f"WEFT_{language}": "my-compiler -O7", language: wrapper}).stdout
            self.assertEqual(shown, "my-compiler -O7\n")
        self.says_one_line('oshcc: the compiler "my-compiler" is not there; install it or name another in WEFT_CC\n', "oshcc",
                           "hello.c", code=127, WEFT_CC="my-compiler")

    def test_a_wrapper_by_that_name_is_one_line(self):
        self.link("mine", self.wrappers / "oshcc")
        for name in ("oshcc", "./mine", "env oshcc"):
            self.says_one_line(f"oshcc: WEFT_CC={name} leads back to a compiler wrapper of OpenSHMEM; name the compiler", "oshcc",
                               "hello.c", WEFT_CC=name)

    def test_a_script_that_leads_back(self):
        script = self.script("my-cc", 'exec oshcc -DTHROUGH "$@"')
        self.compile("oshcc", "hello.c", "-o", "hello", CC=script)
        self.says_hello("./hello")
        self.says_one_line(f"oshcc: WEFT_CC={script} leads back", "oshcc", "hello.c", WEFT_CC=script)

    def test_a_system_compiler_that_leads_back(self):
        (self.folder / "first").mkdir()
        environment = {"PATH": f"{self.folder}/first:{self.environment['PATH']}"}
        self.link("first/cc", self.wrappers / "oshcc")
        self.run_command("cc", "hello.c", "-o", "hello", **environment)  # the next name that the system has is taken
        self.says_hello("./hello")
        (self.folder / "first/cc").unlink()
        self.script("first/cc", 'exec oshcc "$@"')
        self.says_one_line("oshcc: the system's compiler leads back to a compiler wrapper of OpenSHMEM; name another in WEFT_CC",
                           "cc", "hello.c", **environment)
        self.run_command("cc", "hello.c", "-o", "hello", WEFT_CC="/usr/bin/cc", **environment)
        self.says_hello("./hello")


class Kinds(Build):
    """Programs that cannot be linked with Weft get a sentence."""

    def test_static(self):
        for flag in ("-static", "-static-pie"):
            self.says_one_line(f"oshcc: {flag} cannot be: Weft is a shared library", "oshcc", flag, "hello.c")
        self.says_one_line("oshcc: -static cannot be", "oshcc", "hello.c", CC="gcc -static")
        self.run_command("oshcc", "-static", "-c", "hello.c")  # nothing is linked
        self.run_command("oshcc", "-static-libgcc", "hello.o", "-o", "hello")
        self.says_hello("./hello")

    def test_32_bits(self):
        self.says_one_line("oshcc: -m32 asks for a 32-bit program, and Weft has 64-bit libraries only", "oshcc", "-m32", "-c",
                           "hello.c")
        self.says_one_line("oshcc: -m32 asks for a 32-bit program", "oshcc", "hello.c", CC="gcc -m32")
        done = self.run_command("gcc", f"-I{self.prefix}/include", "-m32", "-fsyntax-only", "hello.c", code=1)
        self.assertIn('error: #error "Weft is for 64-bit programs', done.stderr)

    def test_another_c_library(self):
        self.says_one_line("oshcc: musl-gcc makes programs for another C library than Weft's, which is glibc", "oshcc",
                           "hello.c", CC="musl-gcc")
        self.needs("musl-gcc")
        shutil.copytree(self.prefix / "include/weft", self.folder / "headers/weft")  # alone: /usr/include has glibc's too
        shutil.copy(self.prefix / "include/shmem.h", self.folder / "headers")
        done = self.run_command("musl-gcc", "-Iheaders", "-fsyntax-only", "hello.c", code=1)
        self.assertIn('error: #error "Weft is for programs of the GNU C library (glibc)', done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)


class Make(Build):
    def test_make(self):
        self.needs("make")
        self.write("Makefile", MAKEFILE)
        (self.folder / "links").mkdir()
        self.link("links/my-cc", self.wrappers / "oshcc")
        for name in ("oshcc", "oshcc -O2", "./links/my-cc", self.path_without_blanks() + "/oshcc"):
            for command in (f"make CC='{name}'", f"CC='{name}' make -e"):
                with self.subTest(command=command):
                    self.run_command("sh", "-c", f"{command} && rm hello.o")
                    self.says_hello("./hello")
                    (self.folder / "hello").unlink()


class Autotools(Build):
    def test_configure(self):
        self.needs("autoreconf", "automake", "make")
        self.write("configure.ac", CONFIGURE_AC)
        self.write("Makefile.am", MAKEFILE_AM)
        self.run_command("autoreconf", "-i")
        for name in ("oshcc", "oshcc -O2"):
            for command in (f"CC='{name}' CXX=oshc++ ../configure", f"../configure CC='{name}' CXX=oshc++"):
                with self.subTest(command=command):
                    (self.folder / "build").mkdir()
                    self.run_command("sh", "-c", f"cd build && {command} && make -j2")
                    self.says_hello("build/hello")
                    self.says_hello("build/twice")
                    self.assertIn("#define HAVE_SHMEM_PUTMEM_SIGNAL 1", (self.folder / "build/config.h").read_text())
                    shutil.rmtree(self.folder / "build")


class CMake(Build):
    def builds(self, *definitions, fortran="Fortran", **environment):
        self.needs("cmake", "make", "gfortran")
        self.write("CMakeLists.txt", CMAKELISTS.format(fortran=fortran))
        self.run_command("cmake", "-S", ".", "-B", "build", "-G", "Unix Makefiles", *definitions, **environment)
        self.run_command("cmake", "--build", "build", "-j2")
        for program in ("hello", "twice", *(["thrice"] if fortran else [])):
            self.says_hello(f"build/{program}")
        shutil.rmtree(self.folder / "build")

    def test_by_definitions(self):
        self.builds("-DCMAKE_C_COMPILER=oshcc", "-DCMAKE_CXX_COMPILER=oshc++", "-DCMAKE_Fortran_COMPILER=oshfort")

    def test_by_the_environment(self):
        self.builds(CC="oshcc", CXX="oshc++", FC="oshfort")

    def test_by_a_link(self):
        (self.folder / "links").mkdir()
        for name in ("my-cc", "my-cxx"):
            self.link(f"links/{name}", self.wrappers / ("oshcc" if name == "my-cc" else "oshc++"))
        links = self.folder / "links"
        self.builds(f"-DCMAKE_C_COMPILER={links}/my-cc", f"-DCMAKE_CXX_COMPILER={links}/my-cxx", fortran="")


FINDER = """
cmake_minimum_required(VERSION 3.16)
project(finder LANGUAGES C CXX {language})
find_package(OpenSHMEM 1.5 REQUIRED COMPONENTS C CXX {component})
if(NOT OpenSHMEM_FOUND OR NOT OpenSHMEM_C_FOUND OR NOT EXISTS "${{OpenSHMEM_INCLUDE_DIRS}}/shmem.h")
  message(FATAL_ERROR "variables are missing")
endif()
find_package(OpenSHMEM REQUIRED)  # a second time, as by another part of a project
find_package(Weft REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE OpenSHMEM::OpenSHMEM)
add_executable(twice twice.cpp)
target_link_libraries(twice PRIVATE OpenSHMEM::CXX)
add_executable(plain hello.c)
target_include_directories(plain PRIVATE ${{OpenSHMEM_INCLUDE_DIRS}})
target_link_libraries(plain PRIVATE ${{OpenSHMEM_LIBRARIES}})
if(TARGET OpenSHMEM::Fortran)
  add_executable(thrice thrice.f90)
  target_link_libraries(thrice PRIVATE OpenSHMEM::Fortran)
endif()
enable_testing()
add_test(NAME hello COMMAND ${{OpenSHMEM_EXECUTABLE}} ${{OpenSHMEM_NUMPROC_FLAG}} 3 $<TARGET_FILE:hello>)
"""
# As projects write it that bring a finder of their own.
OWN_FINDER = """
cmake_minimum_required(VERSION 3.16)
project(finder LANGUAGES C)
find_library(library NAMES oshmem sma PATHS ${SHMEM_ROOT} PATH_SUFFIXES LIBDIR NO_DEFAULT_PATH REQUIRED)
find_path(include NAMES mpp/shmem.h PATHS ${SHMEM_ROOT}/include NO_DEFAULT_PATH REQUIRED)
add_executable(hello hello.c)
target_include_directories(hello PRIVATE ${include})
target_link_libraries(hello PRIVATE ${library})
"""
TWO_NAMES_C = r"""
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
int main(int argc, char** argv) {
  shmem_init();
  void* opened = dlopen(argv[argc - 1], RTLD_NOW);
  int (*number)(void);
  *(void**)&number = dlsym(opened, "shmem_my_pe");
  printf(number == shmem_my_pe ? "hello from PE %d of %d\n" : "two libraries on PE %d of %d\n", number(), shmem_n_pes());
  shmem_finalize();
}
"""


class Finders(Build):
    """What configure tests and finders of other projects look for."""

    def needed_by(self, program):
        dynamic = self.run_command("readelf", "-d", program).stdout
        return {line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line}

    def test_find_package(self):
        for language, component in (("", ""), ("Fortran", "Fortran")):
            self.write("CMakeLists.txt", FINDER.format(language=language, component=component))
            flags = [f"-DCMAKE_{name}_FLAGS={install_test.PkgConfig.sanitizer()}" for name in ("C", "CXX", "Fortran")]
            self.run_command("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", *flags)
            self.run_command("cmake", "--build", "build")
            for program in ("hello", "twice", "plain", *(["thrice"] if language else [])):
                self.says_hello(f"build/{program}")
            self.run_command("ctest", "--test-dir", "build")
            shutil.rmtree(self.folder / "build")

    def test_find_package_says_what_is_missing(self):
        self.write("CMakeLists.txt", FINDER.format(language="", component="Fortran"))
        done = self.run_command("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}", code=1)
        self.assertIn("its component Fortran needs the language", " ".join(done.stderr.split()))
        self.write("CMakeLists.txt", FINDER.format(language="", component="").replace(" 1.5 ", " 2.0 "))
        self.run_command("cmake", "-S", ".", "-B", "again", f"-DCMAKE_PREFIX_PATH={self.prefix}", code=1)

    def test_a_finder_of_the_project(self):
        self.write("CMakeLists.txt", OWN_FINDER.replace("LIBDIR", self.libdir))
        self.run_command("cmake", "-S", ".", "-B", "build", f"-DSHMEM_ROOT={self.prefix}",
                         f"-DCMAKE_C_FLAGS={install_test.PkgConfig.sanitizer()}")
        self.run_command("cmake", "--build", "build")
        self.says_hello("build/hello")
        self.assertIn("libweft.so.0", self.needed_by("build/hello"))

    def test_pkg_config(self):
        self.needs("pkg-config")
        path = str(self.prefix / self.libdir / "pkgconfig")
        self.run_command("sh", "-c", f"eval cc {install_test.PkgConfig.sanitizer()} hello.c -o hello "
                         "$(pkg-config --cflags --libs 'openshmem >= 1.5')", PKG_CONFIG_PATH=path)
        self.says_hello("./hello")

    def test_names_of_the_library(self):
        for name in ("oshmem", "sma"):
            with self.subTest(name=name):
                self.run_command("oshcc", "hello.c", f"-l{name}", "-o", "hello")
                self.assertFalse({f"lib{name}.so"} & self.needed_by("hello"))
                self.run_command("sh", "-c", f"cc {install_test.PkgConfig.sanitizer()} hello.c '-I{self.prefix}/include' "
                                 f"'-L{self.prefix}/{self.libdir}' '-Wl,-rpath,{self.prefix}/{self.libdir}' -l{name} -o hello")
                self.assertIn("libweft.so.0", self.needed_by("hello"))
                self.says_hello("./hello")

    def test_a_library_opened_by_such_a_name_is_the_same(self):
        self.write("two.c", TWO_NAMES_C)
        self.run_command("oshcc", "two.c", "-ldl", "-o", "two")
        library = self.prefix / self.libdir / "libsma.so"
        if library.read_bytes()[:4] != b"\x7fELF":
            self.skipTest("a script for the linker, in a wheel")
        done = self.run_command("oshrun", "-n", "3", "./two", library)
        self.assertEqual(sorted(done.stdout.splitlines()), install_test.HELLO)


if __name__ == "__main__":
    sys.exit(install_test.main())
