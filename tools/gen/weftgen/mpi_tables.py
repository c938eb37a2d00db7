"""src/api/mpi/*.hpp: what the front end's code reads of api/mpi.toml: error classes, kinds of handles and predefined ones."""
from .text import banner

ERRORS = """\
{banner}
#pragma once

namespace weft::api::mpi {{

/// An error class of the standard.
struct ErrorClass {{
  int value;
  const char* name;
  const char* says;
}};

/// In ascending order.
inline constexpr ErrorClass kErrorClasses[] = {{
{classes}
}};

}}  // namespace weft::api::mpi
"""

HANDLES = """\
{banner}
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::api::mpi {{

/// What a handle may be of. The numbers are in those handles that are not predefined.
enum class HandleKind : std::uint8_t {{
{kinds}
}};
inline constexpr std::size_t kHandleKinds = {count};

struct HandleText {{
  const char* what;  // "a communicator"
  const char* null;  // "MPI_COMM_NULL"
  int error;         // the class of the error of one that is none
  std::uint32_t first;  // predefined values are from here on
  std::uint32_t room;   // so many there may be
}};

/// By kind.
inline constexpr HandleText kHandles[kHandleKinds] = {{
{texts}
}};

struct HandleName {{
  std::uint32_t value;
  const char* name;
}};

/// The names of predefined handles, by kind and value.
inline constexpr HandleName kHandleNames[] = {{
{names}
}};

}}  // namespace weft::api::mpi
"""

DATATYPES = """\
{banner}
// WEFT_MPI_DATATYPE(name, value, class, C type), for each predefined datatype that is one element;
// WEFT_MPI_PAIR(name, value, class, C type, C type) for those that are two.
#ifdef WEFT_MPI_DATATYPE
{singles}
#undef WEFT_MPI_DATATYPE
#endif
#ifdef WEFT_MPI_PAIR
{pairs}
#undef WEFT_MPI_PAIR
#endif
"""


VERSION = """\
{banner}
#pragma once

namespace weft::api::mpi {{

/// Of Weft.
inline constexpr char kVersion[] = "{version}";

}}  // namespace weft::api::mpi
"""


def render(table, version):
    text = banner(table="mpi.toml").rstrip()
    classes = "\n".join(f'    {{{entry["value"]}, "{name}", "{entry["says"]}"}},' for name, entry in table.errors.items())
    return {"src/api/mpi/errors.hpp": ERRORS.format(banner=text, classes=classes),
            "src/api/mpi/handles.hpp": handles(table, text),
            "src/api/mpi/version.hpp": VERSION.format(banner=text, version=version),
            "src/api/mpi/datatypes.def": datatypes(table, text)}


def room_of(numbers):
    """The predefined values of a kind lie side by side from its null on, in a range of a power of two."""
    first = min(numbers)
    room = 8
    while max(numbers) >= first + room:
        room *= 2
    return first, room


def handles(table, text):
    kinds = "\n".join(f"  k{each.kind} = {number}," for number, each in enumerate(table.handles))
    texts, names = [], []
    for each in table.handles:
        first, room = room_of(each.numbers.values())
        texts.append(f'    {{"{each.what}", "{each.null}", {table.errors[each.error]["value"]}, 0x{first:x}, {room}}},')
        names += [f'    {{0x{value:x}, "{name}"}},' for name, value in each.numbers.items()]
    return HANDLES.format(banner=text, kinds=kinds, count=len(table.handles), texts="\n".join(texts), names="\n".join(names))


def datatypes(table, text):
    singles, pairs = [], []
    for each in table.handles:
        for name, value in each.values.items():
            if not isinstance(value, dict):
                continue
            two = "," in value["c"]
            macro = "WEFT_MPI_PAIR" if two else "WEFT_MPI_DATATYPE"
            (pairs if two else singles).append(
                f"{macro}({name}, 0x{value['value']:x}, k{value['class'].capitalize()}, {value['c']})")
    return DATATYPES.format(banner=text, singles="\n".join(singles), pairs="\n".join(pairs))
