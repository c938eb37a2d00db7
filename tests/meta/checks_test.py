#!/usr/bin/env python3
"""Each check of tools/check must report a violation: on a small tree that is right, and then on one with a mistake."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from tree import Tree, run


class Options(Tree):
    def test_a_right_file(self):
        self.expect_clean("options.py")

    def test_no_text(self):
        self.write("api/options.def", 'WEFT_OPTION(spin, count, "WEFT_SPIN", "", "auto", "")\n')
        self.expect("options.py", "api/options.def: spin: has no text")

    def test_the_same_name_twice(self):
        one = 'WEFT_OPTION({}, flag, "WEFT_SPIN", "", "", "polls before a yield")\n'
        self.write("api/options.def", one.format("spin") + one.format("turn"))
        self.expect("options.py", "api/options.def: 'WEFT_SPIN' stands here twice")

    def test_a_kind_nobody_knows(self):
        self.write("api/options.def", 'WEFT_OPTION(spin, colour, "WEFT_SPIN", "", "", "polls before a yield")\n')
        self.expect("options.py", "api/options.def: spin: kind 'colour' is none of algorithm, count, debug, flag, size, "
                    "text, word")

    def test_an_entry_that_is_cut_short(self):
        self.write("api/options.def", 'WEFT_OPTION(spin, flag, "WEFT_SPIN", "")\n')
        self.expect("options.py", "api/options.def: spin: 2 strings, four are needed")

    def test_a_table_of_another_interface(self):
        self.write("api/interfaces.toml", '[[interface]]\nid = "toy"\nfolder = "toy"\noptions = "own.def"\n')
        self.write("api/toy/own.def", 'WEFT_OPTION(spin, flag, "WEFT_TOY_SPIN", "", "", "polls before a yield")\n')
        self.expect_clean("options.py")
        self.write("api/toy/own.def", 'WEFT_OPTION(turn, flag, "WEFT_SPIN", "", "", "polls before a yield")\n')
        self.expect("options.py", "api/toy/own.def: 'WEFT_SPIN' stands in api/options.def too")

    def test_a_page_that_forgot_one(self):
        self.write("docs/options.md", "# Options\n")
        self.expect("options.py", "docs/options.md: does not tell of WEFT_SPIN")


class Documented(Tree):
    def test_a_right_tree(self):
        self.expect_clean("documented.py")

    def test_a_header_that_does_not_say_what_it_is(self):
        self.write("src/base/span.hpp", "#pragma once\n")
        self.expect("documented.py", "src/base/span.hpp:1: does not begin with a comment that says what it is")

    def test_a_room_without_a_readme(self):
        (self.top / "src/os/README.md").unlink()
        self.expect("documented.py", "src/os: has no README.md")

    def test_a_file_too_long_to_hold(self):
        self.write("src/os/cma.hpp", "// Copies.\n" + "\n" * 600)
        self.expect("documented.py", "src/os/cma.hpp:1: 601 lines; at most 600")

    def test_an_open_end(self):
        self.write("src/os/cma.hpp", "// Copies.\n// TO" "DO: more\n")
        self.expect("documented.py", "src/os/cma.hpp:2: an open end; mend it or open an issue")


class Headers(Tree):
    def check(self):
        return run("headers.py", "--top", self.top)

    def test_a_right_tree(self):
        code, text = self.check()
        self.assertEqual(code, 0, text)

    def test_a_header_that_needs_another_one_first(self):
        self.write("src/os/cma.hpp", "// Copies.\n#pragma once\ninline std::size_t pages() { return 1; }\n")
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("src/os/cma.hpp:1: does not compile alone (c++ -std=c++20)", text)

    def test_what_comes_first_in_a_source_of_the_build_was_seen(self):
        """Only there, and only first: the header does not stand alone, and no source says that it does."""
        self.write("src/os/cma.hpp", "// Copies.\n#pragma once\ninline std::size_t pages() { return 1; }\n")
        built = self.write("compile_commands.json", json.dumps([{"directory": str(self.top), "file": "src/os/cma.cpp"}]))
        for text, code in (('// First.\n#include "os/cma.hpp"\n', 0), ('#include <vector>\n#include "os/cma.hpp"\n', 1),
                           ('#define A\n#include "os/cma.hpp"\n', 1)):
            self.write("src/os/cma.cpp", text)
            self.assertEqual(run("headers.py", "--top", self.top, "--built", built)[0], code, text)
        self.write("src/os/other.cpp", '#include "os/cma.hpp"\n')  # not built
        self.assertEqual(run("headers.py", "--top", self.top, "--built", built)[0], 1)

    def test_an_installed_header_that_is_not_c(self):
        self.write("include/weft/window.h", "// A line comment is C99.\nclass Window;\n")
        code, text = self.check()
        self.assertEqual(code, 1)
        self.assertIn("include/weft/window.h:1: does not compile alone (c -std=c99)", text)


class Symbols(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        source = self.folder / "a.c"
        source.write_text("int shmem_one(void) { return 1; }\nint shmem_two(void) { return 2; }\n")
        self.library = self.folder / "a.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source], check=True)

    def check(self, body):
        symbol_map = self.folder / "a.map"
        symbol_map.write_text(body)
        return run("symbols.py", self.library, symbol_map)

    def test_exactly_the_map(self):
        code, text = self.check("WEFT_0 {\n  global:\n    shmem_one;\n    shmem_two;\n  local: *;\n};\n")
        self.assertEqual(code, 0, text)

    def test_a_name_too_many(self):
        code, text = self.check("WEFT_0 { global: shmem_one; local: *; };\n")
        self.assertEqual(code, 1)
        self.assertIn("exports 'shmem_two', which is not in the map", text)

    def test_a_name_that_lacks(self):
        code, text = self.check("WEFT_0 { global: shmem_one; shmem_two; shmem_three; local: *; };\n")
        self.assertEqual(code, 1)
        self.assertIn("lacks 'shmem_three' of the map", text)

    def test_a_pattern_hides_what_is_exported(self):
        code, text = self.check("WEFT_0 { global: shmem_*; local: *; };\n")
        self.assertNotEqual(code, 0)
        self.assertIn("the map must list each name", text)


class Twice(unittest.TestCase):
    def library(self, name, body):
        source = self.folder / f"{name}.cpp"
        source.write_text(f"namespace weft {{ {body} }}\n")
        made = self.folder / f"{name}.so"
        subprocess.run(["c++", "-std=c++17", "-shared", "-fPIC", "-fvisibility=hidden", "-o", made, source], check=True)
        return made

    def check(self, one, other):
        with tempfile.TemporaryDirectory() as folder:
            self.folder = Path(folder)
            return run("twice.py", self.library("a", one), self.library("b", other))

    def test_variables_of_one_each(self):
        constant = "extern int x; inline int* const at = &x; int* use() { return at; }"
        code, text = self.check(f"int one; {constant}", f"int other; {constant}")
        self.assertEqual(code, 0, text)

    def test_a_variable_in_a_header(self):
        header = "inline int count; int next() { return ++count; }"
        code, text = self.check(header, header)
        self.assertEqual(code, 1)
        self.assertIn("'weft::count' is in", text)

    def test_a_variable_of_a_function_in_a_header(self):
        header = "inline int& count() { static int all; return all; } int next() { return ++count(); }"
        code, text = self.check(header, header)
        self.assertEqual(code, 1)
        self.assertIn("'weft::count()::all' is in", text)

    def test_a_variable_of_each_thread(self):
        code, text = self.check("inline thread_local int depth = 1; int one() { return depth; }",
                                "inline thread_local int depth = 1; int two() { return depth; }")
        self.assertEqual(code, 1)
        self.assertIn("'weft::depth' is in", text)


class Lean(unittest.TestCase):
    def check(self, body):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "a.cpp"
            source.write_text(f"#include <vector>\nextern \"C\" int use(std::vector<int>* all) {{ {body} }}\n")
            made = Path(folder) / "a.so"
            subprocess.run(["c++", "-std=c++17", "-O2", "-shared", "-fPIC", "-fno-exceptions", "-static-libstdc++",
                            "-static-libgcc", "-o", made, source], check=True)
            return run("lean.py", made)

    def test_a_library_without_exceptions(self):
        code, text = self.check("return (*all)[0];")
        self.assertEqual(code, 0, text)

    def test_a_container_that_throws(self):
        code, text = self.check("return all->at(3);")
        self.assertEqual(code, 1)
        self.assertIn("a.so has the C++ library's exceptions in it", text)


class CommitMessage(unittest.TestCase):
    def check(self, message):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(message)
            file.flush()
            return run("commit_message.py", file.name)

    def test_good_titles(self):
        for title in ("heap: round sizes up to pages", "transport/cma: finish partial copies", "Merge branch 'a'"):
            self.assertEqual(self.check(title + "\n\nWhy.\n# a comment of git\n")[0], 0, title)

    def test_bad_titles(self):
        for title in ("Heap: round", "heap: Round", "round sizes up", "heap:round", "heap: " + "r" * 60):
            self.assertEqual(self.check(title + "\n")[0], 1, title)

    def test_the_line_after_the_title(self):
        self.assertEqual(self.check("heap: round sizes\nup to pages\n")[0], 1)


if __name__ == "__main__":
    unittest.main()
