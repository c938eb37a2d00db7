"""The Fortran interface of OpenSHMEM 1.4: the functions gfortran calls, and the files that programs include."""
import dataclasses
import re
import tomllib

from .table import SPECIFICATION, TableError
from .text import banner

SYNC_SIZES = re.compile(r"SHMEM_(\w+_)?SYNC_SIZE")

CPP_HEAD = """\
{banner}
#include <cstddef>
#define WEFT_NO_INLINE
#include <shmem.h>

#include "fortran/arguments.hpp"
#include "fortran/caller.hpp"
#include "fortran/own.hpp"
#include "shmem/support.hpp"

#define WEFT_PUBLIC __attribute__((visibility("default")))

using weft::fortran::Called;
using weft::fortran::count;
using weft::fortran::reduce_count;

// The program declares these functions in Fortran, if at all.
#pragma GCC diagnostic ignored "-Wmissing-declarations"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wc99-extensions"  // _Complex
#endif

extern "C" {{
"""

FH_HEAD = """\
! OpenSHMEM 1.4 for Fortran: {what}.
! Generated from api/fortran.toml of Weft. Fixed and free source form.
"""


@dataclasses.dataclass(frozen=True)
class Routine:
    name: str         # "SHMEM_PUT8"
    arguments: tuple  # of (C type, name)
    call: str         # C++ expression
    result: str       # C type, "void" for a subroutine
    returns: str      # Fortran type of a function, "" for a subroutine
    hidden: int
    old: bool

    @property
    def symbol(self):
        return self.name.lower() + "_"


class FortranTable:
    def __init__(self, directory, table):
        with open(directory / "fortran.toml", "rb") as file:
            self.data = tomllib.load(file)
        self.table = table
        self.there = {routine.name for routine in table.routines} | set(table.support_symbols)
        self.routines = [routine for entry in self.data["routine"] for routine in self._spell_out(entry)]
        names = [routine.name for routine in self.routines]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise TableError(f"fortran.toml: {twice[0]} comes from two entries")

    def _spell_out(self, entry):
        for element in entry.get("elements", [None]):
            for direction in entry.get("directions", [None]):
                yield self._routine(entry, element, direction)

    def _routine(self, entry, element, direction):
        about = self.data["element"][element] if element else {"type": entry.get("type", "void")}

        def fill(text):
            text = text.replace("{DIR}", direction or "").replace("{dir}", (direction or "").lower())
            text = text.replace("{E}", element or "")
            return text.replace("{C}", about.get("c", "")).replace("{BITS}", about.get("bits", ""))

        name = fill(entry["name"])
        result = about["type"] if entry.get("result") == "EACH" else entry.get("result", "void")
        returns = about.get("fortran", "") if entry.get("returns") == "EACH" else entry.get("returns", "")
        if "own" in entry:
            arguments = tuple(tuple(re.fullmatch(r"(.*?)(\w+)", one.strip()).groups()) for one in entry["own"].split(","))
            call = f"weft::fortran::{name.lower()}({', '.join(arg for _, arg in arguments)})"
        else:
            arguments, values = [], []
            for word in entry.get("args", []):
                try:
                    how = self.data["argument"][word]
                except KeyError:
                    raise TableError(f"fortran.toml: {name}: no [argument] {word}") from None
                c_type = re.sub(r"\bT\b", about["type"], how["type"])
                arguments.append((c_type if c_type.endswith("*") else c_type + " ", word))
                values.append(re.sub(r"\bT\b", about["type"], how["pass"]).replace("const const ", "const "))
            call = fill(entry["call"]) if "call" in entry else f"{fill(entry['c'])}({', '.join(values)})"
            self._need(name, call.partition("(")[0])
        return Routine(name, tuple(arguments), call, result, returns, entry.get("hidden", 0), entry.get("old", False))

    def _need(self, name, c_routine):
        if c_routine not in self.there:
            raise TableError(f"fortran.toml: {name} calls {c_routine}, which is not in routines.toml")

    def constants(self, version):
        """name -> value as Fortran writes it."""
        fillings = {"@MAJOR@": str(SPECIFICATION[0]), "@MINOR@": str(SPECIFICATION[1]),
                    "@VENDOR@": f"Weft {version}"}
        given = {name: value for _, values in self.table.constants for name, value in values.items()}
        for name in self.data["constants"]["names"]:
            value = given[name]
            for key, filling in fillings.items():
                value = value.replace(key, filling)
            if SYNC_SIZES.fullmatch(name):
                value = str(self.data["constants"]["sync_size"])
            yield name, value.removesuffix("L").replace('"', "'")


def render(fortran, version):
    files = {
        "fortran/bindings.cpp": bindings(fortran),
        "fortran/weft_fortran.map": symbol_map(fortran),
    }
    # Not INCLUDEs of one another: some compilers would find the file that includes again.
    for folder in ("", "mpp/"):
        files[f"include/{folder}shmem.fh"] = fh(fortran, version, "short")
        files[f"include/{folder}shmemx.fh"] = FH_HEAD.format(what="extensions, of which there are none")
        # oshfort --header=FORM
        for form in ("constants", "long"):
            files[f"include/weft/headers/{form}/{folder}shmem.fh"] = fh(fortran, version, form)
    files["include/shmem_long.fh"] = fh(fortran, version, "long")
    return files


def bindings(fortran):
    out = [CPP_HEAD.format(banner=banner().rstrip().replace("routines.toml", "fortran.toml"))]
    for routine in fortran.routines:
        used = set(re.findall(r"\w+", routine.call))
        arguments = [f"{c_type}{name}" if name in used else f"{c_type}/*{name}*/" for c_type, name in routine.arguments]
        arguments += ["std::size_t /*length*/"] * routine.hidden
        give = "" if routine.result == "void" else "return "
        star = "" if routine.result.endswith("*") else " "
        out.append(f"WEFT_PUBLIC {routine.result}{star}{routine.symbol}({', '.join(arguments)}) {{\n"
                   f'  const Called called("{routine.name}");\n'
                   f"  {give}{routine.call};\n}}\n")
    out.append("\n}\n")
    return "".join(out)


def symbol_map(fortran):
    names = "".join(f"    {routine.symbol};\n" for routine in fortran.routines)
    return ("# Generated by tools/gen from api/fortran.toml; change that.\n"
            f"WEFT_FORTRAN_1.0 {{\n  global:\n{names}    weft_fortran_site;\n  local:\n    *;\n}};\n")


# What a form of the header says, and of which types it declares the functions.
FORMS = {
    "short": ("the constants, and the functions that are LOGICAL", ("logical",)),
    "constants": ("the constants", ()),
    "long": ("the constants, and the functions", ("integer", "integer*4", "integer*8", "real*4", "real*8", "logical")),
}


def fh(fortran, version, form):
    """A file to INCLUDE: nothing before column 7 or behind column 72, no continued line, comments with '!'."""
    what, types = FORMS[form]
    out = [FH_HEAD.format(what=what)]
    for name, value in fortran.constants(version):
        kind = f"character*({len(value) - 2})" if value.startswith("'") else "integer"
        out.append(f"      {kind} {name}\n      parameter ({name} = {value})\n")
    for routine in fortran.routines:
        # MY_PE and NUM_PES are what programs call their variables.
        if routine.returns in types and routine.name not in ("MY_PE", "NUM_PES"):
            out.append(f"      {routine.returns} {routine.name}\n      external {routine.name}\n")
    return "".join(out)
