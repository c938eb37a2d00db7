"""weft/inlined.h: the list of routines that have an inline body. The bodies are include/weft/inline.h."""
from .text import c_comment

WHY = """Inline bodies for what is a load or a store when the PE is on this machine; they hand the rest to the \
library. Without optimisation they would only be slower, and WEFT_NO_INLINE leaves them out for tools that replace \
routines."""

# The lines at the end of shmem.h that bring the list in.
INCLUDE = (c_comment(WHY) + "#if !defined(WEFT_NO_INLINE) && defined(__GNUC__) && defined(__OPTIMIZE__)\n"
           "#include <weft/inlined.h>\n#endif\n")


def inlined_h(table):
    # A header of its own so that it can be a system header: clang warns of static helpers in bodies that are not
    # static, while the user's own warnings about what shmem.h declares have to stay.
    out = ["/* The routines with an inline body. */\n#pragma GCC system_header\n\n",
           "#include <pshmem.h>\n#include <weft/inline.h>\n\n", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"]
    out += [line + "\n" for line in map(line_of, table.routines) if line]
    out.append("\n#ifdef __cplusplus\n}\n#endif\n")
    return "".join(out)


def line_of(routine):
    pattern = routine.family.inline if routine.typename else routine.family.inline_mem
    if not pattern or routine.has_ctx:
        return ""
    return pattern.format(STEM=routine.name.removeprefix("shmem_"), TYPE=routine.typename, T=routine.element,
                          BYTES=routine.bytes)
