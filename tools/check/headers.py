#!/usr/bin/env python3
"""Checks that every header compiles alone: of src/ as C++20, of include/ and the generated ones as C and C++, or
C++17 and later where their name ends in .hpp.

usage: headers.py [--top TOP] [--include DIR]... [--generated DIR] [--built compile_commands.json] [--cc CC] [--cxx CXX]
                  [--jobs N]

A header of src/ that a source includes before anything else stands alone where that source compiles. With --built, the
build's list of what it compiles, those are taken as seen.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Nothing is generated from these checks; they see what a program would.
C_MODES = (["-std=c99"], ["-std=c11"], ["-std=c11", "-DWEFT_NO_INLINE"])
CXX_MODES = (["-std=c++11"], ["-std=c++20"])
CXX_ONLY_MODES = (["-std=c++17", "-Wpedantic", "-Wconversion"], ["-std=c++20", "-Wpedantic", "-Wconversion"])


def compile_alone(job):
    language, compiler, flags, name, spelled = job
    command = [*compiler.split(), "-x", language, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *flags, "-"]
    done = subprocess.run(command, input=f'#include "{spelled}"\n', capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:200])
    return f"{name}:1: does not compile alone ({language} {flags[0]}): {first}"


def find(folder, suffix):
    return sorted(folder.rglob(f"*{suffix}")) if folder.is_dir() else []


def seen_by(built, top):
    """The headers of src/ that come first in a source that the build compiles."""
    first = set()
    for source in {Path(entry["directory"], entry["file"]).resolve() for entry in json.loads(Path(built).read_text())}:
        if source.is_relative_to(top / "src") and source.is_file():
            include = re.search(r'^\s*#.*', source.read_text(), re.M)
            named = include and re.fullmatch(r'\s*#\s*include\s+"([^"]+)".*', include[0])
            if named:
                first.add(named[1])
    return first


def jobs_of(options, top):
    generated = Path(options.generated).resolve() if options.generated else None
    includes = [f"-I{top / 'src'}", f"-I{top}", f"-I{top / 'include'}"]
    if generated:
        includes += [f"-I{generated / 'include'}", f"-I{generated / 'src'}"]
    includes += [f"-I{folder}" for folder in options.include]

    inner = [(top / "src", header) for header in find(top / "src", ".hpp")]
    public = [(top / "include", header) for header in find(top / "include", ".h")]
    cxx_only = [(top / "include", header) for header in find(top / "include", ".hpp")]
    if generated:
        inner += [(generated / "src", header) for header in find(generated / "src", ".hpp")]
        public += [(generated / "include", header) for header in find(generated / "include", ".h")]
        cxx_only += [(generated / "include", header) for header in find(generated / "include", ".hpp")]

    seen = seen_by(options.built, top) if options.built else set()
    jobs = []
    for base, header in inner:
        if header.relative_to(base).as_posix() in seen:
            continue
        name = header.relative_to(top).as_posix() if header.is_relative_to(top) else header.as_posix()
        flags = ["-std=c++20", "-fno-exceptions", "-fno-rtti", *includes]
        jobs.append(("c++", options.cxx, flags, name, header.relative_to(base).as_posix()))
    for base, header in public:
        name = header.relative_to(top).as_posix() if header.is_relative_to(top) else header.as_posix()
        spelled = header.relative_to(base).as_posix()
        if spelled == "weft/inline.h":
            continue  # the body of shmem.h's inline functions: part of it, and needs its types
        jobs += [("c", options.cc, [*mode, *includes], name, spelled) for mode in C_MODES]
        jobs += [("c++", options.cxx, [*mode, *includes], name, spelled) for mode in CXX_MODES]
    for base, header in cxx_only:
        name = header.relative_to(top).as_posix() if header.is_relative_to(top) else header.as_posix()
        spelled = header.relative_to(base).as_posix()
        jobs += [("c++", options.cxx, [*mode, *includes], name, spelled) for mode in CXX_ONLY_MODES]
    return jobs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--top", default=Path(__file__).parents[2])
    parser.add_argument("--generated", help="the build's generated/ folder")
    parser.add_argument("--built", help="the build's compile_commands.json")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    jobs = jobs_of(options, Path(options.top).resolve())
    with ThreadPoolExecutor(options.jobs) as pool:
        problems = [problem for problem in pool.map(compile_alone, jobs) if problem]
    print("\n".join(problems) if problems else f"headers: {len(jobs)} compilations, every header stands alone")
    return 1 if problems or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
