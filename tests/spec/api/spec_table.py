"""The specification as data: openshmem-1.6.csv, less what not_yet.toml says Weft does not have."""
import csv
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]

sys.path.insert(0, str(ROOT / "tools" / "gen"))
from weftgen.table import Table  # noqa: E402  (the generator's own reader)


def weft_table():
    return Table.load(ROOT / "api")


def rows():
    with open(HERE / "openshmem-1.6.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class NotYet:
    def __init__(self):
        with open(HERE / "not_yet.toml", "rb") as file:
            self.entries = tomllib.load(file)["later"]
        self.used = set()

    def __contains__(self, row):
        for number, entry in enumerate(self.entries):
            kinds = [entry["kind"]] if "kind" in entry else ["function", "generic", "type"]
            if row["kind"] in kinds and re.fullmatch(entry["names"], row["name"]):
                self.used.add(number)
                return True
        return False

    def stale(self):
        return [entry["names"] for number, entry in enumerate(self.entries) if number not in self.used]


def profiling_name(name):
    """Written again here on purpose: the tests say what the second names are, the generator has to agree."""
    return "pshmem_" + name if name.startswith("_") else "p" + name


def covered_functions():
    not_yet = NotYet()
    return [row for row in rows() if row["kind"] == "function" and row not in not_yet]


def finish(problems, passed):
    """Prints at most 40 of the problems and ends the script."""
    for problem in problems[:40]:
        print(problem)
    if len(problems) > 40:
        print(f"... and {len(problems) - 40} more")
    if problems:
        sys.exit(1)
    print(passed)
