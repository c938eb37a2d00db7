"""libweft.so exports exactly: each covered shmem_ name and each shmemx_ name weak, its pshmem_ name strong at the same address, and the data
that handles and inline bodies need.  check_exports.py NM LIBRARY"""
import subprocess
import sys

from spec_table import covered_functions, finish, profiling_name, weft_table

DATA = {"weft_window", "weft_self", "weft_ctx_default", "weft_team_world", "weft_team_shared"}
# For libweft_fortran.so and the tools.
SUPPORT = {"weft_support_fail", "weft_support_set_caller", "weft_support_set_tool_site", "weft_support_block",
           "weft_support_set_lock", "weft_support_clear_lock", "weft_support_test_lock", "weft_support_reduce_real16",
           "weft_support_say", "weft_support_caller_name", "weft_support_set_place", "weft_support_memory",
           "weft_support_describe", "weft_support_heap_in_use", "weft_support_heap_bytes",
           "weft_support_caller_site", "weft_support_heap_asked", "weft_support_lock_home", "weft_support_no_memory"}


def exported(nm, library):
    """name -> (kind, address); the version node itself (kind A) is no symbol of ours."""
    out = subprocess.run([nm, "--dynamic", "--defined-only", library], check=True, capture_output=True, text=True)
    symbols = {}
    for line in out.stdout.splitlines():
        address, kind, name = line.split()
        if kind != "A":
            symbols[name.partition("@")[0]] = (kind, int(address, 16), name.partition("@@")[2])
    return symbols


def main():
    symbols, problems = exported(*sys.argv[1:]), []
    expected = DATA | SUPPORT
    names = [row["name"] for row in covered_functions()]
    names += [routine.name for routine in weft_table().routines if routine.family.is_extension]
    for name in names:
        weak, strong = name, profiling_name(name)
        expected |= {weak, strong}
        if weak in symbols and strong in symbols:
            if symbols[weak][0] != "W" or symbols[strong][0] != "T":
                problems.append(f"{weak} is {symbols[weak][0]} and {strong} is {symbols[strong][0]}, should be W and T")
            if symbols[weak][1] != symbols[strong][1]:
                problems.append(f"{weak} and {strong} are different functions")
    problems += [f"not exported: {name}" for name in sorted(expected - set(symbols))]
    problems += [f"exported, but no name of ours: {name}" for name in sorted(set(symbols) - expected)]
    problems += [f"{name} has version '{symbols[name][2]}'" for name in sorted(expected & set(symbols))
                 if symbols[name][2] != "WEFT_1.0"]
    finish(problems, f"{len(symbols)} symbols")


main()
