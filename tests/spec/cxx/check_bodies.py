"""Compiles bodies.cpp and looks at what it leaves for the linker: with optimisation every function has to be the inline
body of its C routine, with WEFT_NO_INLINE a call of that routine.  check_bodies.py CXX NM STD [-I...]"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROUTINES = ["long_put", "double_put", "putmem", "ushort_get", "float_p", "char_g", "long_atomic_fetch_add",
            "uint_atomic_or"]
WINDOW = "weft_window"
WITH_CONTEXT = "ctx_int_put"
CONTEXT = "weft_ctx_default"  # which an inline body tells from the others


def left_for_the_linker(cxx, nm, flags):
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "bodies.o"
        subprocess.run([cxx, *flags, "-c", HERE / "bodies.cpp", "-o", made], check=True)
        out = subprocess.run([nm, "--undefined-only", "-j", made], check=True, capture_output=True, text=True)
    # Position independence and inlined copies have symbols of their own.
    return {name for name in out.stdout.split() if name not in ("_GLOBAL_OFFSET_TABLE_", "memcpy", "__stack_chk_fail")}


def main():
    cxx, nm, std, *includes = sys.argv[1:]
    problems = []
    for flags, expected in (
            (["-O2"], {f"pshmem_{name}" for name in ROUTINES} | {WINDOW, f"pshmem_{WITH_CONTEXT}", CONTEXT}),
            (["-O2", "-DWEFT_NO_INLINE"], {f"shmem_{name}" for name in ROUTINES} | {f"shmem_{WITH_CONTEXT}"}),
            (["-O0"], {f"shmem_{name}" for name in ROUTINES} | {f"shmem_{WITH_CONTEXT}"})):
        found = left_for_the_linker(cxx, nm, [f"-std={std}", *flags, *includes])
        if found != expected:
            problems.append(f"{' '.join(flags)}: missing {sorted(expected - found)}, besides {sorted(found - expected)}")
    print("\n".join(problems) or f"{len(ROUTINES) + 1} calls, three ways")
    return 1 if problems else 0


sys.exit(main())
