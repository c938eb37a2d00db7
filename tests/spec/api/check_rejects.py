"""Compiles a source once for each of its cases and wants the error it names.
check_rejects.py SOURCE STD COMPILER [-I...]"""
import pathlib
import re
import subprocess
import sys

from spec_table import finish

SOURCE, STD, COMPILER, *INCLUDES = sys.argv[1:]
# clang has its own words for some.
CLANG_WORDS = {"is not a function": "called object type"}


def compile_case(case):
    command = [COMPILER, f"-std={STD}", "-Wall", "-fsyntax-only", f"-DCASE={case}", *INCLUDES, SOURCE]
    if not STD.startswith("c++"):
        command.insert(1, "-Werror=incompatible-pointer-types")
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main():
    cases = re.findall(r"CASE == (\d+) +/\* (.*?) \*/", pathlib.Path(SOURCE).read_text(encoding="utf-8"))
    problems = [] if cases else [f"{SOURCE} has no cases"]
    clean = compile_case(0)
    if clean.returncode:
        problems.append(f"without a case it should compile:\n{clean.stderr}")
    for case, message in cases:
        result = compile_case(case)
        words = [message, CLANG_WORDS.get(message, message)]
        if result.returncode == 0:
            problems.append(f"case {case} compiles")
        elif not any(text in result.stderr for text in words):
            problems.append(f"case {case}: no '{message}' in\n{result.stderr[:800]}")
    finish(problems, f"{len(cases)} calls rejected")


main()
