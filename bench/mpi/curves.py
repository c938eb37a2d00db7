"""Plots of what compare.py has measured: one for each name that has several numbers, with a line for each library."""
import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "weft", "font.size": 9})  # the same file from the same figures
from matplotlib import pyplot  # noqa: E402: the backend has to be chosen first

AXES = {"ring": "computation between two changes, us", "shares": "takings by the other host, of 100", "tasks": "length of a task, us"}


def draw(figures, prefix):
    """`figures`: by library and by name and number, times in us. Gives the files."""
    lines = {}
    for library, cells in figures.items():
        for (what, number), times in cells.items():
            lines.setdefault(what, {}).setdefault(library, []).append((number, statistics.median(times)))
    made = []
    for what, of_libraries in lines.items():
        if max(len(points) for points in of_libraries.values()) > 1:
            made.append(f"{prefix}-{what.replace('_', '-')}.svg")
            _plot(what, of_libraries, made[-1])
    return made


def _plot(what, of_libraries, path):
    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    for library, points in of_libraries.items():
        axes.plot(*zip(*sorted(points)), label=library, marker=".", linewidth=2.2 if library.startswith("Weft") else 1.2)
    axes.set_xscale("symlog")
    axes.set_yscale("log")
    axes.set_xlabel(AXES.get(what, "ms" if "computing" in what or "resting" in what
                             else "ranks" if "contention" in what or "neighbours" in what else "bytes"))
    axes.set_ylabel("us")
    axes.set_title(what.replace("_", " "))
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def ways(figures, title, path):
    """Beside each other: latency of small messages and bandwidth of large ones. `figures`: by way and size, times in us."""
    figure, (latency, bandwidth) = pyplot.subplots(1, 2, figsize=(9, 3.8))
    small, large = 16384, 1024  # up to, and from
    for way, cells in figures.items():
        points = sorted((size, statistics.median(times)) for size, times in cells.items())
        look = {"label": way, "marker": ".", "linewidth": 2 if way.startswith("Weft") else 1.2,
                "linestyle": "-" if way.startswith("Weft") else "--"}
        latency.plot(*zip(*[(size, time) for size, time in points if size <= small]), **look)
        bandwidth.plot(*zip(*[(size, size / time / 1e3) for size, time in points if size >= large]), **look)
    latency.set_xscale("symlog", base=2, linthresh=8)
    latency.set_yscale("log")
    latency.set_ylabel("latency, us")
    bandwidth.set_xscale("log", base=2)
    bandwidth.set_ylabel("bandwidth, GB/s")
    bandwidth.set_ylim(bottom=0)
    latency.legend(fontsize=7)
    for axes in (latency, bandwidth):
        axes.set_xlabel("bytes")
        axes.grid(True, which="major", alpha=0.3)
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path
