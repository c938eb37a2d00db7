"""shmem.h, pshmem.h, shmemx.h, their mpp/ twins, and weft/types.h, which holds what the first two share."""
from . import generics, inline
from .table import SPECIFICATION
from .text import c_comment, guarded, heading

EXTERN_C = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
END_EXTERN_C = "\n#ifdef __cplusplus\n}\n#endif\n"

PREAMBLE = """\
#ifndef __LP64__ /* before any other header, which may be missing for 32 bits */
#error "Weft is for 64-bit programs: pointers and long of 8 bytes, int of 4; compile without -m32"
#endif

#include <stddef.h>
#include <stdint.h>

#ifndef __GLIBC__
#error "Weft is for programs of the GNU C library (glibc), and this compiler has another one"
#endif

/* For programs that have to know whose library this is; SHMEM_VENDOR_STRING says it in words. */
#define WEFT_SHMEM 1
#define WEFT_MAJOR_VERSION @0@
#define WEFT_MINOR_VERSION @1@
#define WEFT_PATCH_VERSION @2@

/* Bindings such as shmem4py know libraries by macros of theirs, and take one that they do not know for one of 1.4. They know
 * Sandia's by these two, and expect of it what Weft has too: all of 1.5. */
#ifndef SHMEM_DEF_H
#define SHMEM_DEF_H
#endif
#ifndef SHMEM_FUNCTION_ATTRIBUTES
#define SHMEM_FUNCTION_ATTRIBUTES
#endif

#ifdef __cplusplus
#define WEFT_NO_HANDLE(type) (static_cast<type>(nullptr))
#else
#define WEFT_NO_HANDLE(type) ((type)0)
#endif
"""

# A macro of another library's shmemx.h, by which programs know that they need no clock of their own.
HAVE_WTIME = "#ifndef HAVE_SHMEMX_WTIME\n#define HAVE_SHMEMX_WTIME 1\n#endif\n\n"


def render(table, version):
    return {
        "include/weft/inlined.h": guarded("WEFT_INLINED_H", inline.inlined_h(table)),
        "include/weft/types.h": guarded("WEFT_TYPES_H", types_h(table, version)),
        "include/shmem.h": guarded("WEFT_SHMEM_H", shmem_h(table)),
        "include/pshmem.h": guarded("WEFT_PSHMEM_H", pshmem_h(table)),
        "include/shmemx.h": guarded("WEFT_SHMEMX_H", shmemx_h(table)),
        "include/mpp/shmem.h": guarded("WEFT_MPP_SHMEM_H", "/* Old place of shmem.h. */\n#include <shmem.h>\n"),
        "include/mpp/shmemx.h": guarded("WEFT_MPP_SHMEMX_H", "/* Old place of shmemx.h. */\n#include <shmemx.h>\n"),
    }


def types_h(table, version):
    preamble = PREAMBLE
    for k, number in enumerate(version.split(".")):
        preamble = preamble.replace(f"@{k}@", number)
    out = ["/* Types, constants and handles of OpenSHMEM: what shmem.h and pshmem.h share. */\n", preamble, "\n",
           EXTERN_C]
    for name, handle in table.handles.items():
        out.append(f"typedef struct {handle['struct']} *{name};\n")
    out.append("\n")
    for item in table.objects.values():
        out.append(f"extern struct {table.handles[item['type']]['struct']} {item['symbol']};\n")
    out += [END_EXTERN_C, "\n"]
    for name, handle in table.handles.items():
        out.append(f"#define {handle['invalid']} WEFT_NO_HANDLE({name})\n")
    for name, item in table.objects.items():
        out.append(f"#define {name} (&{item['symbol']})\n")

    for name, struct in table.structs.items():
        out.append("\n" + c_comment(struct["doc"] + "."))
        out.append(f"typedef struct {{\n  {struct['members']}\n}} {name};\n")

    fillings = {"@MAJOR@": str(SPECIFICATION[0]), "@MINOR@": str(SPECIFICATION[1]), "@VENDOR@": f"Weft {version}"}
    for doc, values in table.constants:
        out.append("\n" + c_comment(doc))
        for name, value in values.items():
            for key, filling in fillings.items():
                value = value.replace(key, filling)
            out.append(f"#define {name} {value}\n")
    return "".join(out)


def prototype(routine, name):
    # The GNU spelling is the one that C99 to C23 and C++ agree on.
    attribute = f" __attribute__((__{routine.family.attribute}__))" if routine.family.attribute else ""
    star = "" if routine.returns.endswith("*") else " "
    # C++ has complex types of this spelling as an extension only, which -pedantic would warn of.
    extension = "__extension__ " if "_Complex" in routine.prototype_params else ""
    return f"{extension}{routine.returns}{star}{name}({routine.prototype_params}){attribute};\n"


def family_comment(family):
    since = family.since
    if family.is_extension:
        return c_comment(f"{family.label}. {family.doc}")
    versions = f"since {since.lstrip('<=')}{' or earlier' if since.startswith('<') else ''}"
    if family.deprecated:
        versions += f", deprecated since {family.deprecated}"
    ctx = "; with a context: shmem_ctx_..." if family.has_ctx_forms else ""
    where = "annex F" if family.section == "F" else family.section
    return c_comment(f"{family.label}{ctx} ({where}, {versions}). {family.doc}")


def shmem_h(table):
    out = [f"/* OpenSHMEM {SPECIFICATION[0]}.{SPECIFICATION[1]}. Numbers in parentheses are sections of the "
           "specification. */\n", "#include <weft/types.h>\n\n", EXTERN_C]
    out += areas(table, extensions=False)
    out += [END_EXTERN_C.lstrip("\n"), "\n", inline.INCLUDE, "\n", generics.render(table)]
    return "".join(out)


def areas(table, extensions):
    for area, about in table.areas.items():
        families = [f for f in table.families if f.area == area and f.is_extension == extensions]
        if not families:
            continue
        yield heading(about["title"]) + "\n"
        for family in families:
            yield family_comment(family)
            yield from (prototype(routine, routine.name) for routine in family.routines)
            yield "\n"


def shmemx_h(table):
    out = ["/* Weft's own extensions of OpenSHMEM, named shmemx_. They may change until a specification has them. */\n",
           "#include <shmem.h>\n\n", HAVE_WTIME, EXTERN_C]
    for name, handle in table.requests.items():
        out += [c_comment(handle["doc"]), f"typedef struct {handle['struct']} *{name};\n",
                f"#define {handle['invalid']} WEFT_NO_HANDLE({name})\n\n"]
    out += areas(table, extensions=True)
    out.append(heading("The same for tools that replace the names above") + "\n")
    out += [prototype(routine, routine.profiling_name)
            for family in table.families if family.is_extension for routine in family.routines]
    out += [END_EXTERN_C, "\n", generics.render_extensions(table)]
    return "".join(out)


def pshmem_h(table):
    out = ["/* The profiling interface: every routine of shmem.h under a second name, for tools that replace the first"
           " (section 10). */\n", "#include <weft/types.h>\n\n", EXTERN_C]
    out += [prototype(routine, routine.profiling_name) for routine in table.standard_routines]
    out.append(END_EXTERN_C)
    return "".join(out)
