"""Programs of OpenMP that nobody here wrote: how each suite's are compiled, run and judged."""
import collections
import os
import random
import re
import shlex

# build: the command that makes "program" in an empty folder. variables, arguments: what it is run with there.
# says: what it has to write, as an expression. compared: which of its lines have to be those that it writes with the
# compiler's library; "": all; None: none. written: a file that it writes, whose lines count too.
# data: a function that writes its files into the folder.
Program = collections.namedtuple("Program", "name build variables arguments says compared written data",
                                 defaults=({}, (), "", None, None, None))

DEVICES = re.compile(r"\btarget\b|device", re.IGNORECASE)
COMPILES = re.compile(r"%libomp-(c99-|cxx-)?compile(?:-c)?(-and-run)?\b([^|>]*)$")
RUNS = re.compile(r"(?:env\s+)?((?:\w+=(?:'[^']*'|\S*)\s+)*)%libomp-run\b([^|>]*)")
LANGUAGES = {None: "", "c99-": "-std=c99", "cxx-": "-std=c++14"}
NO_TIMES = r"(?i)^(?!.*(time|sec\b|seconds|\bms\b|rate|[0-9]{2}:[0-9]{2}))"


def compiler_of(suffix):
    """The command that compiles it; [] if that is not asked for."""
    compilers = {".c": ("CC", "gcc"), ".cpp": ("CXX", "g++"), ".C": ("CXX", "g++")}
    variable, usual = compilers.get(suffix, ("FC", "gfortran"))
    return shlex.split(os.environ.get(variable, usual))


def compile_of(paths, options):
    """The command that compiles and links them."""
    compiler = compiler_of(paths[0].suffix)
    return compiler and [*compiler, "-w", *options, *map(str, paths), "-lm", "-fopenmp", "-o", "program"]


def sources_in(folder, suffixes):
    return [path for path in sorted(folder.rglob("*")) if path.suffix in suffixes and path.is_file()]


def has_devices(text):
    directives = "\n".join(line for line in text.splitlines() if "omp" in line.lower() and "dg-" not in line)
    return DEVICES.search(directives)


def of_vv(root):
    for path in sources_in(root / "tests", (".c", ".cpp", ".F90")):
        if re.search("target|device", path.read_text(errors="replace")):
            continue
        options = ["-O1", f"-I{root / 'ompvv'}"]
        if path.suffix == ".F90":
            options += ["-ffree-line-length-none", "-J.", str(root / "ompvv/ompvv.F90")]
        yield Program(path.relative_to(root / "tests"), compile_of([path], options))


def of_drb(root):
    for path in sources_in(root, (".c", ".cpp", ".f90", ".f95", ".F90")):
        text = path.read_text(errors="replace")
        if not path.stem.endswith("-no") or has_devices(text):
            continue
        options = ["-O1", f"-I{path.parent}"]
        if "polybench.h" in text:
            options += [f"-I{path.parent / 'polybench'}", f"-I{path.parent / 'utilities'}",
                        "-DPOLYBENCH_NO_FLUSH_CACHE", "-D_POSIX_C_SOURCE=200112L",
                        str(path.parent / "utilities/polybench.c")]
        yield Program(path.relative_to(root), compile_of([path], options), compared="")


def of_libgomp(root):
    """Those that are one file, and are run."""
    for folder in ("libgomp.c", "libgomp.c++", "libgomp.fortran"):
        for path in sources_in(root / folder, (".c", ".C", ".f", ".f90", ".F90")):
            text = path.read_text(errors="replace")
            if "dg-do run" not in text or "dg-additional-sources" in text or has_devices(text):
                continue
            options = " ".join(re.findall(r'dg-options "([^"]*)" }', text)) or "-O2"
            variables = dict(re.findall(r'dg-set-target-env-var (\w+) "(.*?)"', text))
            build = compile_of([path], [f"-I{path.parent}", *shlex.split(options)])
            yield Program(path.relative_to(root), build, variables)


def runs_of_llvm(text):
    """Of each of its runs: the options to compile with, the variables and the arguments. Not those whose output is for
    LLVM's own tools to look at."""
    lines = re.sub(r"\\\n\s*(//|!)\s*RUN:", " ", text).splitlines()
    options = []
    for line in (found[1].strip() for found in map(re.compile(r"\s*(?://|!)\s*RUN:\s*(.*)").match, lines) if found):
        for command in re.split(r"\s*(?:&&|;)\s*", line):
            built = COMPILES.match(command)
            if built:
                options = [LANGUAGES[built[1]], *shlex.split(built[3])]
            run = RUNS.fullmatch("%libomp-run" if built and built[2] else command)
            if run:
                variables = dict(word.split("=", 1) for word in shlex.split(run[1]))
                yield [option for option in options if option], variables, tuple(shlex.split(run[2]))


def of_llvm(root):
    """Each run of them is one program; not those of its tools' interface."""
    for path in sources_in(root, (".c", ".cpp", ".f90")):
        if "ompt" in path.relative_to(root).parts:
            continue
        for number, (options, variables, arguments) in enumerate(runs_of_llvm(path.read_text(errors="replace"))):
            build = compile_of([path], ["-O1", f"-I{root}", *options, "-latomic", "-lpthread"])
            name = f"{path.relative_to(root)}{f'#{number + 1}' if number else ''}"
            yield Program(name, build, variables, arguments)


def of_examples(root):
    """Those of the specification that are made to be run."""
    for path in sources_in(root, (".c", ".cpp", ".f", ".f90")):
        text = path.read_text(errors="replace")
        if (not re.search(r"@@operation:\s*run", text) or not re.search(r"@@expect:\s*success", text)
                or has_devices(text) or "ompt" in str(path)):
            continue
        yield Program(path.relative_to(root), compile_of([path], ["-O1"]), compared=NO_TIMES)


def of_omni(root):
    """Tests of Omni's first compilers, but for those that are not to compile, or that scripts run. Its configure makes
    a header that they include."""
    options = ["-O1", "-std=gnu89", "-I.", f"-I{root / 'C-test'}"]
    for path in sources_in(root / "C-test", (".c",)):
        if not path.stem.startswith("err_") and path.parent.name not in ("env", "overhead"):
            build = ["sh", "-c", ': >config.h; exec "$@"', "sh", *compile_of([path], options)]
            yield Program(path.relative_to(root), build)
    for path in sources_in(root / "F-test/OMP-test", (".f",)):
        yield Program(path.relative_to(root), compile_of([path], ["-O1"]), compared="")


def of_polybench(root):
    """Kernels of one file; what they have computed is compared."""
    utilities = root / "utilities"
    for path in sources_in(root, (".c",)):
        if path.parent != utilities and path.stem == path.parent.name:
            options = ["-O2", f"-I{utilities}", "-DSMALL_DATASET", "-DPOLYBENCH_DUMP_ARRAYS"]
            build = compile_of([path, utilities / "polybench.c"], options)
            yield Program(path.relative_to(root), build, compared="")


def of_npb(root):
    """NPB in Fortran, C or C++, as its own makefiles build it, but for the names of the compilers."""
    folders = sorted(path.parent for path in root.glob("*/Makefile") if path.parent.name not in ("sys", "common"))
    for folder in folders:
        name = folder.name
        names = {"CC": compiler_of(".cpp" if list(folder.glob("*.cpp")) else ".c"), "FC": compiler_of(".f")}
        words = [f"{variable}={shlex.join(words)}" for variable, words in names.items()]
        words += ["F77=$(FC)", "FLINK=$(FC)", "CLINK=$(CC)", "UCC=$(CC) -fopenmp", "SHELL=/bin/bash", "C_LIB=-lm",
                  "FFLAGS=-O2 -w -fopenmp -fallow-invalid-boz", "CFLAGS=-O2 -w -fopenmp",
                  "FLINKFLAGS=-fopenmp", "CLINKFLAGS=-fopenmp", "BINDIR=../bin", "CLASS=S"]
        script = ('cp -r "$0" tree && cd tree && mkdir -p bin && rm -f bin/* && { [ -f config/make.def ] || '
                  'cp config/make.def.template config/make.def; } && cd "$1" && shift && make "$@" && '
                  'mv ../bin/* ../../program')
        yield Program(name, ["sh", "-c", script, str(root), name, *words], says=r"(?i)verification\s*=?\s*successful")


def of_stream(root):
    for path in (root / "stream.c", root / "stream.f"):
        more = [] if path.suffix == ".c" else ["-fno-automatic", str(root / "mysecond.c")]
        yield Program(path.name, compile_of([path], ["-O2", "-DSTREAM_ARRAY_SIZE=1000000", "-DNTIMES=5", *more]),
                      says="Solution Validates")


def of_comd(root):
    """Both of its potentials. One of its headers is made by its makefile, of when and by whom it was built."""
    names = ("VARIANT", "HOSTNAME", "KERNEL_NAME", "KERNEL_RELEASE", "PROCESSOR", "CCOMPILER", "COMPILER",
             "COMPILER_VERSION", "CFLAGS", "LDFLAGS")
    sources = sources_in(root / "src-openmp", (".c",))
    options = ["-std=c99", "-O2", "-DDOUBLE", "-D_GNU_SOURCE", "-I.", f"-I{root / 'src-openmp'}"]
    script = ('printf "%s\\n" "$0" >CoMD_info.h && exec "$@"')
    header = "\n".join(f'#define CoMD_{name} "unknown"' for name in names)
    small = ("-x", "10", "-y", "10", "-z", "10", "-N", "20")
    for name, arguments in (("lj", small), ("eam", (*small, "-e", "-d", str(root / "pots")))):
        yield Program(name, ["sh", "-c", script, header, *compile_of(sources, options)], arguments=arguments,
                      says="Simulation Validation", compared="(?i)energy|atoms")


def numbers_in(name, count, form):
    """Writes a file of numbers; the same each time."""
    def write(folder):
        kept = random.Random(7)
        (folder / name).write_text("".join(form(kept) + "\n" for _ in range(count)), encoding="ascii")
    return write


def graph_in(folder):
    """5,000 nodes of four edges each, as bfs reads them."""
    kept = random.Random(7)
    lines = ["5000", *(f"{4 * node} 4" for node in range(5000)), "0", "20000",
             *(f"{kept.randrange(5000)} 1" for _ in range(20000))]
    (folder / "graph").write_text("\n".join(lines) + "\n", encoding="ascii")


def tree_in(folder):
    """Keys, and what to look for among them, as b+tree reads them."""
    (folder / "keys").write_text("20000\n" + "".join(f"{key}\n" for key in range(20000)), encoding="ascii")
    (folder / "commands").write_text("j 500 300\nk 1000\n", encoding="ascii")


def points_in(folder):
    """Points of four dimensions, as kmeans reads them."""
    kept = random.Random(7)
    lines = (" ".join([str(number), *(f"{kept.uniform(0, 9):.3f}" for _ in range(4))]) for number in range(2000))
    (folder / "points").write_text("\n".join(lines) + "\n", encoding="ascii")


def hurricanes_in(folder):
    """Records of 49 characters, as nn reads them."""
    kept = random.Random(7)
    def record():
        fields = f"1950 {kept.randrange(1, 13):2} {kept.randrange(1, 29):2} 12 {kept.randrange(1, 99):2} hurricane"
        return f"{fields:28}{kept.uniform(10, 60):5.1f} {kept.uniform(10, 99):5.1f}  100   10"[:48] + "\n"
    for number in range(2):
        (folder / f"canes{number}").write_text("".join(record() for _ in range(995)), encoding="ascii")
    (folder / "list").write_text("canes0\ncanes1\n", encoding="ascii")


def of_rodinia(root):
    """Those whose data can be made here: not cfd, heartwall, leukocyte, mummergpu and myocyte."""
    def heat(rows):
        return numbers_in("heat", rows, lambda kept: f"{kept.uniform(300, 340):.4f}")
    programs = (
        ("b+tree", "main.c kernel/kernel_cpu.c kernel/kernel_cpu_2.c util/timer/timer.c util/num/num.c",
         "cores 4 file keys command commands", "output.txt", tree_in),
        ("backprop", "backprop.c facetrain.c imagenet.c backprop_kernel.c", "4096", None, None),
        ("bfs", "bfs.cpp", "4 graph", "result.txt", graph_in),
        ("hotspot", "hotspot_openmp.cpp", "64 64 20 4 heat heat out", "out", heat(64 * 64)),
        ("hotspot3D", "3D.c", "64 4 10 heat heat out", "out", heat(64 * 64 * 4)),
        ("kmeans/kmeans_openmp", "cluster.c getopt.c kmeans.c kmeans_clustering.c", "-n 4 -i points", None, points_in),
        ("lavaMD", "main.c kernel/kernel_cpu.c util/timer/timer.c util/num/num.c", "-cores 4 -boxes1d 3",
         "result.txt", None),
        ("lud/omp", "lud.c lud_omp.c ../common/common.c", "-n 4 -s 256 -v", None, None),
        ("nn", "nn_openmp.c", "list 5 30 90", None, hurricanes_in),
        ("nw", "needle.cpp", "512 10 4", "result.txt", None),
        ("particlefilter", "ex_particle_OPENMP_seq.c", "-x 64 -y 64 -z 5 -np 2000", None, None),
        ("pathfinder", "pathfinder.cpp", "2000 50", None, None),
        ("srad/srad_v2", "srad.cpp", "128 128 0 31 0 31 4 0.5 10", None, None),
        ("streamcluster", "streamcluster_omp.cpp", "3 8 16 1024 1024 200 none out 4", "out", None),
    )
    for name, sources, arguments, written, data in programs:
        folder = root / name
        options = ["-O2", "-DOPEN", "-DOUTPUT", f"-I{folder}", f"-I{folder.parent / 'common'}"]
        yield Program(name, compile_of([folder / source for source in sources.split()], options),
                      arguments=tuple(arguments.split()), compared=NO_TIMES, written=written, data=data)


SUITES = {"vv": of_vv, "drb": of_drb, "libgomp": of_libgomp, "llvm": of_llvm, "examples": of_examples, "omni": of_omni,
          "polybench": of_polybench, "npb": of_npb, "stream": of_stream, "comd": of_comd, "rodinia": of_rodinia}
