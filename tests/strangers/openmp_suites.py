"""Runs OpenMP programs that nobody here wrote, with the compiler's library and in each way that Weft has.

usage: openmp_suites.py BUILD [--hosts A,B] [--only REGEX] [--ways WAY,...] SUITE=SOURCES...
  BUILD: a build folder of Weft (build/dev), or where it is installed
  SUITE: vv (OpenMP_VV), drb (DataRaceBench), libgomp (gcc's tests of its library: the folder libgomp/testsuite), llvm
         (LLVM's of its own: openmp/runtime/test), examples (those of the specification), omni (Omni's first compiler's:
         tests/old), polybench (PolyBench-ACC/OpenMP), npb (NPB3.4-OMP, and those in C and C++), stream, comd (CoMD),
         rodinia (its folder openmp)
CC, CXX and FC name other compilers than gcc's: CC=clang CXX=clang++ FC=. LIMIT is of one program, in seconds.

Programs without device constructs, as far as their compiler links them with a library of OpenMP; of DataRaceBench those
without a race. A program is right if it says so by its status, and, as its suite has it (openmp_programs.py), by what
it writes, or if it writes the lines that it writes with the compiler's library, in any order, where these are the same
twice. Ends with 1 where Weft fails and the compiler's library does not.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from openmp_programs import SUITES

WAYS = {"library": "the compiler's", "alone": "Weft's", "memory": "2 processes", "pages": "2 processes by pages",
        "hosts": "2 hosts"}
THREADS = "4"


class Runner:
    """Compiles a program and runs it in each way."""

    def __init__(self, build, ways, hosts):
        self.ways = ways
        library = next((build / "lib").rglob("openmp/libgomp.so.1"), None)
        if library is None:
            sys.exit(f"{build}: no libgomp.so.1 of Weft is below its lib")
        self.library, self.oshrun = library.parent, str(build / "bin/oshrun")
        self.hosts = hosts
        self.limit = float(os.environ.get("LIMIT", "120"))

    def command(self, way, program):
        several = [self.oshrun, "-n", "2"]
        return {"library": [], "alone": [], "hosts": [*several, "--hosts", self.hosts]}.get(way, several) + [program]

    def run(self, way, program, folder):
        """Its status, and its lines in order."""
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("OMP_", "GOMP_", "KMP_", "WEFT_"))}
        clean["OMP_NUM_THREADS"] = THREADS
        if way == "alone":
            clean["LD_LIBRARY_PATH"] = str(self.library)
        elif way in ("memory", "pages"):
            clean["WEFT_SHARED_BY"] = way
        command = [*self.command(way, str(folder / "program")), *program.arguments]
        done = subprocess.run(["timeout", "-k", "5", str(self.limit), *command], cwd=folder,
                              env=clean | program.variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        lines = done.stdout.decode(errors="replace").splitlines()
        if program.written and (folder / program.written).exists():
            lines += (folder / program.written).read_text(errors="replace").splitlines()
            (folder / program.written).unlink()
        return done.returncode, sorted(lines)

    def what_is_wrong(self, way, program, folder, expected):
        """Nothing, or a line of it."""
        status, lines = self.run(way, program, folder)
        if status != 0:
            return f"ended with {status}: {lines[-1] if lines else ''}"
        if not re.search(program.says, "\n".join(lines)):
            return f"has not written \"{program.says}\""
        if expected is not None and compared(program, lines) != expected:
            differing = [line for line in compared(program, lines) if line not in expected] or ["fewer lines"]
            return f"wrote another thing than with the compiler's library: {differing[0]}"
        return None

    def expected_lines(self, program, folder):
        """None: they are not known."""
        if program.compared is None:
            return None
        (first, lines), (_, again) = (self.run("library", program, folder) for _ in range(2))
        same = first == 0 and compared(program, lines) == compared(program, again)
        return compared(program, lines) if same else None

    def try_out(self, program):
        """What went wrong in each way; None: it does not compile, or has nothing of OpenMP."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="openmp_suites."))
        try:
            built = subprocess.run(program.build, cwd=folder, check=False, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if built.returncode != 0 or not re.search(rb"lib(g|i)?omp5?\.so", (folder / "program").read_bytes()):
                return program, None
            if program.data:
                program.data(folder)
            expected = self.expected_lines(program, folder)
            wrong = {way: self.what_is_wrong(way, program, folder, expected) for way in self.ways}
            return program, {way: what for way, what in wrong.items() if what}
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def compared(program, lines):
    return [line for line in lines if re.search(program.compared, line)]


def run_suite(runner, name, root, only):
    programs = [program for program in SUITES[name](root)
                if program.build and shutil.which(program.build[0]) and re.search(only, str(program.name))]
    passed, exceptions, compiled, worse = collections.Counter(), [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        for program, wrong in pool.map(runner.try_out, programs):
            if wrong is None:
                continue
            compiled += 1
            passed.update(way for way in runner.ways if way not in wrong)
            worse += any(way != "library" for way in wrong) and "library" not in wrong
            exceptions += [f"{name}: {program.name}: {WAYS[way]}: {what}" for way, what in wrong.items()]
            print(end="." if not wrong else "x", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"| {name} | {compiled} of {len(programs)} |", *(f"{passed[way]} |" for way in runner.ways), flush=True)
    return exceptions, worse


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1].split("\n", 1)[0])
    parser.add_argument("build", type=lambda given: pathlib.Path(given).resolve())
    parser.add_argument("suites", nargs="+", metavar="SUITE=SOURCES")
    parser.add_argument("--hosts")
    parser.add_argument("--only", default="")
    parser.add_argument("--ways")
    given = parser.parse_args()
    ways = given.ways.split(",") if given.ways else [way for way in WAYS if way != "hosts" or given.hosts]
    for way in ways:
        if way not in WAYS or (way == "hosts" and not given.hosts):
            parser.error(f"--ways {way}: one of {', '.join(WAYS)}; hosts takes --hosts")
    for suite in given.suites:
        if suite.partition("=")[0] not in SUITES:
            parser.error(f"{suite}: one of {', '.join(SUITES)}, and = with the folder of its sources")
    runner = Runner(given.build, ways, given.hosts)
    print("| suite | taken |", *(f"{WAYS[way]} |" for way in ways))
    print("|---" * (len(ways) + 2) + "|", flush=True)
    exceptions, worse = [], 0
    for suite in given.suites:
        name, _, root = suite.partition("=")
        found = run_suite(runner, name, pathlib.Path(root).resolve(), given.only)
        exceptions += found[0]
        worse += found[1]
    print(*exceptions, sep="\n")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
