"""The Fortran interface against the specification: symbols of libweft_fortran.so, constants of shmem.fh, functions of
shmem_long.fh, and the form of the files.  check_fortran.py NM LIBRARY INCLUDE"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
from spec_table import finish, rows  # noqa: E402

# What programs call that the specification has not: Cray's generic names, C's cache routine, 2-byte reductions.
OLD = {"SHMEM_GET", "SHMEM_FINC", "SHMEM_FADD", "SHMEM_CSWAP", "SHMEM_CLEAR_CACHE_LINE_INV"} | {
    f"SHMEM_INT2_{op}_TO_ALL" for op in ("AND", "OR", "XOR", "MAX", "MIN", "SUM", "PROD")}
TYPES = {"INTEGER": "integer", "INTEGER*4": "integer*4", "INTEGER*8": "integer*8", "REAL*4": "real*4",
         "REAL*8": "real*8", "LOGICAL": "logical", "POINTER": "integer*8"}


def declared(text):
    """name -> (type, value): what a header says."""
    names = {}
    for line in text.splitlines():
        if found := re.fullmatch(r" {6}(\S+) (\w+)", line):
            names.setdefault(found.group(2), [found.group(1), None])
        elif found := re.fullmatch(r" {6}parameter \((\w+) = (.+)\)", line):
            names[found.group(1)][1] = found.group(2)
    return names


def main():
    nm, library, include = sys.argv[1:]
    include = pathlib.Path(include)
    problems = []
    spec = {row["name"]: row for row in rows() if row["kind"] == "fortran"}
    constants = {name for name, row in spec.items() if row["return_type"].endswith("PARAMETER")}
    functions = {name: row["return_type"] for name, row in spec.items() if row["return_type"] in TYPES
                 and name not in ("MY_PE", "NUM_PES")}  # what programs call their variables
    if len(spec) != 191:
        problems.append(f"{len(spec)} names in the specification's table")

    out = subprocess.run([nm, "--dynamic", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    symbols = {line.split()[2].partition("@")[0] for line in out.splitlines() if line.split()[1] == "T"}
    wanted = {name.lower() + "_" for name in (set(spec) - constants) | OLD}
    problems += [f"not exported: {name}" for name in sorted(wanted - symbols)]
    problems += [f"exported, but no name of ours: {name}" for name in sorted(symbols - wanted)]

    names = declared((include / "weft/headers/constants/shmem.fh").read_text())
    problems += [f"shmem.fh: {name} is missing" for name in sorted(constants - set(names))]
    problems += [f"shmem.fh: {name} is no constant of the specification" for name in sorted(set(names) - constants)]
    problems += [f"shmem.fh: {name} has no value" for name, (_, value) in names.items() if value is None]
    problems += [f"{name} has room for {names[name][1]} INTEGERs, less than C's 1024 bytes at any multiple of 4"
                 for name in names if name.endswith("SYNC_SIZE") and int(names[name][1]) < 257]

    short = (include / "shmem.fh").read_text()
    if declared(short) != names | {name: ["logical", None] for name in ("SHMEM_PE_ACCESSIBLE", "SHMEM_ADDR_ACCESSIBLE")}:
        problems.append("shmem.fh declares something else than the constants and the two LOGICAL functions")
    text = (include / "shmem_long.fh").read_text()
    long = declared(text)
    for form, reference in (("long", text), ("mpp", short)):
        for file in ([include / "mpp/shmem.fh"] if form == "mpp" else
                     [include / "weft/headers/long/shmem.fh", include / "weft/headers/long/mpp/shmem.fh"]):
            if file.read_text() != reference:
                problems.append(f"{file} differs from the other header of its form")
    for name, kind in functions.items():
        if long.get(name, [""])[0] != TYPES[kind]:
            problems.append(f"shmem_long.fh: {name} is {long.get(name)}, should be {TYPES[kind]}")
    problems += [f"shmem_long.fh: {name} is none of the specification's" for name in
                 sorted(set(long) - constants - set(functions) - OLD)]

    for file in sorted(include.rglob("*.fh")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if not re.fullmatch(r"!.*|( {6}\S.{0,65})", line):
                problems.append(f"{file.name}:{number}: not both fixed and free form")
    finish(problems, f"{len(spec)} names, as specified")


main()
