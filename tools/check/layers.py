#!/usr/bin/env python3
"""Checks that the rooms (the folders of src/, the programs of tools/) include only what tools/layers.txt allows: of each
other, of the interfaces (installed and generated headers, api/), and of the system. What is allowed must be used, too.

usage: layers.py [TOP] [--build DIR]

TOP is the repository (default: the one this file is in), DIR a configured build folder of it (default: TOP/build/dev, if
there is one): its commands are what the compiler is asked with. bench/rooms/ROOM.cpp is held to what its room may include.
Prints one line per violation, as a compiler would, and exits with 1 if there is one.
"""

import argparse
import re
import sys
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from includes import Reader, without_comments  # noqa: E402

RULES = "tools/layers.txt"
NAMESPACE = re.compile(r"\bnamespace\s+(weft(?:\s*::\s*\w+)*)\s*\{")
TOY = "tests/multi/core"  # a front end, held to what front ends may
CXX_HEADER = re.compile(r"[a-z_]+")  # C++'s own have no dot: <vector>, <cstdio>; nobody else's are called so


class Rules:
    """What tools/layers.txt says."""

    def __init__(self, path):
        self.line = {}    # (one of the three below, its key): where it stands
        self.rooms = {}   # room: the words it may include
        self.groups = {}  # <group>: the headers in it, as <name>
        self.shown = {}   # room: the headers others may include
        self.used = set()
        whole = []  # of lines, with those that go on, which begin with blanks
        for number, line in enumerate(path.read_text().splitlines(), 1):
            text = line.split("#")[0].rstrip()
            if text.startswith(" ") and whole:
                whole[-1][1] += text
            elif text:
                whole.append([number, text])
        for number, text in whole:
            self._take(path, number, text)

    def _take(self, path, number, text):
        name, colon, words = text.partition(":")
        if not colon:
            raise SystemExit(f"{path}:{number}: no colon in '{text}'")
        room = name.strip().removesuffix(" shows")
        kind = self.shown if name.strip() != room else self.groups if room.startswith("<") else self.rooms
        if room in kind:
            raise SystemExit(f"{path}:{number}: '{name.strip()}' stands here twice")
        self.line[id(kind), room] = number
        kind[room] = words.split()

    def where(self, kind, name):
        return f"{RULES}:{self.line[id(kind), name]}"

    def room_of(self, path):
        """The room of a path from the top of src/ or, with tools/, of the repository: the longest name that fits."""
        parts = Path(path).parts[:-1]
        for length in range(len(parts), 0, -1):
            name = "/".join(parts[:length])
            if name in self.rooms:
                return name
        return None

    def allows(self, room, wanted):
        """May it include this room, interface or <header>? The rule that says so is noted as used."""
        for word in self.rooms[room]:
            for name in self.groups.get(word, [word]):
                if fnmatchcase(wanted, name):
                    self.used.update(((room, word), (word, name)))
                    return True
        return False

    def shows(self, room, header):
        self.used.add(("shows", room, header))
        return header in self.shown.get(room, [])

    def circles(self):
        """A rule that allows a circle is wrong itself."""
        found, done = [], set()

        def visit(room, way):
            if room in way:
                found.append(" -> ".join(way[way.index(room):] + [room]))
            elif room not in done and room in self.rooms:
                for below in self.rooms[room]:
                    visit(below, way + [room])
                done.add(room)

        for room in self.rooms:
            visit(room, [])
        return found

    def unused(self):
        for room, words in self.rooms.items():
            for word in words:
                if re.fullmatch(r"[\w/-]+", word) and word not in self.rooms:
                    yield f"{self.where(self.rooms, room)}: there is no room '{word}'"
                elif (room, word) not in self.used:
                    yield f"{self.where(self.rooms, room)}: room '{room}' never includes {quoted(word)}; take it out"
        for group, headers in self.groups.items():
            for header in headers:
                if (group, header) not in self.used:
                    yield f"{self.where(self.groups, group)}: nobody includes {header} of group {group}; take it out"
        for room, headers in self.shown.items():
            for header in headers:
                if ("shows", room, header) not in self.used:
                    yield f"{self.where(self.shown, room)}: no other room includes '{header}' of '{room}'; take it out"


def quoted(word):
    return word if word.startswith("<") else f"'{word}'"


class Check:
    def __init__(self, top, build):
        self.top = top
        self.rules = Rules(top / RULES)
        self.reader = Reader(top, build, ["src", "tools", "bench/rooms", TOY]).run()
        self.problems = []

    def name(self, path):
        """From the top of the repository; of what the build makes, from the top of its own folder."""
        for root in (*self.reader.generated, self.top):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.as_posix()

    def room(self, path):
        name = self.name(path)
        return self.rules.room_of(name.removeprefix("src/")) if name.startswith(("src/", "tools/", TOY)) else None

    def target(self, include):
        """('room', room and header), ('interface', name), ('system', <name>), or None for what is nowhere."""
        name = include.name
        if include.target:
            name = self.name(include.target)
            room = self.room(include.target)
            if room and ("/" in include.name or room.startswith("tools/") or room == TOY):
                return "room", room, name.removeprefix("src/").removeprefix(room + "/")
            if name.startswith("src/"):
                return None
            return "interface", name.removeprefix("include/"), None
        # Nowhere to be found: the build has yet to make it, or it comes from the system.
        if name not in self.rules.rooms and any(name in words for words in self.rules.rooms.values()):
            return "interface", name, None
        if (include.file.parent / f"{name}.in").exists():
            return "room", self.room(include.file), name
        if self.rules.room_of(name):
            return "room", self.rules.room_of(name), name.removeprefix(self.rules.room_of(name) + "/")
        if include.angle or CXX_HEADER.fullmatch(name) or name.endswith(".h"):
            return "system", f"<{name}>", None
        return None

    def complain(self, include, text):
        self.problems.append((self.name(include.file), include.line, text))

    def look_at(self, include):
        name = self.name(include.file)
        benchmark = name.startswith("bench/")
        room = include.file.stem if benchmark else self.room(include.file)
        if room not in self.rules.rooms:
            self.look_at_interface(include)
            return
        found = self.target(include)
        if found is None:
            if not benchmark:
                self.complain(include, f'"{include.name}" is in no room; write "room/file.hpp"')
            return
        kind, wanted, header = found
        if wanted == room or (benchmark and kind != "room"):
            return
        if kind == "system" and CXX_HEADER.fullmatch(wanted[1:-1]):
            return
        if not (self.may_in_benchmark(room, wanted) if benchmark else self.rules.allows(room, wanted)):
            self.complain(include, f"room '{room}' may not include {quoted(wanted)}")
        elif kind == "room" and not benchmark and not self.rules.shows(wanted, header):
            self.complain(include, f"room '{wanted}' does not show its '{header}' to others")

    def may_in_benchmark(self, room, wanted):
        return wanted in self.rules.rooms[room]  # which does not count as a use

    def look_at_interface(self, include):
        """What all may be allowed to include must not bring a room with it."""
        if self.name(include.file).startswith(("src/", "tools/", "bench/")):
            return  # of no room, which is a complaint of its own
        found = self.target(include)
        if found and found[0] == "room":
            self.complain(include, f"an interface may not include room '{found[1]}'")

    def look_at_file(self, path):
        """What one can see without the compiler: whose namespace is opened, and in which room it is."""
        name = self.name(path)
        if name.startswith("bench/"):
            return
        room = self.room(path)
        if room is None:
            folder = Path(name.removeprefix("src/")).parent
            self.problems.append((name, 1, f"'{folder}' is not in {RULES}"))
            return
        text = without_comments(path.read_text())
        for match in NAMESPACE.finditer(text):
            inner = [word.strip() for word in match[1].split("::")[1:]]
            owner = self.rules.room_of("/".join([*inner, "x"]))
            line = text.count("\n", 0, match.start()) + 1
            if not inner:
                self.problems.append((name, line, "write namespace weft::room in one"))
            elif owner and owner != room and owner not in self.rules.rooms[room]:
                self.problems.append((name, line, f"room '{room}' may not declare what is in '{owner}'"))

    def run(self):
        lines = [f"{RULES}: rooms may include each other in a circle: {way}" for way in self.rules.circles()]
        for path in self.reader.files:
            self.look_at_file(path)
        for include in self.reader.includes:
            self.look_at(include)
        lines += [f"{name}:{line}: {text}" for name, line, text in sorted(set(self.problems))]
        lines += self.reader.problems
        inhabited = {self.room(path) for path in self.reader.files}
        lines += [f"{self.rules.where(self.rules.rooms, room)}: room '{room}' has no files"
                  for room in self.rules.rooms if room not in inhabited]
        return lines + list(self.rules.unused())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("top", nargs="?", default=Path(__file__).parents[2], type=Path)
    parser.add_argument("--build", type=Path)
    options = parser.parse_args()
    top = options.top.resolve()
    build = (options.build or top / "build/dev").resolve()
    if options.build and not (build / "compile_commands.json").exists():
        raise SystemExit(f"layers: {build} is no configured build folder: it has no compile_commands.json")
    problems = Check(top, build if build.is_dir() else None).run()
    print("\n".join(problems) if problems else "layers: every include is allowed, and everything allowed is used")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
