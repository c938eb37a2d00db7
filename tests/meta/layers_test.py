#!/usr/bin/env python3
"""tools/check/layers.py must find each way round tools/layers.txt, and nothing else, in a small tree."""

import json
import unittest

from tree import Tree, run

RULES = """# rooms
base: <unistd.h>
os: base <memory>
transport: base
transport/shm: base transport
route: base transport transport/shm api/calls.hpp shmem.h <nowhere/library.h>
tools/run: route

<memory>: <linux/*> <sys/mman.h>

base shows: span.hpp
transport shows: contract.hpp
transport/shm shows:
    shm.hpp
route shows: all.hpp
"""

FILES = {
    "src/base/span.cpp": '#include "base/span.hpp"\n#include <unistd.h>\n',
    "src/os/cma.hpp": '// Copies.\n#pragma once\n#include "base/span.hpp"\n#include <cstddef>\n',
    "src/os/cma.cpp": '#include "os/cma.hpp"\n#include <linux/futex.h>\n#include <sys/mman.h>\n',
    "src/transport/contract.hpp": '// The contract.\n#pragma once\n#include "base/span.hpp"\n',
    "src/transport/inner.hpp": '// Of transport alone.\n#pragma once\n',
    "src/transport/shm/shm.hpp": '// A leaf.\n#pragma once\n#include "transport/contract.hpp"\n#include "base/span.hpp"\n',
    "src/route/all.hpp": '// All ways.\n#pragma once\n#include "transport/shm/shm.hpp"\n',
    "src/route/all.cpp": '#include "route/all.hpp"\n#include "base/span.hpp"\n#include "transport/contract.hpp"\n'
                         '#include "api/calls.hpp"\n#include "shmem.h"\n#include <nowhere/library.h>\n',
    "include/shmem.h": "/* Installed. */\n",
    "tools/run/main.cpp": '#include "route/all.hpp"\n',
}


class Layers(Tree):
    def setUp(self):
        super().setUp()
        self.write("tools/layers.txt", RULES)
        for name, text in FILES.items():
            self.write(name, text)

    def rule(self, line, instead):
        text = (self.top / "tools/layers.txt").read_text()
        self.assertIn(line + "\n", text)
        self.write("tools/layers.txt", text.replace(line + "\n", instead))

    def add(self, name, text):
        self.write(name, (self.top / name).read_text() + text)

    def expect_only(self, *problems, arguments=()):
        code, text = run("layers.py", self.top, *arguments)
        self.assertEqual(text.splitlines(), list(problems))
        self.assertEqual(code, 1, text)

    def test_a_right_tree(self):
        # Among others: what the build has yet to make (api/calls.hpp), and a library that is not installed.
        self.expect_clean("layers.py")


class Rooms(Layers):
    def test_a_leak(self):
        self.add("src/os/cma.cpp", '\n#include "transport/contract.hpp"\n')
        self.expect_only("src/os/cma.cpp:5: room 'os' may not include 'transport'")

    def test_a_leak_in_a_benchmark(self):
        self.write("bench/rooms/os.cpp", '#include "rooms.hpp"\n#include "base/span.hpp"\n#include <unistd.h>\n')
        self.write("bench/rooms/rooms.hpp", '// For all.\n#include <cstddef>\n')
        self.expect_clean("layers.py")
        self.add("bench/rooms/os.cpp", '#include "transport/contract.hpp"\n')
        self.expect_only("bench/rooms/os.cpp:4: room 'os' may not include 'transport'")

    def test_a_leak_by_a_relative_path(self):
        self.add("src/base/span.cpp", '#include "../os/cma.hpp"\n')
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'os'")

    def test_a_leak_by_angle_brackets(self):
        self.add("src/base/span.cpp", "#include <os/cma.hpp>\n")
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'os'")

    def test_a_leak_by_a_macro(self):
        self.add("src/base/span.cpp", '#define HEADER "os/cma.hpp"\n#include HEADER\n')
        self.expect_only("src/base/span.cpp:4: room 'base' may not include 'os'")

    def test_a_leak_by_a_macro_of_the_command(self):
        self.add("src/base/span.cpp", "#include HEADER\n")
        source = self.top / "src/base/span.cpp"
        flags = [f"-I{self.top}/src", "-DHEADER=<os/cma.hpp>"]
        self.write("build/dev/compile_commands.json", json.dumps([{
            "directory": str(self.top), "file": str(source),
            "arguments": ["ccache", "c++", *flags, "-o", "span.o", "-c", str(source)]}]))
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'os'")
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'os'",
                         arguments=["--build", self.top / "build/dev"])

    def test_a_leak_behind_a_comment(self):
        self.add("src/base/span.cpp", '/* but */ #include "os/cma.hpp"\n# /* and */ include /* so */ "os/cma.hpp" // on\n')
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'os'",
                         "src/base/span.cpp:4: room 'base' may not include 'os'")

    def test_what_is_only_a_comment(self):
        self.add("src/base/span.cpp", '/*\n#include "os/cma.hpp"\n*/ const char* text = "/*";\n// #include "os/cma.hpp"\n')
        self.expect_clean("layers.py")

    def test_a_leak_over_two_lines(self):
        self.add("src/base/span.cpp", '#include \\\n  "os/cma.hpp"\n')
        code, text = run("layers.py", self.top)
        self.assertEqual(code, 1)
        self.assertIn("room 'base' may not include 'os'", text)

    def test_a_leak_by_a_digraph(self):
        self.add("src/base/span.cpp", '%:include "os/cma.hpp"\n')
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'os'")

    def test_a_leak_in_a_file_of_another_kind(self):
        self.add("src/base/span.cpp", '#include "base/table.inc"\n')
        self.write("src/base/table.inc", '\n#include "os/cma.hpp"\n')
        self.expect_only("src/base/table.inc:2: room 'base' may not include 'os'")

    def test_a_leak_in_a_header_nobody_includes(self):
        self.write("src/base/alone.hpp", '// Alone.\n#define HEADER "os/cma.hpp"\n#include HEADER\n')  # not to be seen in the text
        self.expect_only("src/base/alone.hpp:3: room 'base' may not include 'os'")

    def test_a_leak_in_a_part_that_is_left_out_here(self):
        self.add("src/base/span.cpp", '#ifdef ANOTHER_SYSTEM\n#include "os/cma.hpp"\n#endif\n')
        self.expect_only("src/base/span.cpp:4: room 'base' may not include 'os'")

    def test_a_leak_of_what_was_included_before(self):
        self.add("tools/run/main.cpp", '#include "base/span.hpp"\n')  # all.hpp has brought it
        self.expect_only("tools/run/main.cpp:2: room 'tools/run' may not include 'base'")

    def test_a_tool(self):
        self.write("tools/run/other.cpp", '#include "transport/contract.hpp"\n')
        self.expect_only("tools/run/other.cpp:1: room 'tools/run' may not include 'transport'")

    def test_leaves_do_not_know_each_other_but_route_knows_all(self):
        self.rule("transport/shm: base transport", "transport/shm: base transport\ntransport/cma: base\n")
        self.rule("route shows: all.hpp", "route shows: all.hpp\ntransport/cma shows: cma.hpp\n")
        self.rule("route: base transport transport/shm api/calls.hpp shmem.h <nowhere/library.h>",
                  "route: base transport transport/shm transport/cma api/calls.hpp shmem.h <nowhere/library.h>\n")
        self.write("src/transport/cma/cma.hpp", '// Another leaf.\n#pragma once\n#include "base/span.hpp"\n')
        self.add("src/route/all.cpp", '#include "transport/cma/cma.hpp"\n')
        self.expect_clean("layers.py")
        self.add("src/transport/shm/shm.hpp", '#include "transport/cma/cma.hpp"\n')
        self.expect_only("src/transport/shm/shm.hpp:5: room 'transport/shm' may not include 'transport/cma'")

    def test_a_header_that_is_not_shown(self):
        self.add("src/route/all.cpp", '#include "transport/inner.hpp"\n')
        self.expect_only("src/route/all.cpp:7: room 'transport' does not show its 'inner.hpp' to others")

    def test_declaring_what_another_room_has(self):
        self.add("src/os/cma.hpp", "namespace weft::os {}\nnamespace weft::base { class Span; }\n")
        self.expect_clean("layers.py")
        self.add("src/os/cma.hpp", "namespace weft::transport {\nclass Contract;\n}\n")
        self.expect_only("src/os/cma.hpp:7: room 'os' may not declare what is in 'transport'")

    def test_declaring_it_in_steps(self):
        self.add("src/os/cma.hpp", "namespace weft {\nnamespace transport {\nclass Contract;\n}\n}\n")
        self.expect_only("src/os/cma.hpp:5: write namespace weft::room in one")

    def test_a_room_nobody_knows(self):
        self.write("src/cellar/wine.hpp", "// Wine.\n")
        self.write("tools/cellar/main.cpp", "// Wine.\n")
        self.expect_only("src/cellar/wine.hpp:1: 'cellar' is not in tools/layers.txt",
                         "tools/cellar/main.cpp:1: 'tools/cellar' is not in tools/layers.txt")

    def test_an_include_without_a_room(self):
        self.add("src/os/cma.cpp", '#include "cma.hpp"\n#include "none.hpp"\n')
        self.expect_only('src/os/cma.cpp:4: "cma.hpp" is in no room; write "room/file.hpp"',
                         'src/os/cma.cpp:5: "none.hpp" is in no room; write "room/file.hpp"')

    def test_another_folder_of_the_repository(self):
        self.write("tests/support/sneak.hpp", '#include "os/cma.hpp"\n')
        self.add("src/base/span.cpp", '#include "tests/support/sneak.hpp"\n')
        self.expect_only("src/base/span.cpp:3: room 'base' may not include 'tests/support/sneak.hpp'",
                         "tests/support/sneak.hpp:1: an interface may not include room 'os'")


class Interfaces(Layers):
    def test_one_that_is_not_for_all(self):
        self.add("src/os/cma.cpp", '#include "shmem.h"\n#include <shmem.h>\n#include "api/calls.hpp"\n')
        self.expect_only("src/os/cma.cpp:4: room 'os' may not include 'shmem.h'",
                         "src/os/cma.cpp:5: room 'os' may not include 'shmem.h'",
                         "src/os/cma.cpp:6: room 'os' may not include 'api/calls.hpp'")

    def test_one_that_the_build_makes(self):
        self.write("build/dev/generated/src/api/calls.hpp", "// Made.\n")
        self.expect_clean("layers.py")
        self.add("src/os/cma.cpp", '#include "api/calls.hpp"\n')
        self.expect_only("src/os/cma.cpp:4: room 'os' may not include 'api/calls.hpp'")

    def test_a_header_put_there(self):
        self.write("api/sneak.hpp", '// All of it.\n#include "os/cma.hpp"\n')
        self.add("src/base/span.cpp", '#include "api/sneak.hpp"\n')
        self.expect_only("api/sneak.hpp:2: an interface may not include room 'os'",
                         "src/base/span.cpp:3: room 'base' may not include 'api/sneak.hpp'")
        self.rule("base: <unistd.h>", "base: api/sneak.hpp <unistd.h>\n")
        self.expect_only("api/sneak.hpp:2: an interface may not include room 'os'")

    def test_a_file_that_is_filled_in(self):
        self.write("tools/run/build.hpp.in", "// @VERSION@\n")
        self.add("tools/run/main.cpp", '#include "build.hpp"\n')
        self.expect_clean("layers.py")


class System(Layers):
    def test_a_header_of_the_system(self):
        self.add("src/base/span.cpp", "#include <sys/mman.h>\n#include <cstddef>\n")
        self.expect_only("src/base/span.cpp:3: room 'base' may not include <sys/mman.h>")

    def test_a_header_of_a_library_that_is_not_installed(self):
        self.add("src/os/cma.cpp", "#include <nowhere/library.h>\n")
        self.expect_only("src/os/cma.cpp:4: room 'os' may not include <nowhere/library.h>")

    def test_a_header_of_the_system_under_another_name(self):
        self.add("src/transport/contract.hpp", '#include "unistd.h"\n#include "/usr/include/unistd.h"\n')
        self.expect_only("src/transport/contract.hpp:4: room 'transport' may not include <unistd.h>",
                         "src/transport/contract.hpp:5: room 'transport' may not include </usr/include/unistd.h>")


class Unused(Layers):
    def test_what_nobody_uses(self):
        self.rule("tools/run: route", "tools/run: base route shmem.h <memory> <time.h>\n")
        self.expect_only(*(f"tools/layers.txt:7: room 'tools/run' never includes {word}; take it out"
                           for word in ("'base'", "'shmem.h'", "<memory>", "<time.h>")))

    def test_a_header_of_a_group(self):
        self.rule("<memory>: <linux/*> <sys/mman.h>", "<memory>: <linux/*> <sys/mman.h> <sys/shm.h>\n")
        self.expect_only("tools/layers.txt:9: nobody includes <sys/shm.h> of group <memory>; take it out")

    def test_a_header_that_is_shown(self):
        self.rule("route shows: all.hpp", "route shows: all.hpp all.cpp\n")
        self.expect_only("tools/layers.txt:15: no other room includes 'all.cpp' of 'route'; take it out")

    def test_what_is_used_by_another_configuration(self):
        self.rule("tools/run: route", "tools/run: route <sys/shm.h>\n")
        self.add("tools/run/main.cpp", "#ifdef ANOTHER_SYSTEM\n#include <sys/shm.h>\n#endif\n")
        self.expect_clean("layers.py")

    def test_a_room_that_is_not_there(self):
        self.rule("tools/run: route", "tools/run: route cellar\ncellar:\n")
        self.expect_only("tools/layers.txt:8: room 'cellar' has no files",
                         "tools/layers.txt:7: room 'tools/run' never includes 'cellar'; take it out")
        self.rule("cellar:", "")
        self.expect_only("tools/layers.txt:7: there is no room 'cellar'")


class Files(Layers):
    def test_a_circle_in_the_rules(self):
        self.write("tools/layers.txt", "base: os\nos: base\n")
        self.expect("layers.py", "tools/layers.txt: rooms may include each other in a circle: base -> os -> base")

    def test_a_room_twice(self):
        self.rule("tools/run: route", "tools/run: route\nos: base\n")
        self.expect_only(f"{self.top.resolve()}/tools/layers.txt:8: 'os' stands here twice")

    def test_a_build_folder_that_is_none(self):
        self.expect_only(f"layers: {self.top.resolve()}/build is no configured build folder: it has no compile_commands.json",
                         arguments=["--build", self.top / "build"])

    def test_a_compiler_that_does_not_work(self):
        source = self.top / "src/base/span.cpp"
        self.write("build/dev/compile_commands.json", json.dumps([{
            "directory": str(self.top), "file": str(source), "arguments": ["c++", "--no-such-option", "-c", str(source)]}]))
        code, text = run("layers.py", self.top)
        self.assertEqual(code, 1)
        self.assertIn("src/base/span.cpp:1: the compiler does not read it: ", text)


if __name__ == "__main__":
    unittest.main()
