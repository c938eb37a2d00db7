#!/usr/bin/env python3
"""What comes with an installation beside libraries and commands: completion, a module file; and the recipes of the source tree.

usage: extras_test.py [CASE]       the prefix is in WEFT_TEST_PREFIX
"""

import ast
import os
import re
import shlex
import shutil
import sys
import unittest
from pathlib import Path

import install_test
from install_test import SANITIZED, Installed

TOP = Path(__file__).resolve().parents[2]


def version():
    return re.search(r"project\(weft VERSION ([\d.]+)", (TOP / "CMakeLists.txt").read_text()).group(1)


# The verbs of a module file, which print what they would do.
VERBS = """
proc say args {puts [join $args { }]}
foreach verb {setenv prepend-path conflict module-whatis} {interp alias {} $verb {} say $verb}
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
"""
# What Python's bindings do: they open the library at run time, in a process that is no program of ours.
BINDING_PY = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.shmem_malloc.restype = ctypes.c_void_p
library.shmemx_wtime.restype = ctypes.c_double
library.shmem_init()
me, n = library.shmem_my_pe(), library.shmem_n_pes()
words = ctypes.c_void_p(library.shmem_malloc(ctypes.c_size_t(8 * n)))
view = (ctypes.c_long * n).from_address(words.value)
view[:] = [-1] * n
began = library.shmemx_wtime()
library.shmem_barrier_all()
for pe in range(n):
    library.shmem_long_p(ctypes.c_void_p(words.value + 8 * me), ctypes.c_long(100 + me), pe)
library.shmem_barrier_all()
right = list(view) == [100 + pe for pe in range(n)] and library.shmemx_wtime() >= began
total = ctypes.c_void_p(library.shmem_malloc(ctypes.c_size_t(16)))
ctypes.c_double.from_address(total.value).value = me + 0.5
world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, "weft_team_world")))
library.shmem_double_sum_reduce(world, ctypes.c_void_p(total.value + 8), total, ctypes.c_size_t(1))
right = right and ctypes.c_double.from_address(total.value + 8).value == sum(pe + 0.5 for pe in range(n))
library.shmem_free(total)
library.shmem_free(words)
print("hello" if right else "wrong", "from PE", me, "of", n, flush=True)
library.shmem_finalize()
"""


# Bindings such as shmem4py's are C that declares what they think the library has not, by macros of the libraries they know.
KNOWN_C = r"""
#include <shmem.h>
#if !(defined(SHMEM_DEF_H) && defined(SHMEM_FUNCTION_ATTRIBUTES))
static void *shmem_malloc_with_hints(size_t size, long hints) { return hints == 0 ? shmem_malloc(size) : 0; }
#endif
int begin(void) { shmem_init(); return shmem_my_pe(); }
void *room(size_t bytes) { return shmem_malloc_with_hints(bytes, SHMEM_MALLOC_ATOMICS_REMOTE); }
long tally(long *counter) { shmem_long_atomic_inc(counter, 0); shmem_barrier_all(); return shmem_long_atomic_fetch(counter, 0); }
void end(void *used) { shmem_free(used); shmem_finalize(); }
"""
KNOWN_PY = """
import ctypes, sys
module = ctypes.CDLL(sys.argv[1])
module.room.restype = ctypes.c_void_p
module.tally.restype = ctypes.c_long
me = module.begin()
counter = ctypes.c_void_p(module.room(ctypes.c_size_t(8)))
ctypes.c_long.from_address(counter.value).value = 0
ctypes.CDLL("libweft.so.0").shmem_barrier_all()
print("tally", module.tally(counter), flush=True)
module.end(counter)
"""


class Completion(Installed):
    def complete(self, *words):
        """What bash offers for the last of the words."""
        command = Path(words[0]).name
        script = self.prefix / "share/bash-completion/completions" / command
        text = (f". {shlex.quote(str(script))}\nCOMP_WORDS=({shlex.join(words)})\nCOMP_CWORD={len(words) - 1}\n"
                f'function=$(complete -p {command} | sed -E "s/.*-F ([^ ]+).*/\\1/")\n$function\nprintf "%s\\n" "${{COMPREPLY[@]}}"')
        return self.run_command("bash", "-u", "-c", text).stdout.split()

    def test_every_option_of_oshrun(self):
        said = self.run_command("oshrun", "--help").stdout
        options = {word for line in said.splitlines() if line.startswith("  -") or line.startswith("      --")
                   for word in re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", re.split(r"\s{2,}", line.strip())[0])}
        self.assertGreater(len(options), 20)
        for option in sorted(options):
            self.assertIn(option, self.complete("oshrun", option[:-1] if len(option) > 2 else option), option)
        self.assertEqual(set(self.complete("oshrun", "-")), options)

    def test_every_option_of_the_wrappers(self):
        for wrapper in ("oshcc", "oshc++", "oshcxx", "oshfort"):
            offered = self.complete(wrapper, "-")
            for option in ("--showme", "-show", "--showme:compile", "--safe", "--help"):
                self.assertIn(option, offered, wrapper)
            self.assertEqual("--header" in offered, wrapper == "oshfort")

    def test_of_openmp(self):
        for wrapper in ("weft-ompcc", "weft-omp++", "weft-ompfort"):
            self.assertIn("--showme:compile", self.complete(wrapper, "-"), wrapper)
        self.assertIn("--bind-to", self.complete("weftrun", "--bi"))

    def test_of_mpi(self):
        """Of the wrappers; of mpiexec where it is ours, once a shell has read the file."""
        mpi = self.prefix / self.libdir / "weft/mpi"
        if not mpi.exists():
            self.skipTest("built without MPI")
        for wrapper in ("weft-mpicc", "weft-mpicxx"):
            self.assertIn("--showme:compile", self.complete(wrapper, "-"))
        script = shlex.quote(str(self.prefix / "share/bash-completion/completions/oshrun"))
        theirs = self.folder / "theirs"
        theirs.mkdir()
        (theirs / "mpiexec").write_text("#!/bin/sh\n")
        (theirs / "mpiexec").chmod(0o755)
        for folder, ours in ((mpi / "bin", True), (theirs, False)):
            done = self.run_command("bash", "-c", f". {script}; complete -p mpiexec || true",
                                    PATH=f"{folder}:{self.environment['PATH']}")
            self.assertEqual("_oshrun" in done.stdout, ours)

    def test_values(self):
        self.assertEqual(self.complete("oshrun", "-n", "3", "--bind-to", "c"), ["core"])
        self.assertEqual(self.complete("oshrun", "--stdin", "a"), ["all"])
        self.assertIn("oshcc", self.complete("oshrun", "-n", "3", "oshc"))
        (self.folder / "place").mkdir()
        self.assertEqual(self.complete("oshrun", "--wdir", "pl"), ["place"])


class Modulefile(Installed):
    def test_it_names_what_is_there(self):
        tclsh = shutil.which("tclsh")
        self.assertIsNotNone(tclsh, "tclsh is not there; ./dev setup test installs it")
        moved = self.folder / "moved"
        shutil.copytree(self.prefix / "share/modulefiles", moved / "share/modulefiles")
        self.write("verbs.tcl", VERBS)
        for prefix in (self.prefix, moved):
            lines = self.run_command(tclsh, "verbs.tcl", prefix / "share/modulefiles/weft" / version()).stdout.splitlines()
            self.assertIn(f"setenv WEFT_ROOT {prefix}", lines)
            self.assertIn(f"prepend-path PATH {prefix}/bin", lines)
            self.assertIn(f"prepend-path PKG_CONFIG_PATH {prefix}/{self.libdir}/pkgconfig", lines)
            self.assertIn(f"prepend-path CMAKE_PREFIX_PATH {prefix}", lines)
            paths = [line.split(" ", 2)[2] for line in lines if line.startswith("prepend-path")]
            self.assertEqual([path for path in paths if prefix == self.prefix and not Path(path).is_dir()], [])

    def test_of_mpi(self):
        file = self.prefix / "share/modulefiles/weft-mpi" / version()
        if not file.exists():
            self.skipTest("built without MPI")
        self.write("verbs.tcl", VERBS)
        lines = self.run_command("tclsh", "verbs.tcl", file).stdout.splitlines()
        mpi = self.prefix / self.libdir / "weft/mpi"
        for line in (f"setenv MPI_HOME {mpi}", f"prepend-path PATH {mpi}/bin", f"prepend-path MANPATH {mpi}/share/man"):
            self.assertIn(line, lines)
        paths = [line.split(" ", 2)[2] for line in lines if line.startswith("prepend-path")]
        self.assertEqual([path for path in paths if not Path(path).is_dir()], [])

    def test_with_the_real_thing(self):
        if not os.path.exists("/usr/lib/x86_64-linux-gnu/modulecmd.tcl"):
            self.skipTest("no Environment Modules; the module file is run by the test above")
        folder = shlex.quote(str(self.prefix / "share/modulefiles"))
        done = self.run_command("bash", "-c", "eval \"$(tclsh /usr/lib/x86_64-linux-gnu/modulecmd.tcl bash use "
                                f"{folder})\"; eval \"$(tclsh /usr/lib/x86_64-linux-gnu/modulecmd.tcl bash load weft)\"; "
                                "command -v oshrun; echo $SHMEM_ROOT", PATH="/usr/bin:/bin")
        self.assertEqual(done.stdout.splitlines(), [f"{self.prefix}/bin/oshrun", str(self.prefix)])


class Recipes(unittest.TestCase):
    """What in the source tree speaks of the version or of options must not fall behind."""

    def libraries(self):
        """What CMake looks for and can do without, as Spack calls it."""
        lists = [path.read_text() for folder in ("src", "tools") for path in (TOP / folder).rglob("CMakeLists.txt")]
        looks = [re.findall(r'weft_look_for\(\w+ "([\w-]+)', text) for text in lists]
        return {"elfutils" if name == "libdw" else name for found in looks for name in found}

    def test_spack(self):
        text = (TOP / "packaging/spack/package.py").read_text()
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]

        def first(name):
            return [node.args[0].value for node in calls
                    if getattr(node.func, "id", getattr(node.func, "attr", "")) == name and node.args]

        self.assertIn(version(), first("version"))
        cmake = "".join(path.read_text() for path in [TOP / "CMakeLists.txt", *(TOP / "cmake").glob("*.cmake")])
        for option in first("define"):
            self.assertRegex(cmake, rf"option\({option} ")
        needed = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", cmake).group(1)
        self.assertIn(f"cmake@{needed}:", first("depends_on"))
        for library in self.libraries():
            self.assertIn(library, [each.split("@")[0] for each in first("depends_on")])
        for variant in first("variant"):
            self.assertIn(f'"+{variant}"', text, "a variant that changes nothing")

    def test_citation(self):
        text = (TOP / "CITATION.cff").read_text()
        fields = dict(re.findall(r"^([\w-]+): (.+)$", text, re.MULTILINE))
        self.assertEqual(fields["version"], version())
        self.assertEqual(fields["license"], "BSD-3-Clause")
        self.assertTrue({"cff-version", "message", "title", "type"} <= set(fields))
        self.assertIn("\nauthors:\n  - ", text)


class Bindings(Installed):
    def test_opened_by_python(self):
        if SANITIZED:
            self.skipTest("a sanitizer's library has to be there before Python's")
        self.write("binding.py", BINDING_PY)
        for name in ("libweft.so.0", "libsma.so", "liboshmem.so"):
            library = self.prefix / self.libdir / name
            if library.read_bytes()[:4] != b"\x7fELF":
                continue  # a script for the linker, in a wheel
            for pes in (1, 3):
                done = self.run_command("oshrun", "-n", pes, sys.executable, "binding.py", library)
                self.assertEqual(sorted(done.stdout.splitlines()), [f"hello from PE {pe} of {pes}" for pe in range(pes)])

    def test_a_module_of_c_for_python(self):
        if SANITIZED:
            self.skipTest("a sanitizer's library has to be there before Python's")
        self.write("known.c", KNOWN_C)
        self.write("known.py", KNOWN_PY)
        self.compile("oshcc", "-shared", "-fPIC", "-O2", "known.c", "-o", "known.so")
        self.assertEqual(self.run_command("oshrun", "-n", 3, sys.executable, "known.py", "./known.so").stdout, "tally 3\n" * 3)


if __name__ == "__main__":
    sys.exit(install_test.main())
