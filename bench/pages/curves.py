"""The drawing of what compare.py has measured: for each place a part, with a line for each way."""
import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "weft", "font.size": 9})  # the same file from the same figures
from matplotlib import pyplot  # noqa: E402: the backend has to be chosen first

LEGEND = "outside right upper"  # where it is over no line
OURS = ("one memory", "pages")  # shared pages, whose lines are thick


def can_draw():
    """Whether this matplotlib, which came to know it late, can place the legend there."""
    figure, axes = pyplot.subplots(layout="constrained")
    try:
        figure.legend(axes.plot([0, 1]), ["a line"], loc=LEGEND)
    except ValueError:
        return False
    finally:
        pyplot.close(figure)
    return True


def draw(found, what, path):
    """`found`: by place, number of PEs and way, seconds."""
    found = {place: of_pes for place, of_pes in found.items() if of_pes}
    figure, parts = pyplot.subplots(1, len(found), figsize=(5 * len(found) + 2, 3.8), squeeze=False,
                                   layout="constrained")
    ways = list(dict.fromkeys(way for of_pes in found.values() for of_ways in of_pes.values() for way in of_ways))
    for axes, (place, of_pes) in zip(parts[0], found.items()):
        for number, way in enumerate(ways):  # the same colour in each part
            points = [(pes, 1e3 * of_ways[way]) for pes, of_ways in sorted(of_pes.items()) if way in of_ways]
            if points:
                axes.plot(*zip(*points), label=way, marker=".", color=f"C{number % 10}", linewidth=2.4 if way in OURS else 1.2,
                          linestyle="--" if number >= 10 else "-")
        axes.set_xticks(sorted(of_pes))
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.set_xlabel("PEs, or threads")
        axes.set_ylabel("ms")
        axes.set_title(f"Laplace {what}, {place}")
        axes.grid(True, which="both", alpha=0.3)
    lines = {line.get_label(): line for axes in parts[0] for line in axes.get_lines()}
    figure.legend(lines.values(), lines.keys(), loc=LEGEND)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
