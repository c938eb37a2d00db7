#!/usr/bin/env python3
"""Checks that the rooms of src/ include only what tools/layers.txt allows; and so for bench/rooms/ROOM.cpp, as if it were
part of that room.

usage: layers.py [TOP]        TOP: the repository (default: the one this file is in)

Prints one line per violation, as a compiler would, and exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
SOURCES = {".hpp", ".h", ".cpp", ".c"}
# Made by the build from api/, below all rooms; include/weft holds the installed headers.
FREE = ("api/", "weft/", "shmem.h", "shmemx.h", "pshmem.h", "mpp/")


def read_layers(path):
    """{room: rooms it may include}; a pattern such as transport/* stands for all rooms below transport."""
    layers = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        room, colon, allowed = line.partition(":")
        if not colon:
            raise SystemExit(f"{path}:{number}: no colon in '{line}'")
        if room.strip() in layers:
            raise SystemExit(f"{path}:{number}: room '{room.strip()}' stands here twice")
        layers[room.strip()] = allowed.split()
    return layers


def room_of(path, rooms):
    """The room a path below src/ is in: the longest name that fits, so that transport/shm comes before transport."""
    parts = Path(path).parts[:-1]
    for length in range(len(parts), 0, -1):
        name = "/".join(parts[:length])
        if name in rooms:
            return name
    return None


def may_include(room, other, layers):
    if other == room:
        return True
    for allowed in layers[room]:
        if allowed == other or (allowed.endswith("/*") and other.startswith(allowed[:-1])):
            return True
    return False


def cycles(layers):
    """A rule that allows a circle is wrong itself."""
    found = []
    state = {}

    def visit(room, way):
        if state.get(room) == "done" or room not in layers:
            return
        if room in way:
            found.append(" -> ".join(way[way.index(room):] + [room]))
            return
        for below in layers[room]:
            visit(below, way + [room])
        state[room] = "done"

    for room in layers:
        visit(room, [])
    return found


def includes(path, src, top):
    """(line number, what is included) from the top of src/ or of the repository."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if target.startswith(".."):
            target = (path.parent / target).resolve()
            base = src if target.is_relative_to(src.resolve()) else top
            target = target.relative_to(base.resolve()).as_posix()
        if not target.startswith(FREE):
            yield number, target


def check(top):
    layers_file = top / "tools/layers.txt"
    layers = read_layers(layers_file)
    problems = [f"tools/layers.txt: rooms may include each other in a circle: {way}" for way in cycles(layers)]
    src = top / "src"
    for path in sorted(p for p in src.rglob("*") if p.suffix in SOURCES):
        name = path.relative_to(src).as_posix()
        room = room_of(name, layers)
        if room is None:
            problems.append(f"src/{name}:1: '{Path(name).parent}' is not in tools/layers.txt")
            continue
        for number, target in includes(path, src, top):
            other = room_of(target, layers)
            if other is None:
                problems.append(f'src/{name}:{number}: "{target}" is in no room; write "room/file.hpp"')
            elif not may_include(room, other, layers):
                problems.append(f"src/{name}:{number}: room '{room}' may not include '{other}'")
    for path in sorted(p for p in (top / "bench/rooms").glob("*.cpp") if p.stem in layers):
        for number, target in includes(path, src, top):
            other = room_of(target, layers)
            if other is not None and not may_include(path.stem, other, layers):
                problems.append(f"bench/rooms/{path.name}:{number}: room '{path.stem}' may not include '{other}'")
    return problems


def main():
    top = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    problems = check(top)
    print("\n".join(problems) if problems else "layers: every include is allowed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
