"""calls.hpp of an interface: a number for every routine, so that a PE can say where it is in one store."""
from .text import banner

# The names are one string and their places are numbers: an array of pointers would be a relocation for each routine,
# paid at the start of every program.
TEMPLATE = """\
{banner}
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::{namespace} {{

/// Every routine of the interface. The values depend on the build: a launcher shows them only for its own library.
enum class Call : std::uint32_t {{
  kNone = {none},
{enumerators}
}};

inline constexpr std::size_t kCalls = {count};  // kNone included

/// What people call the interface, the routine that makes a process a PE, the one that ends that, and the one that ends
/// the job.
namespace words {{
inline constexpr const char* kInterface = "{name}";
inline constexpr const char* kBegin = "{init}";
inline constexpr const char* kEnd = "{finalize}";
inline constexpr const char* kExitAll = "{exit}";
}}  // namespace words

namespace calls {{
inline constexpr char kNames[] =
{blob};
inline constexpr std::{offset} kAt[kCalls] = {{
{offsets}
}};
}}  // namespace calls

/// The routine's name; "none" for kNone. "unknown" for a number that is none of ours: it may come from shared memory.
inline constexpr const char* call_name(Call call) {{
  const auto index = static_cast<std::uint32_t>(call){minus};
  return index < kCalls ? calls::kNames + calls::kAt[index] : "unknown";
}}

}}  // namespace weft::{namespace}
"""


def rows(items, each=16):
    lines = [", ".join(map(str, items[i:i + each])) for i in range(0, len(items), each)]
    return "\n".join(f"    {line}," for line in lines)


def names_of(table):
    """The names as lines of one string, and where each begins."""
    names = ["none"] + [routine.name for routine in table.routines]
    places, place = [], 0
    for name in names:
        places.append(place)
        place += len(name) + 1
    return "\n".join(f'    "{name}\\0"' for name in names), places


def render(interface, table):
    blob, places = names_of(table)
    names = [routine.name for routine in table.routines]
    first = interface.first_call
    return {f"src/{interface.path}/calls.hpp": TEMPLATE.format(
        banner=banner(table=interface.table).rstrip(),
        namespace=interface.namespace,
        name=interface.name, init=interface.init, finalize=interface.finalize, exit=interface.exit,
        none=f"0x{first:x}" if first else "0",
        enumerators="\n".join(f"  {name}," for name in names),
        count=len(names) + 1,
        blob=blob,
        offset="uint16_t" if places[-1] + len(names[-1]) + 1 <= 0xFFFF else "uint32_t",
        offsets=rows(places),
        minus=f" - 0x{first:x}" if first else "")}
