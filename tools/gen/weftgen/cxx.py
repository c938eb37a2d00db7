"""weft/cxx/routines.hpp: the routines of C++ programs, which find the C routine by the element's type.

Two layers. typed::put is overloaded over every element type of the table and calls shmem_TYPE_put, inline body and all.
Above it stands a template for each family, which says at compile time when a type has no such routine; where other
types have a routine too, the mem one, the template is written by hand (include/weft/cxx).
"""
import textwrap

from .table import CTX_PARAM, split_params
from .text import WIDTH, banner, fill

# Any trivially copyable type will do for these: the hand-written templates know what to call.
ANY_TYPE = "stdrma"

HEAD = """\
{banner}
/// The table of <weft/shmem.hpp>, which is the header to include.
#pragma once

#include <shmem.h>
#include <weft/cxx/base.hpp>
#include <weft/cxx/team.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

namespace shmem {{

"""


def render(table):
    # Extensions (shmemx_) and deprecated names stay with C.
    families = [f for f in table.families if f.types and f.generic.startswith("shmem_") and not f.deprecated]
    out = [HEAD.format(banner=banner().rstrip()), "/// Which types each group of routines has.\n"]
    sets = sorted({family.types for family in families})
    out += [type_set(table, name) for name in sets]
    out.append("\n/// The C routine of each element type. Programs use the templates below and of weft/cxx/*.hpp.\n"
               "namespace typed {\n\n")
    out += [each_type(table, name) for name in sets]
    out += [overloads(table, family) for family in families]
    out += [f"\n#undef {each_macro(name)}" for name in sets]
    out.append("\n}  // namespace typed\n")
    out += [template(table, family) for family in families if family.types != ANY_TYPE]
    out.append("\n}  // namespace shmem\n")
    return {"include/weft/cxx/routines.hpp": "".join(out)}


def cxx_name(family):
    return family.generic.removeprefix("shmem_")


def cxx_type(c_type):
    """std::complex has the layout of C's complex types, and is what C++ programs have."""
    return f"std::complex<{c_type.removesuffix(' _Complex')}>" if c_type.endswith(" _Complex") else c_type


def distinct(table, name):
    return [(typename, cxx_type(table.types[typename])) for typename in table.distinct(table.sets[name])]


def has_complex(table, name):
    return any("std::complex" in c_type for _, c_type in distinct(table, name))


def type_set(table, name):
    types = fill([c_type for _, c_type in distinct(table, name)], "    ")
    return f"template <class T>\ninline constexpr bool is_{name} = detail::one_of<T, {types}>;\n"


def each_macro(name):
    return f"WEFT_CXX_EACH_{name.upper()}"


def each_type(table, name):
    calls = [f"ROUTINE({typename}, {c_type})" for typename, c_type in distinct(table, name)]
    return f"#define {each_macro(name)}(ROUTINE) \\\n  " + fill(calls, "  ", " ").replace("\n", " \\\n") + "\n"


def with_context(family, pattern):
    for ctx in ("", "ctx_") if "{CTX}" in pattern else ("",):
        yield bool(ctx), pattern.replace("{CTX}", ctx)


def overloads(table, family):
    """A macro that writes the overload of one type, and its use for all of them."""
    name, macro = cxx_name(family), f"WEFT_CXX_{cxx_name(family).upper()}"
    through = "detail::c_pointer({})" if has_complex(table, family.types) else "{}"
    lines = [f"\n#define {macro}(NAME, T)"]
    for has_ctx, pattern in with_context(family, family.names[0]):
        head, tail = pattern.split("{TYPE}")
        texts = ([CTX_PARAM] if has_ctx else []) + split_params(family.params)
        args = ", ".join(through.format(text.split("*")[-1].split()[-1]) if "TYPE *" in text
                         else text.split("*")[-1].split()[-1] for text in texts)
        params = ", ".join(texts).replace("TYPE ", "T ")
        returns = family.returns.replace("TYPE", "T")
        lines.append(f"  WEFT_CXX {returns} {name}({params}) {{")
        lines.append(f"    return {head}##NAME##{tail}({args});")
        lines.append("  }")
    return " \\\n".join(lines) + f"\n{each_macro(family.types)}({macro})\n#undef {macro}\n"


def template(table, family):
    name = cxx_name(family)
    takes = ", ".join(c_type for _, c_type in distinct(table, family.types))
    # A literal may be split, a message may not be lost: the compiler prints all of it.
    reason = "\n      ".join(f'"{line}"' for line in pieces(
        f"shmem::{name} has no routine for this element type. It takes: {takes} "
        f"(OpenSHMEM 1.6, section {family.section})"))
    out = ["\n", comment(f"{family.label} ({family.section}, since {family.since.lstrip('<=')}). {family.doc}")]
    for has_ctx, _ in with_context(family, family.names[0]):
        params, args, deduced = [], [], False
        for text in split_params(family.params):
            param, arg, deduced = parameter(text, deduced)
            params.append(param)
            args.append(arg)
        if has_ctx:
            params.insert(0, "context_ref ctx")
            args.insert(0, "ctx.get()")
        returns = family.returns.replace("TYPE", "T")
        out.append(f"template <class T>\nWEFT_CXX {returns} {name}({', '.join(params)}) {{\n"
                   f"  static_assert(is_{family.types}<T>,\n      {reason});\n"
                   f"  if constexpr (is_{family.types}<T>) return typed::{name}({', '.join(args)});\n}}\n")
    return "".join(out)


def parameter(text, deduced):
    """How a template takes a parameter of C: its text, what is handed on, and whether T is deduced by now."""
    kind, name = text.replace("*", "* ").rsplit(None, 1)
    if kind == "int" and name == "cmp":
        return "cmp relation", "static_cast<int>(relation)", deduced
    if kind == "shmem_team_t":
        return "const team& members", "members.get()", deduced
    if "TYPE" not in kind:
        return f"{kind.replace(' *', '*')} {name}", name, deduced
    # The first pointer says what T is; everything else has to convert to it.
    element = "T" if not deduced and "*" in kind else "detail::same<T>"
    return f"{kind.replace(' *', '*').replace('TYPE', element)} {name}", name, deduced or "*" in kind


def pieces(text):
    lines = textwrap.wrap(text, WIDTH - 12, break_on_hyphens=False, drop_whitespace=False)
    return lines


def comment(text):
    return "".join(f"/// {line}\n" for line in textwrap.wrap(" ".join(text.split()), WIDTH - 4))
