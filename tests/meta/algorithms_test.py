#!/usr/bin/env python3
"""cmake -DWEFT_COLL_...=name: the default algorithm of a build (cmake/WeftAlgorithms.cmake)."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CMAKE = sys.argv.pop(1)
CXX = sys.argv.pop(1)

# A project of nothing but the module, so that configuring it takes no time.
PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(defaults LANGUAGES NONE)
set(PROJECT_SOURCE_DIR "{top}")
include("{top}/cmake/WeftAlgorithms.cmake")
file(WRITE "${{CMAKE_BINARY_DIR}}/defaults.txt" "${{weft_built_defaults}}")
"""

# What the library makes of it when no variable is set.
PROGRAM = """
#include <cstdio>
#include "base/options.hpp"
using namespace weft::base;
int main() {
  const auto options = read_options([](const char*) -> const char* { return nullptr; });
  if (!options) return 1;
  std::printf("%s %s %s\\n", option_choices("coll_broadcast")[options->coll_broadcast.choice],
              option_choices("coll_reduce")[options->coll_reduce.choice],
              option_choices("coll_scan")[options->coll_scan.choice]);
}
"""


def tables():
    """Operation -> names of its algorithms, from the table itself."""
    found = {}
    for table, name in re.findall(r"^WEFT_(\w+)\((\w+),", (TOP / "api/algorithms.def").read_text(), flags=re.M):
        if table == "COPY":  # chosen when a program runs only
            continue
        found.setdefault(table, []).append(name)
    found["FCOLLECT"] = found["COLLECT"]
    found["ALLTOALLS"] = found["ALLTOALL"]
    return found


class Defaults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(top=TOP))

    def configure(self, *arguments):
        return subprocess.run([CMAKE, "-S", self.folder, "-B", self.folder / "build", *arguments], capture_output=True,
                              text=True, timeout=60, check=False)

    def defaults(self, *arguments):
        done = self.configure(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "build/defaults.txt").read_text()

    def test_auto_unless_named(self):
        found = dict(re.findall(r'\{"(\w+)", "(\w+)"\}', self.defaults()))
        self.assertEqual(found, {f"coll_{operation.lower()}": "auto" for operation in tables()})

    def test_a_name_of_each_operation(self):
        arguments = [f"-DWEFT_COLL_{operation}={names[-1]}" for operation, names in tables().items()]
        found = dict(re.findall(r'\{"(\w+)", "(\w+)"\}', self.defaults(*arguments)))
        self.assertEqual(found, {f"coll_{operation.lower()}": names[-1] for operation, names in tables().items()})

    def test_an_unknown_name_ends_with_the_known_ones(self):
        for operation, names in tables().items():
            done = self.configure(f"-DWEFT_COLL_{operation}=foo")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"WEFT_COLL_{operation}=foo is not known; choose one of: auto, {', '.join(names)}",
                          " ".join(done.stderr.split()))
            # CMake remembers what it was told.
            (self.folder / "build/CMakeCache.txt").unlink()

    def test_the_library_takes_it_over(self):
        defaults = self.defaults("-DWEFT_COLL_BROADCAST=binomial_get", "-DWEFT_COLL_REDUCE=split_put")
        (self.folder / "main.cpp").write_text(PROGRAM)
        program = self.folder / "program"
        subprocess.run([CXX, "-std=c++20", f"-I{TOP}/src", f"-I{TOP}", f"-DWEFT_BUILT_DEFAULTS={defaults}",
                        '-DWEFT_VERSION="0"', *map(str, sorted((TOP / "src/base").glob("*.cpp"))),
                        str(self.folder / "main.cpp"), "-o", str(program)], check=True, timeout=120)
        done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout, "binomial_get split_put auto\n")


if __name__ == "__main__":
    unittest.main()
