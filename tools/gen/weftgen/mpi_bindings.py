"""mpi/bindings_*.cpp: the exported functions of MPI. Each notes which it is, checks what its parameters' types say, and calls
the body written by hand with what its handles stand for. mpi/mpi_abi.map: their names.

The strong symbol is the PMPI_ one; MPI_ is a weak alias of it, which a tool or a program may replace.
"""
import re

from .text import banner

HEAD = """\
{banner}
#include <mpi.h>

#include "api/mpi/calls.hpp"
#include "mpi/bodies.hpp"

#define WEFT_PUBLIC __attribute__((visibility("default")))
#define WEFT_ALIAS(name) __attribute__((weak, visibility("default"), alias(#name)))

// Built without exceptions a target is known not to throw, which its alias does not say. Nobody minds.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif

using weft::api::mpi::Call;
using weft::mpi::Checked;

extern "C" {{
"""


def render(table):
    files = {}
    for area in table.areas:
        parts = [binding(table, routine) for routine in table.routines if routine.family.area == area]
        files[f"mpi/bindings_{area}.cpp"] = HEAD.format(banner=banner(table="mpi.toml").rstrip()) + "\n".join(parts) + "\n}\n"
    lines = "".join(f"    {each.name};\n    {each.profiling_name};\n" for each in table.routines)
    files["mpi/mpi_abi.map"] = banner("#", "mpi.toml") + f"{{\n  global:\n{lines}  local:\n    *;\n}};\n"
    return files


def binding(table, routine):
    lines, used = body(table, routine)
    star = "" if routine.returns.endswith("*") else " "
    head = f"{routine.returns}{star}"
    defined = ", ".join(p.text if p.name in used or p.text == "..." else unnamed(p) for p in routine.params)
    twin = routine.profiling_name
    return (f"WEFT_PUBLIC {head}{twin}({defined}) {{\n"
            f"  weft::mpi::enter(Call::{routine.name}, __builtin_return_address(0));\n"
            + "".join(f"  {line}\n" for line in lines) +
            f"}}\n"
            f"WEFT_ALIAS({twin}) {head}{routine.name}({routine.prototype_params});\n")


def unnamed(param):
    return re.sub(rf"\s*\b{param.name}\b", "", param.text)


def body(table, routine):
    """The lines, and the parameters that are used in them."""
    family = routine.family
    if family.later:
        return later(routine)
    named = [param for param in routine.params if param.name]
    own = family.large_body if routine.name == f"MPI_{family.base}_c" else ""
    name = f"weft::mpi::{own or family.body or family.base.lower()}"
    if routine.returns != "int" or family.raw:
        return [f"return {name}({', '.join(param.name for param in named)});"], {param.name for param in named}
    lines, given, wrong, told = [], [], [], []
    if not family.any_time:
        wrong.append("!weft::mpi::running()")
    for param in named:
        found, passed, is_wrong, tells = check(table, family, param)
        lines += found
        given.append(passed)
        wrong += is_wrong
        told += tells
    if wrong:
        lines += [f"if ({' || '.join(wrong)}) [[unlikely]] {{", f"  Checked checked({'true' if family.any_time else 'false'});",
                  *(f"  checked.{each};" for each in told), "  return checked.refuse();", "}"]
    if is_agreed(family):
        lines += ["if (weft::mpi::checks()) [[unlikely]] {", f"  weft::mpi::agree(*the_comm, {{{collective(family, named)}}});", "}"]
    lines.append(f"return {name}({', '.join(given)});")
    return lines, {param.name for param in named}


def is_agreed(family):
    """All ranks of the communicator call it, and safe mode compares what they call."""
    return family.area == "collectives" or family.base in ("Comm_create", "Comm_dup", "Comm_dup_with_info", "Comm_split", "Comm_split_type")


def collective(family, params):
    """The fields of a Collective: what is of this rank alone, as the counts of a gatherv, is none."""
    names = {param.name for param in params}
    fields = ["root", "op"]
    if {"sendcount", "recvcount"} <= names:
        fields += ["sendbuf", "sendcount", "sendtype", "recvcount", "recvtype"]
    elif "datatype" in names and names & {"count", "recvcount"}:
        fields += ["recvcount", "count", "datatype"]
    return ", ".join([f".function = Call::MPI_{family.base}"] + [f".{field} = {field}" for field in fields if field in names])


def check(table, family, param):
    """What is found of a parameter, how it is passed on, when it is wrong, and what of Checked says so."""
    name = param.name
    if name in family.own:
        return [], name, [], []
    null = name in family.null
    if handle := table.handle(param.type):
        kind = f"weft::mpi::{handle.kind}"
        found = f"the_{name}"
        none = f"{found} == nullptr"
        return ([f"auto* const {found} = weft::mpi::find<{kind}>({name});"], found if null else f"*{found}",
                [f"({none} && !weft::mpi::is_null<{kind}>({name}))" if null else none],
                [f"find{'_or_null' if null else ''}<{kind}>({name}, \"{name}\")"])
    if param.count:
        return [], name, [f"{name} < 0"], [f"count({name}, \"{name}\")"]
    of_status = param.type == "MPI_Status *" and family.base.startswith("Status_")
    if of_status or (pointed_at(param) and not null):
        return [], name, [f"{name} == nullptr"], [f"need({name}, \"{name}\")"]
    return [], name, [], []


def pointed_at(param):
    """Not buffers, functions, arrays and statuses that are written: those may be null, or are their body's business."""
    return param.type != "MPI_Status *" and param.type.endswith("*") and "function" not in param.type and not re.match(r"(const )?void \*$", param.type)


def later(routine):
    communicator = next((param.name for param in routine.params if param.type == "MPI_Comm"), None)
    where = "later_tool" if routine.name.startswith("MPI_T_") else "later"
    if communicator and where == "later":
        return [f"return weft::mpi::later(Call::{routine.name}, {communicator});"], {communicator}
    return [f"return weft::mpi::{where}(Call::{routine.name});"], set()
