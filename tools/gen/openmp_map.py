#!/usr/bin/env python3
"""Writes the symbol map of libweft_omp.so from the tables of its names, and LLVM's names for libgomp's.

usage: openmp_map.py TABLE LLVM MAP JUMPS
       openmp_map.py --compare TABLE LIBRARY REFERENCE        what the reference exports and the library does not, with nodes
       openmp_map.py --compare-llvm LLVM LIBRARY REFERENCE    the same for LLVM's library
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

# Of other interfaces than OpenMP's: OpenACC, device plugins.
FOREIGN = re.compile(r"(acc_|GOACC|goacc|GOMP_PLUGIN|OACC)")


def names_of(node):
    yield from node.get("names", [])
    for name in node.get("fortran", []):
        yield name + "_"
    for name in node.get("fortran_8", []):
        yield name + "_8_"


def atomics_of(llvm):
    rules = llvm["atomics"]
    found = ["start", "end", *rules["mixed"], *map(str, rules["by_function"])]
    for kind in ("fixed", "unsigned", "float", "cmplx"):
        for size in rules[kind]["bytes"]:
            type_name = f"fixed{size}u" if kind == "unsigned" else f"{kind}{size}"
            for operation in rules[kind]["operations"]:
                found += [f"{type_name}_{operation}{ending}" for ending in ("", "_cpt")]
            for operation in rules[kind]["both_ways"]:
                found += [f"{type_name}_{operation}{ending}" for ending in ("", "_cpt", "_rev", "_cpt_rev")]
            if kind != "unsigned":
                found += [f"{type_name}_{how}" for how in ("rd", "wr", "swp")]
    found += [f"{what}_{size}_cas{ending}" for size in rules["compared"] for what in ("bool", "val") for ending in ("", "_cpt")]
    return [f"__kmpc_atomic_{name}" for name in found]


def read_llvm(path):
    llvm = tomllib.loads(Path(path).read_text())
    llvm["names"] = sorted(llvm["names"] + atomics_of(llvm))
    return llvm


def order(node):
    prefix, numbers = node.split("_", 1)
    return prefix, [int(number) for number in numbers.split(".")]


def write_map(nodes, llvm, target):
    text, last = [], {}
    for node in sorted(nodes, key=order):
        names = sorted(set(names_of(nodes[node])))
        prefix = node.split("_")[0]
        text.append(f"{node} {{\n  global:\n" + "".join(f"    {name};\n" for name in names))
        if not last:
            text.append("  local:\n    *;\n")
        text.append("}" + (f" {last[prefix]}" if prefix in last else "") + ";\n")
        last[prefix] = node
    # For Weft's own libraries.
    text.append("WEFT_OMP_PRIVATE {\n  global:\n    weft_omp_build; weft_omp_tell; weft_omp_await_static; weft_omp_note_static; weft_omp_map_array; weft_omp_affinity_of_loop;\n};\n")
    text.append(f"{llvm['node']} {{\n  global:\n" + "".join(f"    {name};\n" for name in llvm["names"]) + "};\n")
    Path(target).write_text("".join(text))


JUMP = """
__asm__(
    ".pushsection .text\\n.globl weft_llvm_{name}\\n.type weft_llvm_{name}, %function\\n"
    "weft_llvm_{name}:\\n" WEFT_JUMP("{target}")
    ".size weft_llvm_{name}, .-weft_llvm_{name}\\n.symver weft_llvm_{name}, {name}@{node}\\n.popsection\\n");
"""


# Whoever has both in hand passes its arguments on as they are: so the second name is a jump to the first.
def write_jumps(nodes, llvm, target):
    text = ["// LLVM's names for libgomp's: made by tools/gen/openmp_map.py.\n",
            "#if defined(__x86_64__)\n#define WEFT_JUMP(to) \"endbr64\\njmp \" to \"\\n\"\n",
            "#elif defined(__aarch64__)\n#define WEFT_JUMP(to) \"hint #34\\nb \" to \"\\n\"\n",
            "#else\n#error which instruction jumps here?\n#endif\n"]
    jumps = {name: name for node in nodes.values() for name in names_of(node)} | llvm["jumps"]
    text += [JUMP.format(name=name, target=jumps[name], node=llvm["node"]) for name in sorted(jumps)]
    Path(target).write_text("".join(text))


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in lines.splitlines():
        kind, name = line.split()[1:3]
        # The nodes themselves are absolute symbols.
        if kind != "A" and not FOREIGN.match(name):
            found.add(name.replace("@@", "@"))
    return found


def compare(table, library, reference):
    nodes = tomllib.loads(Path(table).read_text())["nodes"]
    have = exported(library)
    problems = [f"{name}: the reference has it" for name in sorted(exported(reference) - have)]
    for node in nodes:
        problems += [f"{name}@{node}: is in the table" for name in names_of(nodes[node]) if f"{name}@{node}" not in have]
    for problem in problems:
        print(f"{problem}, {library} has not")
    return 1 if problems else 0


def compare_llvm(table, library, reference):
    llvm = read_llvm(table)
    node = llvm["node"]
    have = {name.split("@")[0] for name in exported(library) if name.endswith(f"@{node}")}
    # In C alone: flang's programs are to find the Fortran forms of omp.h only.
    wanted = {name.split("@")[0] for name in exported(reference) if name.endswith(f"@{node}")}
    wanted = {name for name in wanted if not (name.startswith("kmp_") and name.endswith("_"))}
    left_out = tuple(llvm["left_out"])
    problems = [f"{name}: the reference has it" for name in sorted(wanted - have) if not name.startswith(left_out)]
    problems += [f"{name}: is in the table" for name in [*llvm["names"], *llvm["jumps"]] if name not in have]
    for problem in problems:
        print(f"{problem}, {library} has not")
    return 1 if problems else 0


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 4 and arguments[0] == "--compare":
        return compare(*arguments[1:])
    if len(arguments) == 4 and arguments[0] == "--compare-llvm":
        return compare_llvm(*arguments[1:])
    if len(arguments) != 4:
        sys.exit(__doc__)
    nodes = tomllib.loads(Path(arguments[0]).read_text())["nodes"]
    llvm = read_llvm(arguments[1])
    write_map(nodes, llvm, arguments[2])
    write_jumps(nodes, llvm, arguments[3])
    return 0


if __name__ == "__main__":
    sys.exit(main())
