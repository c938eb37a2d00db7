"""src/api/kinds.hpp: what a routine is about. Tools and reports know routines of all interfaces by it."""
from .text import banner

# In this order they are numbers in recordings; each is a colour of the time line.
KINDS = {
    "put": "moves data to a PE",
    "get": "moves data from a PE",
    "atomic": "atomic operations, and signals without data",
    "send": "sends messages",
    "collective": "but barriers",
    "barrier": "barriers, syncs, and finalize",
    "wait": "waits for a value or a request",
    "lock": "",
    "setup": "allocation, teams, contexts: most of them are collectives too",
    "order": "fence and quiet",
    "query": "returns at once: numbers, addresses, tests",
}

TEMPLATE = """\
{banner}
#pragma once

#include <cstdint>

namespace weft::api {{

/// What a routine is about.
enum class Kind : std::uint8_t {{
{enumerators}
}};
inline constexpr int kKinds = {count};

}}  // namespace weft::api
"""


def name(kind):
    return f"k{kind.capitalize()}"


def render():
    lines = [f"  {name(kind)}," + (f"  // {text}" if text else "") for kind, text in KINDS.items()]
    return {"src/api/kinds.hpp": TEMPLATE.format(banner=banner().rstrip(), enumerators="\n".join(lines), count=len(KINDS))}
