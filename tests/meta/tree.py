"""A small tree that is right, in which tests of tools/check make mistakes."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
CHECKS = TOP / "tools/check"


def run(script, *arguments):
    done = subprocess.run([sys.executable, str(CHECKS / script), *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


class Tree(unittest.TestCase):
    """A small tree with two rooms, all right at first."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.top = Path(holder.name)
        self.write("src/base/span.hpp", "// Spans.\n#pragma once\n")
        self.write("src/base/README.md", "# base\n")
        self.write("src/os/cma.hpp", '// Copies.\n#pragma once\n#include "base/span.hpp"\n#include <vector>\n')
        self.write("src/os/README.md", "# os\n")
        self.write("api/options.def", 'WEFT_OPTION(spin, count, "WEFT_SPIN", "", "auto", "polls before a " "yield")\n')

    def write(self, name, text):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def expect_clean(self, script):
        code, text = run(script, self.top)
        self.assertEqual(code, 0, text)

    def expect(self, script, problem):
        code, text = run(script, self.top)
        self.assertEqual(code, 1, text)
        self.assertIn(problem, text.splitlines())
