"""src/api/calls.hpp: a number for every routine, so that a PE can say where it is in one store."""
from .text import banner

# The names are one string and their places are numbers: an array of pointers would be a relocation for each routine,
# paid at the start of every program.
TEMPLATE = """\
{banner}
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::api {{

/// Every routine of the interface. The values depend on the build: a launcher shows them only for its own library.
enum class Call : std::uint32_t {{
  kNone = 0,
{enumerators}
}};

inline constexpr std::size_t kCalls = {count};  // kNone included

namespace calls {{
inline constexpr char kNames[] =
{blob};
inline constexpr std::{offset} kAt[kCalls] = {{
{offsets}
}};
}}  // namespace calls

/// The routine's name; "none" for kNone. "unknown" for a number that is none of ours: it may come from shared memory.
inline constexpr const char* call_name(Call call) {{
  const auto index = static_cast<std::uint32_t>(call);
  return index < kCalls ? calls::kNames + calls::kAt[index] : "unknown";
}}

}}  // namespace weft::api
"""


def render(table):
    names = ["none"] + [routine.name for routine in table.routines]
    places, place = [], 0
    for name in names:
        places.append(place)
        place += len(name) + 1
    lines = [", ".join(map(str, places[i:i + 16])) for i in range(0, len(places), 16)]
    return {"src/api/calls.hpp": TEMPLATE.format(
        banner=banner().rstrip(),
        enumerators="\n".join(f"  {name}," for name in names[1:]),
        count=len(names),
        blob="\n".join(f'    "{name}\\0"' for name in names),
        offset="uint16_t" if place <= 0xFFFF else "uint32_t",
        offsets="\n".join(f"    {line}," for line in lines))}
