#!/usr/bin/env python3
"""Every block of a page of the documentation, compiled and run as its marks say (docs/README.md).

usage: page_test.py PAGE BIN       BIN: the folder with oshcc and oshrun
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import blocks

LIMIT = 100  # seconds that one command may take
COMPILERS = {"c": ["oshcc", "-std=gnu11"], "c++": ["oshc++", "-std=c++17"], "fortran": ["oshfort"]}
HEADERS = {
    "c": "#include <shmem.h>\n#include <shmemx.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
         "#include <stdlib.h>\n#include <string.h>\n",
    "c++": "#include <weft/shmem.hpp>\n#include <cstdio>\n#include <cstdlib>\n#include <vector>\n",
}


LINK = re.compile(r"!?\[[^\]]*\]\((?!https?:|#)([^)#\s]+)[^)]*\)|<img[^>]* src=\"(?!https?:)([^\"]+)\"")


class Failed(Exception):
    pass


class Page:
    def __init__(self, page, bin_folder, folder):
        self.page = page
        self.folder = folder
        kept = {name: value for name, value in os.environ.items()
                if name not in ("CC", "CXX", "FC") and not name.startswith(("SHMEM_", "SMA_", "WEFT_"))}
        self.environment = {**kept, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        self.counts = dict.fromkeys(("run", "compiled", "skipped"), 0)

    def run(self, command, code="0"):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        right = done.returncode != 0 if code == "nonzero" else done.returncode == int(code)
        if not right:
            raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}, not {code}; it said\n{done.stdout}")
        return done.stdout

    def source(self, block):
        """The text as a file of its own; compilers name the lines of the page."""
        if block.language == "fortran":
            return block.text
        text = f'#line {block.line} "{self.page.name}"\n{block.text}'
        if block.has("fragment"):
            return (f"{HEADERS[block.language]}int main(void) {{\nshmem_init();\nint me = shmem_my_pe(), n = shmem_n_pes();\n"
                    f"(void)me; (void)n;\n{block.given}\n{{\n{text}}}\nshmem_finalize();\nreturn 0;\n}}\n")
        return f"{HEADERS[block.language]}{block.given}\n{text}" if block.has("declarations") else text

    def compile(self, block):
        name = f"block{block.line}" + blocks.PROGRAMS[block.language]
        partial = block.has("fragment") or block.has("declarations")
        if not partial and block.given:
            raise Failed("only a fragment or declarations can be given something")
        (self.folder / name).write_text(self.source(block))
        warnings = [] if block.language == "fortran" else ["-Wall", "-Wextra", "-Werror"]
        if partial:
            warnings += ["-Wno-unused", "-Wno-unused-parameter"]
        program = f"block{block.line}"
        both = ["env", "CC=weft-mpicc"] if "#include <mpi.h>" in block.text else []
        self.run([*both, *COMPILERS[block.language], "-O1", *warnings, *(["-c"] if block.has("declarations") else []), name,
                  "-o", program])
        self.counts["compiled"] += 1
        return None if partial or block.has("compile") else f"./{program}"

    def try_block(self, block):
        """What it printed, or None."""
        if block.language in COMPILERS:
            if block.language == "fortran" and shutil.which("gfortran") is None:
                self.counts["skipped"] += 1
                return None
            program = self.compile(block)
            if program is None:
                return None
            pes = block.marks.get("pes", str(blocks.WHOLE))
            command = [program] if pes == "0" else ["oshrun", "-n", pes, program]
        elif block.language == "sh":
            command = ["sh", "-ec", block.text]
        else:
            return None
        self.counts["run"] += 1
        return self.run(command, block.marks.get("exit", "0"))

    def lost_links(self):
        """Links to files of ours that do not exist. What is in a block of code is none."""
        text = re.sub(r"^( *)```.*?^ *```$", lambda block: "\n" * block.group().count("\n"), self.page.read_text(),
                      flags=re.DOTALL | re.MULTILINE)
        return [f"{self.page}:{text[:link.start()].count(chr(10)) + 1}: there is no {link.group(1) or link.group(2)}"
                for link in LINK.finditer(text) if not (self.page.parent / (link.group(1) or link.group(2))).exists()]

    def test(self):
        found = blocks.read_blocks(self.page.read_text())
        for block in found:  # before the first command: a page may show the program below
            if block.has("file"):
                (self.folder / block.marks["file"]).write_text(block.text)
        problems, said = self.lost_links(), None
        for block in found:
            try:
                if block.skip:
                    self.counts["skipped"] += 1
                    said = None
                elif not block.has("output"):
                    said = self.try_block(block)
                elif said is not None and not blocks.matches(block.text, said, block.has("unordered")):
                    raise Failed(f"the block before it printed something else:\n{said}")
            except (Failed, subprocess.TimeoutExpired) as problem:
                problems.append(f"{self.page}:{block.line}: {problem}")
                said = None
        return problems


def main():
    page, bin_folder = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as folder:
        test = Page(page, bin_folder, Path(folder))
        try:
            problems = test.test()
        except blocks.Unknown as problem:
            problems = [f"{page}:{problem}"]
    print("\n".join(problems) if problems else f"{page}: " + ", ".join(f"{n} {what}" for what, n in test.counts.items()))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
