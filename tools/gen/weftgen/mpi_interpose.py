"""The wrappers of MPI's functions for tools (src/interpose): api/mpi/ops.hpp and interpose/mpi/wrappers_*.cpp, as interpose.py
makes them of OpenSHMEM's table.

A wrapper has the MPI_ name only: PMPI_ is what tools call to come past each other, ours and everybody's. What it hands on to is the
next MPI_ behind it, which is another tool's where there is one. Functions that are to come have none.
"""
import re

from . import kinds
from .interpose import HEAD, OPS, wrapped_of
from .text import banner


def render(interface, table):
    wrapped, space = wrapped_of(interface), interface.namespace
    text = banner(table=interface.table).rstrip()
    kind_of = {op(family): family.kind for family in table.families if not family.later}
    ops = sorted(kind_of)
    files = {f"src/{interface.path}/ops.hpp": OPS.format(
        banner=text, namespace=space, count=len(ops), library=wrapped.library, calls=len(table.routines) + 1,
        minus=f" - 0x{interface.first_call:x}",
        enumerators="\n".join(f"  {name}," for name in ops),
        kinds="\n".join(f"    Kind::{kinds.name(kind_of[name])},  // {name}" for name in ops))}
    head = HEAD.format(banner=text, namespace=space, header=wrapped.header, invocation=wrapped.invocation,
                       headers="\n".join(f"#include <{header}>" for header in wrapped.headers))
    for area in table.areas:
        if parts := [wrapper(routine) for routine in seen(table) if routine.family.area == area]:
            files[f"interpose/{interface.id}/wrappers_{area}.cpp"] = head + "\n".join(parts) + "\n}\n"
    return files


def seen(table):
    return [routine for routine in table.routines if not routine.family.later]


def names(table):
    """What a tool exports of it."""
    return [routine.name for routine in seen(table)]


def op(family):
    return family.base.lower()


# Field -> the type of the parameter, the first of it; counts are known by what they are to bindings too.
FIELDS = {"comm": "MPI_Comm", "changed": "MPI_Comm *", "datatype": "MPI_Datatype", "win": "MPI_Win", "made": "MPI_Win *"}
ORDER = ("comm", "changed", "datatype", "count", "win", "made", "rank")


def fields(routine):
    """Field -> argument."""
    given = {}
    for field, c_type in FIELDS.items():
        given[field] = next((p.name for p in routine.params if re.sub(r"\s+", " ", p.type) == c_type), None)
    # The first one: where it is a send's and the data is in place, it means nothing.
    given["count"] = next((p.name for p in routine.params if p.count), None)
    names_of_all = {param.name for param in routine.params}
    if (beside := (given["count"] or "").replace("count", "type")) in names_of_all:
        given["datatype"] = beside
    if "target_count" in names_of_all:
        # What the target sees: the origin's may be nothing where an operation takes nothing from it.
        given["count"], given["datatype"] = "target_count", "target_datatype"
    if given["win"]:
        given["rank"] = next((name for name in ("target_rank", "rank") if name in names_of_all), None)
    return {field: argument for field, argument in given.items() if argument}


def wrapper(routine):
    star = "" if routine.returns.endswith("*") else " "
    name = routine.name
    given = fields(routine)
    members = [f".call = Call::{name}", f".op = Op::{op(routine.family)}"]
    members += [f".{field} = WEFT_FIELD({field}, {given[field]})" for field in ORDER if field in given]
    args = "".join(f", {param.name}" for param in routine.params if param.name)
    return (f"WEFT_WRAPPER {routine.returns}{star}{name}({routine.prototype_params}) {{\n"
            f"  return weft::hooks::around<Op::{op(routine.family)}>(WEFT_INVOCATION({', '.join(members)}), "
            f"WEFT_NEXT({name}, {name}){args});\n"
            f"}}\n")
