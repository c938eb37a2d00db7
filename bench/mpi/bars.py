#!/usr/bin/env python3
"""What windows are held to, row by row, beside the best of other libraries: windows.c of each by turns.

    bars.py BUILD "Open MPI=mpiexec --oversubscribe --bind-to {bind} -n {ranks} ./windows" ...

Each library is a name and the command that starts windows.c, compiled with its mpicc; {ranks} becomes their number, and {bind}
core where each has a processor, else none. Weft's is BUILD's. `--keep FILE` has figures of earlier calls beside those of this
one, so that a long measurement can be made in parts. A ratio is one of medians, with its 90 % interval by resampling rounds.
"""
import argparse
import json
import os
import statistics
import sys
from pathlib import Path

from compare import interval, ratio_of, run

sys.path.append(str(Path(__file__).resolve().parent.parent))
from report import markdown  # noqa: E402: it is one folder above

KINDS = {"allocated": "allocated", "shared": "shared", "created": "brought", "adopted": "brought, adopted"}
LOCKS = ("exclusive", "shared")
MILLISECONDS = (1, 2, 5, 10)
LARGE = (4096, 16384, 65536, 262144, 1048576, 4194304)
MANY = (2, 4, 8)
# Of an issue's row: the group of windows.c, and with how many ranks. `resting` is Weft's own measure for `computing`.
GROUPS = {"idle": ("idle", (2,)), "sizes": ("sizes", (2,)), "computing": ("computing", (2,)), "resting": ("resting", (2,)),
          "neighbours": ("neighbours", MANY), "contention": ("contention", MANY), "active": ("active", (2, 8)), "many": ("many", (8,))}


class Bench:
    def __init__(self, given):
        self.given = given
        self.binds = not given.no_bind
        weft = f"{given.build}/bin/oshrun -n {{ranks}} --bind-to {{bind}} {given.build}/bench/windows"
        self.commands = {"Weft": weft, **dict(library.split("=", 1) for library in given.libraries)}
        self.figures = {}  # library, kind and ranks, then name and number: times
        if given.keep and given.keep.exists():
            self.figures = json.loads(given.keep.read_text())

    def measure(self, group, kind, ranks):
        for library, command in self.commands.items():
            if library != "Weft" and (group == "resting" or ranks > self.given.others_ranks.get(library, 64)):
                continue
            words = command.format(ranks=ranks, bind="core" if self.binds and ranks <= len(os.sched_getaffinity(0)) else "none")
            if kind == "adopted" and library != "Weft":
                continue  # to them it is what `created` is
            if kind == "adopted":
                words = f"env WEFT_ADOPT=auto {words}"
            cells = run(f"{words} {'created' if kind == 'adopted' else kind}", [group], self.given.limit)
            of = self.figures.setdefault(f"{library}/{kind}/{ranks}", {})
            for (what, number), time in cells.items():
                # Without the kind, which is part of what it is of.
                of.setdefault(f"{what.split('_', 1)[1]}/{number}", []).append(time)

    def times(self, library, kind, ranks, what, number):
        return self.figures.get(f"{library}/{kind}/{ranks}", {}).get(f"{what}/{number}")

    def beside(self, kind, ranks, what, number):
        """Weft's times, and those of the others that have any."""
        others = [self.times(library, "created" if kind == "adopted" else kind, ranks, what, number)
                  for library in self.commands if library != "Weft"]
        return self.times("Weft", kind, ranks, what, number), [times for times in others if times]

    def row(self, title, kind, ranks, what, most, number=8):
        ours, others = self.beside(kind, ranks, what, number)
        if not ours or not others:
            return None
        ratio = ratio_of(ours, others)
        low, high = interval(ours, others)
        return [title, f"{statistics.median(ours):.3g}", f"{min(statistics.median(times) for times in others):.3g}",
                f"{ratio:.2f} ({low:.2f} to {high:.2f})", f"{most:g}", "met" if ratio <= most else "**missed**"]


def idle_rows(bench):
    for kind, text in KINDS.items():
        brought = kind in ("created", "adopted")
        for lock in LOCKS:
            yield bench.row(f"lock, unlock: {text}, {lock}", kind, 2, f"{lock}_nothing", 1)
            yield bench.row(f"lock, put of 8 B, unlock: {text}, {lock}", kind, 2, f"{lock}_put", 0.7 if brought else 1)
        for what, most in (("put", 1), ("get", 1), ("fetch_and_op", 0.9), ("compare_and_swap", 0.9)):
            yield bench.row(f"{what} of 8 B, flush: {text}", kind, 2, f"flush_{what}", 0.7 if brought else most)


def size_rows(bench):
    for kind, text in KINDS.items():
        for what in ("put", "get"):
            for size in LARGE:
                yield bench.row(f"{what} of {size} B, flush: {text}", kind, 2, f"flush_{what}", 1, size)


def copy_rows(bench):
    """Of Weft alone, in a copy's times."""
    for size in LARGE:
        for what, copy in (("put", "copy_there"), ("get", "copy_here")):
            ours, limit = (bench.times("Weft", "allocated", 2, name, size) for name in (f"flush_{what}", copy))
            if ours and limit:
                ratios = [one / two for one, two in zip(ours, limit)]
                ratio = statistics.median(ratios)
                yield [f"{what} of {size} B, flush: allocated, beside a copy", f"{statistics.median(ours):.3g}",
                       f"{statistics.median(limit):.3g}", f"{ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f})", "1.05",
                       "met" if ratio <= 1 / 0.95 else "**missed**"]


def computing_rows(bench):
    """The cell with the most on top of what the same operation takes beside a target that waits."""
    for kind, text in KINDS.items():
        for ms in MILLISECONDS:
            cells = []
            for lock in LOCKS:
                for what in ("nothing", "put", "get", "fetch_and_op", "compare_and_swap"):
                    busy, rests = (bench.times("Weft", kind, 2, f"{group}_{lock}_{what}", ms) for group in ("computing", "resting"))
                    if busy and rests:
                        _, others = bench.beside(kind, 2, f"computing_{lock}_{what}", ms)
                        best = min((statistics.median(times) for times in others), default=None)
                        cells.append((statistics.median(busy), statistics.median(rests), best))
            if cells:
                more = sorted(busy - rests for busy, rests, _ in cells)
                others = sorted(best for _, _, best in cells if best is not None)
                yield [f"target computes {ms} ms: {text}, 10 cells", f"{min(c[0] for c in cells):.3g} to {max(c[0] for c in cells):.3g}",
                       f"{others[0]:.3g} to {others[-1]:.3g}" if others else "",
                       f"{more[0]:+.2g}, {statistics.median(more):+.2g}, {more[-1]:+.2g} us more than resting", "1 us",
                       "met" if more[-1] <= 1 else "**missed**"]


def many_rows(group, most):
    def rows(bench):
        for kind, text in KINDS.items():
            for ranks in MANY:
                for lock in LOCKS:
                    for what in ("nothing", "put"):
                        yield bench.row(f"{group}, {ranks} ranks: {text}, {lock}, {what}", kind, ranks, f"{group}_{lock}_{what}", most[lock])
    return rows


def active_rows(bench):
    for kind, text in KINDS.items():
        for ranks in (2, 8):
            for what in ("fence", "post_start_complete_wait"):
                yield bench.row(f"{what}, {ranks} ranks: {text}", kind, ranks, f"active_{what}", 0.8)


def creation_rows(bench):
    for kind, text in KINDS.items():
        yield bench.row(f"making one of 500 windows, 8 ranks: {text}", kind, 8, "many_creation", 0.5, 8)


ROWS = (idle_rows, size_rows, copy_rows, computing_rows, many_rows("neighbours", {"exclusive": 1, "shared": 1}),
        many_rows("contention", {"exclusive": 1, "shared": 0.7}), active_rows, creation_rows)


# A plot: the kind, what is in it, and what goes along its axis.
PLOTS = (*((kind, name, MANY) for kind in ("allocated", "created")
           for name in ("neighbours_exclusive_put", "contention_exclusive_put", "contention_shared_put")),
         *((kind, name, None) for kind in ("allocated", "created") for name in ("computing_exclusive_put", "flush_put", "flush_get")))


def drawn(bench):
    """As curves.py has it: by library, then by name and number; the number is the ranks where a group has several."""
    figures = {}
    for kind, name, ranks in PLOTS:
        sources = [(library, library, kind) for library in bench.commands]
        if kind == "created":
            sources.append(("Weft, adopted", "Weft", "adopted"))
        for title, library, of in sources:
            for n in ranks or (2,):
                for cell, times in bench.figures.get(f"{library}/{of}/{n}", {}).items():
                    what, number = cell.split("/")
                    if what == name and not (name.startswith("flush") and number == "8"):  # that one is of many in a row
                        figures.setdefault(title, {})[f"{kind}_{name}", n if ranks else int(number)] = times
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("libraries", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--ranks", default="2,4,8", help="of these, those that a group is measured with")
    parser.add_argument("--others-ranks", action="append", default=[], metavar="NAME=N", help="that library has no more than N ranks")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run; one that takes longer has no figures")
    parser.add_argument("--no-bind", action="store_true", help="leave ranks where the system puts them")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="figures of this and of earlier calls")
    parser.add_argument("--plots", metavar="PREFIX", help="draw PREFIX-NAME.svg of what has several numbers (curves.py)")
    given = parser.parse_intermixed_args()
    given.build = given.build.resolve()
    given.others_ranks = {name: int(most) for name, most in (pair.rsplit("=", 1) for pair in given.others_ranks)}
    for asked, known in ((given.groups, GROUPS), (given.kinds, KINDS)):
        for name in filter(None, asked.split(",")):
            if name not in known:
                parser.error(f"there is no {name}; there are {', '.join(known)}")
    bench = Bench(given)
    wanted = {int(ranks) for ranks in given.ranks.split(",")}
    for _ in range(given.rounds):
        for name in filter(None, given.groups.split(",")):
            group, numbers = GROUPS[name]
            for ranks in sorted(wanted & set(numbers)):
                for kind in given.kinds.split(","):
                    bench.measure(group, kind, ranks)
    if given.keep:
        given.keep.write_text(json.dumps(bench.figures, indent=1))
    lines = [row for rows in ROWS for row in rows(bench) if row]
    if given.plots:
        import curves  # what it needs is not everywhere
        print("\n".join(curves.draw(drawn(bench), given.plots)))
    print("\n".join(markdown([["what", "Weft, us", "best of the others", "ratio", "held to", ""], *lines])))


if __name__ == "__main__":
    main()
