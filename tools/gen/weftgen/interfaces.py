"""Reads api/interfaces.toml. Makes src/api/interfaces.hpp, the names and kinds of the routines of all interfaces, and
src/api/numbers.hpp, the interfaces' own.
"""
import dataclasses
import re
import tomllib

from . import calls, kinds
from .table import TableError
from .text import banner

MOST = 16           # above that a number is none of ours (src/calls)
INDEX_BITS = 24     # of a call's number; its interface's is above

TEMPLATE = """\
{banner}
#pragma once

#include <cstdint>

#include "api/kinds.hpp"

namespace weft::api {{

/// An interface over Weft, and its routines by the lower bytes of their calls' numbers, from 1 on.
struct Interface {{
  const char* name;
  const char* init;
  const char* finalize;
  const char* exit;
  const char* member;       // what it calls a PE
  const char* names;        // one after another, each with its null
  const std::uint32_t* at;  // where each name begins
  const Kind* kinds;
  std::uint32_t calls;
}};

inline constexpr int kInterfaceShift = {shift};
inline constexpr std::uint32_t kMostInterfaces = {most};
{tables}
/// By number; those without a name are no interfaces.
inline constexpr Interface kInterfaces[] = {{
{interfaces}
}};

}}  // namespace weft::api
"""

NUMBERS = """\
{banner}
#pragma once

#include <cstdint>

namespace weft::api {{

/// Whose routines a number of a call is of: the highest byte of it.
enum class InterfaceNumber : std::uint8_t {{ {numbers} }};

}}  // namespace weft::api
"""

TABLE = """
namespace table_of_{id} {{
inline constexpr char kNames[] =
{blob};
inline constexpr std::uint32_t kAt[] = {{
{offsets}
}};
inline constexpr Kind kKinds[] = {{
{kinds}
}};
}}  // namespace table_of_{id}
"""


@dataclasses.dataclass(frozen=True)
class Interface:
    id: str
    number: int
    name: str
    folder: str
    namespace: str
    init: str
    finalize: str
    exit: str
    makes: list
    table: str = "routines.toml"
    options: str = ""
    member: str = "PE"
    wrapped: dict = dataclasses.field(default_factory=dict)

    @property
    def first_call(self):
        return self.number << INDEX_BITS

    @property
    def constant(self):
        """OpenSHMEM -> kOpenShmem."""
        return "k" + "".join(part.capitalize() for part in re.findall(r"[A-Z][a-z]+|[A-Z]+|[0-9]+", self.name))

    @property
    def path(self):
        """Of its generated headers, as they are included."""
        return self.namespace.replace("::", "/")


def load(directory):
    with open(directory / "interfaces.toml", "rb") as file:
        entries = tomllib.load(file)["interface"]
    found = []
    for entry in entries:
        try:
            interface = Interface(**entry)
        except TypeError as error:
            raise TableError(f"interfaces.toml: {entry.get('id', '?')}: {error}") from None
        if not 0 <= interface.number < MOST:
            raise TableError(f"interfaces.toml: {interface.id}: numbers are below {MOST}")
        for other in found:
            if interface.number == other.number or interface.id == other.id:
                raise TableError(f"interfaces.toml: {interface.id} and {other.id} have the same number or id")
        found.append(interface)
    return found


def render(tables):
    """`tables`: of (interface, its Table)."""
    by_number = {interface.number: interface for interface, _ in tables}
    parts = []
    for interface, table in tables:
        blob, places = calls.names_of(table)
        kind_lines = ["kSetup"] + [kinds.name(routine.family.kind) for routine in table.routines]
        parts.append(TABLE.format(id=interface.id, blob=blob, offsets=calls.rows(places),
                                  kinds=calls.rows([f"Kind::{kind}" for kind in kind_lines], 8)))
    lines = []
    for number in range(max(by_number) + 1):
        each = by_number.get(number)
        if not each:
            lines.append("    {},")
            continue
        of = f"table_of_{each.id}"
        lines.append(f'    {{"{each.name}", "{each.init}", "{each.finalize}", "{each.exit}", "{each.member}",\n'
                     f"     {of}::kNames, {of}::kAt, {of}::kKinds, sizeof {of}::kKinds}},")
    numbers = ", ".join(f"{by_number[number].constant} = {number}" for number in sorted(by_number))
    return {"src/api/numbers.hpp": NUMBERS.format(banner=banner(table="interfaces.toml").rstrip(), numbers=numbers),
            "src/api/interfaces.hpp": TEMPLATE.format(banner=banner().rstrip(), shift=INDEX_BITS, most=MOST,
                                                      tables="".join(parts), interfaces="\n".join(lines))}
