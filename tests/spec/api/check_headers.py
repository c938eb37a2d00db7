"""Compiles each header alone, twice, and constants.c, in one language version with one compiler, without a single
warning.  check_headers.py COMPILER STD [-I...]"""
import subprocess
import sys

from spec_table import HERE, finish

HEADERS = ["shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
LANGUAGE_WARNINGS = {"c": ["-Wstrict-prototypes"], "c++": ["-Wold-style-cast", "-Wzero-as-null-pointer-constant"]}
# complex.h's macros would take these names from a program (checklist of 1.4: shmem.h says _Complex itself).
CXX_HEADERS = ["weft/shmem.hpp"]  # C++17 and later
NO_COMPLEX = "#if defined(complex) || defined(I)\n#error \"complex.h came in\"\n#endif\n"


def main():
    compiler, std, includes = sys.argv[1], sys.argv[2], sys.argv[3:]
    language = "c++" if "++" in std else "c"
    flags = WARNINGS + LANGUAGE_WARNINGS[language] + includes
    if std != "gnu89":  # has no long long, which -pedantic would say of the standard's own prototypes
        flags.append("-Wpedantic")
    sources = {f"#include <{header}>": f"#include <{header}>\n#include <{header}>\n{NO_COMPLEX}" for header in HEADERS}
    if std in ("c++17", "c++20"):
        sources |= {f"#include <{header}>": f"#include <{header}>\n#include <{header}>\n" for header in CXX_HEADERS}
    sources["constants.c"] = (HERE / "constants.c").read_text(encoding="utf-8")
    problems = []
    for name, source in sources.items():
        for optimise in ("-O0", "-O2"):  # with optimisation there are inline bodies
            command = [compiler, f"-std={std}", optimise, "-x", language, "-fsyntax-only", *flags, "-"]
            result = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
            if result.returncode:
                problems.append(f"{name} {optimise}:\n{result.stderr[:2000]}")
    finish(problems, f"{len(sources)} sources, twice")


main()
