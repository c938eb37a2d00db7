"""src/api/bindings_*.cpp: the exported functions. Each notes which routine it is and calls the body written by hand.

The strong symbol is the pshmem_ one; shmem_ is a weak alias of it, which a tool or a program may replace.
"""
import re

from .table import CTX_DEFAULT
from .text import banner

HEAD = """\
{banner}
#define WEFT_NO_INLINE
#include <pshmem.h>
#include <shmem.h>
#include <shmemx.h>

#include "api/calls.hpp"
#include "shmem/bodies.hpp"

#define WEFT_PUBLIC __attribute__((visibility("default")))
#define WEFT_ALIAS(name) __attribute__((weak, visibility("default"), alias(#name)))

// double _Complex is an extension in C++.
#pragma GCC diagnostic ignored "-Wpedantic"

// Built without exceptions a target is known not to throw, which its alias does not say. Nobody minds.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif

using weft::api::Call;
using weft::shmem::enter;

extern "C" {{
"""


def render(table):
    by_file = {}
    for about in table.areas.values():
        by_file.setdefault(about["file"], [])
    for routine in table.routines:
        by_file[table.areas[routine.family.area]["file"]].append(binding(routine))
    return {f"src/api/bindings_{name}.cpp": HEAD.format(banner=banner().rstrip()) + "\n".join(parts) + "\n}\n"
            for name, parts in by_file.items() if parts}


def binding(routine):
    star = "" if routine.returns.endswith("*") else " "
    head = f"{routine.returns}{star}"
    give_back = "" if routine.returns == "void" else "return "
    params = routine.prototype_params
    defined = unnamed(params) if written_out(routine.family.body) else params
    name, twin = routine.name, routine.profiling_name
    return (f"WEFT_PUBLIC {head}{twin}({defined}) {{\n"
            f"  enter(Call::{name}, __builtin_return_address(0));\n"
            f"  {give_back}{call(routine)};\n"
            f"}}\n"
            f"WEFT_ALIAS({twin}) {head}{name}({params});\n")


def written_out(body):
    """The table gives the whole call, so none of the parameters is used."""
    return "(" in body


def unnamed(params):
    return re.sub(r"(?<=[*\s])\w+(?=,|$)", "", params)


def call(routine):
    """The call of the body: weft::shmem::put<long>(SHMEM_CTX_DEFAULT, dest, source, nelems, pe)."""
    family = routine.family
    if written_out(family.body):
        return f"weft::shmem::{family.body}"
    args = [argument(param, routine.element) for param in routine.params if param.name]
    if not routine.has_ctx and (family.has_ctx_forms or family.default_ctx):
        args.insert(0, CTX_DEFAULT)
    body = family.body.replace("<T>", f"<{routine.element}>")
    return f"weft::shmem::{body}({', '.join(args)})"


def argument(param, element):
    if param.untyped is None:
        return param.name
    return f"static_cast<{param.untyped}{element}*>({param.name})"
