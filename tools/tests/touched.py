#!/usr/bin/env python3
"""Chooses the tests for what has changed: `./dev test --touched` runs them.

usage: touched.py FILE...               the folders of tests that changes in these files concern
       touched.py --all                 all folders that it knows
       touched.py --plan BUILD FOLDER.. makes BUILD/chosen, in which ctest finds the tests of these folders, and prints
                                        what those of the first tier need built

A file of src/ concerns its room and all rooms above it (tools/layers.txt); tests/touched.txt says which tests are about
which room. A file in or above a folder of tests concerns that folder.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "check"))
from layers import Rules  # noqa: E402  (it is in a folder of its own)

# What rooms and programs are made of: to change it changes all rooms.
EVERYTHING = ("api/", "cmake/", "include/", "tools/gen/", "tests/support/", "CMakeLists.txt", "CMakePresets.json",
              "tests/CMakeLists.txt", "tests/touched.txt", "tools/layers.txt")
FIRST_TIER = "^tier1$"


def read_layers(path):
    """{room or program: the rooms it may include}"""
    rooms = Rules(path).rooms
    return {room: [word for word in words if word in rooms] for room, words in rooms.items()}


def read_table(path):
    """{folder of tests: what they are about}"""
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return {folder: about.split() for folder, _, about in (line.partition(":") for line in lines if line)}


def rooms_above(rooms, layers):
    """These rooms and all that may include one of them, in one step or more."""
    reached = set(rooms)
    while True:
        more = {room for room, allowed in layers.items() if not reached.isdisjoint(allowed)} - reached
        if not more:
            return reached
        reached |= more


def below(file, folder):
    return file == folder or file.startswith(folder + "/")


def all_folders(top, layers):
    """{folder of tests: what they are about}, those of the rooms among them"""
    table = read_table(top / "tests/touched.txt")
    for room in layers:
        folder = "tests/unit/" + room.replace("/", "_")
        if (top / folder).is_dir():
            table[folder] = [room]
    return table


def folders_of(top, files):
    """The folders of tests that changes in these files concern."""
    rules = Rules(top / "tools/layers.txt")
    layers = read_layers(top / "tools/layers.txt")
    code = [file for file in files if file.startswith("src/") and not file.endswith(".md")]
    changed = {rules.room_of(Path(file).relative_to("src")) for file in code} - {None}
    rooms = set(layers) if any(file.startswith(EVERYTHING) for file in files) else rooms_above(changed, layers)

    def concerned(folder, names):
        if "." in names or not rooms.isdisjoint(names):
            return True
        # Helpers of several folders lie above them; what is written about tests is not run by them.
        own = (below(file, folder) or below(folder, str(Path(file).parent)) for file in files
               if file.startswith(("tests/", "examples/")) and not file.endswith(".md"))
        return any(own) or any(below(file, name) for file in files for name in names)

    return [folder for folder, names in all_folders(top, layers).items() if concerned(folder, names)]


def needed(build, plan):
    """What the tests' commands name of what the build makes, whichever folder it is in."""
    listed = subprocess.run(["ctest", "--test-dir", plan, "-L", FIRST_TIER, "--show-only=json-v1"], capture_output=True,
                            text=True, check=True).stdout
    words = {word for test in json.loads(listed)["tests"] for word in test.get("command", [])}
    made = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    paths = {word.removeprefix(f"{build}/") for word in words if word.startswith(f"{build}/")}
    return paths & {line.partition(": ")[0] for line in made.splitlines()}


def make_plan(top, build, folders):
    plan = build / "chosen"
    plan.mkdir(exist_ok=True)
    known = [folder for folder in folders if (build / folder / "CTestTestfile.cmake").is_file()]  # some need a package
    (plan / "CTestTestfile.cmake").write_text("".join(f'subdirs("{build / folder}")\n' for folder in known))
    # The rooms and tools that they are about, which programs load and start without naming them.
    about = all_folders(top, read_layers(top / "tools/layers.txt"))
    paths = {path for folder in known for name in about.get(folder, []) for path in (f"src/{name}", name)}
    known += sorted(path for path in paths if (top / path / "CMakeLists.txt").is_file() and path != ".")
    return [f"{folder}/all" for folder in known] + sorted(needed(build, plan))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--top", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--plan", type=Path, metavar="BUILD")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.plan:
        lines = make_plan(options.top, options.plan.resolve(), options.names)
    elif options.all:
        lines = sorted(all_folders(options.top, read_layers(options.top / "tools/layers.txt")))
    else:
        lines = sorted(folders_of(options.top, options.names))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
