"""Runs OpenMP programs that nobody here wrote, with the compiler's library and in each way that Weft has.

usage: openmp_suites.py BUILD [--hosts A,B] [--only REGEX] [--ways WAY,...] SUITE=SOURCES...
  BUILD: a build folder of Weft (build/dev), or where it is installed
  SUITE: vv (OpenMP_VV), drb (DataRaceBench), libgomp (gcc's tests of its library: the folder libgomp/testsuite), llvm
         (LLVM's of its own: openmp/runtime/test)
CC, CXX and FC name other compilers than gcc's: CC=clang CXX=clang++ FC=. LIMIT is of one program, in seconds.

Programs without device constructs, as far as their compiler links them with a library of OpenMP. A program is right
if it says so by its status; one of DataRaceBench, of which only those without a race are taken, if it also writes the
lines that it writes with the compiler's library, in any order, where these are the same twice. Ends with 1 where Weft
fails and the compiler's library does not.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

Program = collections.namedtuple("Program", "name build variables compared")
WAYS = {"library": "the compiler's", "alone": "Weft's", "memory": "2 processes", "pages": "2 processes by pages",
        "hosts": "2 hosts"}
DEVICES = re.compile(r"\btarget\b|device", re.IGNORECASE)
ONCE = re.compile(r"%libomp-compile-and-run|%libomp-compile && (?:env )?((?:\w+=\S+ )*)%libomp-run")
THREADS = "4"


def compiler_of(path):
    """The command that compiles it; [] if that is not asked for."""
    compilers = {".c": ("CC", "gcc"), ".cpp": ("CXX", "g++"), ".C": ("CXX", "g++")}
    variable, usual = compilers.get(path.suffix, ("FC", "gfortran"))
    return shlex.split(os.environ.get(variable, usual))


def sources_in(folder, suffixes):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes and path.is_file()]


def of_vv(root):
    for path in sources_in(root / "tests", (".c", ".cpp", ".F90")):
        if re.search("target|device", path.read_text(errors="replace")):
            continue
        build = ["-O1", "-w", f"-I{root / 'ompvv'}"]
        if path.suffix == ".F90":
            build += ["-ffree-line-length-none", "-J.", str(root / "ompvv/ompvv.F90")]
        yield Program(path.relative_to(root / "tests"), [*compiler_of(path), *build, str(path), "-lm"], {}, False)


def of_drb(root):
    for path in sources_in(root, (".c", ".cpp", ".f90", ".f95", ".F90")):
        text = path.read_text(errors="replace")
        directives = "\n".join(line for line in text.splitlines() if "omp" in line)
        if not path.stem.endswith("-no") or DEVICES.search(directives):
            continue
        build = ["-O1", "-w", f"-I{path.parent}"]
        if "polybench.h" in text:
            build += [f"-I{path.parent / 'polybench'}", f"-I{path.parent / 'utilities'}", "-DPOLYBENCH_NO_FLUSH_CACHE",
                      "-D_POSIX_C_SOURCE=200112L", str(path.parent / "utilities/polybench.c")]
        yield Program(path.relative_to(root), [*compiler_of(path), *build, str(path), "-lm"], {}, True)


def of_libgomp(root):
    """Those that are one file, and are run."""
    for folder in ("libgomp.c", "libgomp.c++", "libgomp.fortran"):
        for path in sources_in(root / folder, (".c", ".C", ".f", ".f90", ".F90")):
            text = path.read_text(errors="replace")
            directives = "\n".join(line for line in text.splitlines() if "omp" in line and "dg-" not in line)
            if "dg-do run" not in text or "dg-additional-sources" in text or DEVICES.search(directives):
                continue
            options = " ".join(re.findall(r'dg-options "([^"]*)" }', text)) or "-O2"
            variables = dict(re.findall(r'dg-set-target-env-var (\w+) "(.*?)"', text))
            build = ["-w", f"-I{path.parent}", *shlex.split(options), str(path), "-lm"]
            yield Program(path.relative_to(root), [*compiler_of(path), *build], variables, False)


def of_llvm(root):
    """Those that are one program, compiled and run once; not those of its tools' interface and of its internals."""
    for path in sources_in(root, (".c", ".cpp")):
        text = path.read_text(errors="replace")
        runs = re.findall(r"^//\s*RUN:\s*(.*)", text, re.MULTILINE)
        once = ONCE.fullmatch(runs[0].strip()) if len(runs) == 1 else None
        if once is None or "ompt" in path.relative_to(root).parts:
            continue
        variables = dict(word.split("=", 1) for word in (once[1] or "").split())
        build = [*compiler_of(path), "-O1", "-w", f"-I{root}", str(path), "-lm", "-latomic", "-lpthread"]
        yield Program(path.relative_to(root), build, variables, False)


SUITES = {"vv": of_vv, "drb": of_drb, "libgomp": of_libgomp, "llvm": of_llvm}


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

    def run(self, way, program, folder, variables):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("OMP_", "GOMP_", "KMP_", "WEFT_"))}
        clean["OMP_NUM_THREADS"] = THREADS
        if way == "alone":
            clean["LD_LIBRARY_PATH"] = str(self.library)
        elif way == "pages":
            clean["WEFT_SHARED_BY"] = "pages"
        try:
            done = subprocess.run(["timeout", "-k", "5", str(self.limit), *self.command(way, program)], cwd=folder,
                                  env=clean | variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
        except OSError as error:
            return 127, [str(error)]
        return done.returncode, sorted(done.stdout.decode(errors="replace").splitlines())

    def expected_lines(self, made, folder, program):
        """None: they are not known."""
        if not program.compared:
            return None
        first, second = (self.run("library", made, folder, program.variables) for _ in range(2))
        return first[1] if first == second and first[0] == 0 else None

    def try_out(self, program):
        """What went wrong in each way; None: it does not compile, or has nothing of OpenMP."""
        folder = tempfile.mkdtemp(prefix="openmp_suites.")
        try:
            made = os.path.join(folder, "program")
            built = subprocess.run([*program.build, "-fopenmp", "-o", made], cwd=folder, check=False,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if built.returncode != 0 or not re.search(rb"lib(g|i)?omp5?\.so", pathlib.Path(made).read_bytes()):
                return program, None
            expected = self.expected_lines(made, folder, program)
            wrong = {}
            for way in self.ways:
                status, lines = self.run(way, made, folder, program.variables)
                if status != 0:
                    wrong[way] = f"ended with {status}: {lines[-1] if lines else ''}"
                elif expected is not None and lines != expected:
                    differing = [line for line in lines if line not in expected] or ["fewer lines"]
                    wrong[way] = f"wrote another thing than with the compiler's library: {differing[0]}"
            return program, wrong
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def run_suite(runner, name, root, only):
    programs = [program for program in SUITES[name](root)
                if shutil.which(program.build[0]) and re.search(only, str(program.name))]
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
