"""The plots in docs/figures, as SVG."""

import statistics

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "weft", "font.size": 9})  # the same file from the same figures
from matplotlib import pyplot  # noqa: E402: the backend has to be chosen first

from quantities import BARRIER_PES, SIZES, START_PES, Row  # noqa: E402


def draw(area, figures, libraries, folder):
    """Draws the plots of an area, and gives their titles and paths."""
    folder.mkdir(exist_ok=True)
    who = ["limit", *(library.name for library in libraries)]
    made = []
    if area == "access":
        for memory in ("heap", "static"):
            made.append(_plot(folder, f"bandwidth-{memory}", f"Bandwidth of put, {memory}", "bytes", "GB/s",
                              {name: _sizes(figures, name, memory, lambda ns, size: size / ns) for name in who}))
        made.append(_plot(folder, "latency-put", "Time of a put, heap", "bytes", "ns",
                          {name: _sizes(figures, name, "heap", lambda ns, size: ns) for name in who}))
    if area == "sync":
        made.append(_plot(folder, "barrier", "Barrier", "PEs", "us", {name: _pes(figures, "barrier", BARRIER_PES, name, 1e3)
                                                                      for name in who}))
    if area == "start":
        made.append(_plot(folder, "start", "Start to finish of an empty program", "PEs", "ms",
                          {name: _pes(figures, "start", START_PES, name, 1e6) for name in who}))
    return made


def _sizes(figures, name, memory, value):
    points = []
    for text, size in SIZES.items():
        times = figures.of(Row("", "put" + text, memory=memory), name)
        if times:
            points.append((size, value(statistics.median(times), size)))
    return points


def _pes(figures, quantity, counts, name, unit):
    found = [(n, figures.of(Row("", quantity, n), name)) for n in counts]
    return [(n, statistics.median(times) / unit) for n, times in found if times]


def _plot(folder, stem, title, x, y, lines):
    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    for name, points in lines.items():
        if points:
            axes.plot(*zip(*points), label=name, marker="." if name != "limit" else "",
                      linestyle="--" if name == "limit" else "-", linewidth=2.2 if name == "Weft" else 1.2,
                      color={"limit": "black", "Weft": "tab:blue"}.get(name))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(folder / f"{stem}.svg", metadata={"Date": None})
    pyplot.close(figure)
    return title, f"figures/{stem}.svg"
