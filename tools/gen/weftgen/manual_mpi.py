"""Of MPI, for weft-mpi(7): which functions are whole, and which are to come."""
from . import mdoc


def _lists(table, wanted):
    """The functions that are wanted, by area, each with its twin."""
    out = []
    for area, about in table.areas.items():
        names = [f"MPI_{family.base}" + (" (_c)" if family.large else "")
                 for family in sorted(table.families, key=lambda each: each.base)
                 if family.area == area and wanted(family)]
        if names:
            out += [f".Ss {about['title']}", *mdoc.text_lines(", ".join(names) + ".")]
    return out


def keys(table):
    """(what stands between two @, the lines that are put there)."""
    later = sum(bool(routine.family.later) for routine in table.routines)
    total = len(table.routines)
    return (("TOTAL", [str(total)]), ("WHOLE", [str(total - later)]), ("LATER", [str(later)]),
            ("MPI_WHOLE", _lists(table, lambda family: not family.later)),
            ("MPI_LATER", _lists(table, lambda family: family.later)))
