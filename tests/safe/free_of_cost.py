#!/usr/bin/env python3
"""Safe mode costs nothing while it is off: libweft.so asks whether a tool is there where it sets the window of the inline
bodies up and nowhere else, and what is inlined into a program knows of the window and of routines only.

usage: free_of_cost.py NM OBJDUMP LIBRARY CORE CC INCLUDE...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FAST_PATH = pathlib.Path(__file__).resolve().parents[1] / "spec/api/fast_path.c"

# What may ask: weft::job::load_tools and tool_is_loaded; and what may ask those.
ASKS = {"weft_check_tool"}
MAY_ASK = re.compile(r"(?:job|shmem)::(\(anonymous namespace\)::)?(kTools|missing|tool_is_loaded|tell_of_blind_tools|load_tools|list_missing|"
                     r"start_with_tools|describe_window|open_window|attach)\b|::_FUN\(")


def functions(objdump, library):
    """name -> lines of its code"""
    text = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", library], capture_output=True, text=True,
                          check=True).stdout
    found, body = {}, []
    for line in text.split("\n"):
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if head:
            body = found.setdefault(head.group(1), [])
        elif line:
            body.append(line)
    return found


def needed_inline(nm, compiler, includes):
    """What a program with inline bodies asks the dynamic linker for."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "fast_path.o"
        subprocess.run([compiler, "-O2", "-c", FAST_PATH, "-o", made, *(f"-I{path}" for path in includes)], check=True)
        return set(subprocess.run([nm, "-u", "-j", made], capture_output=True, text=True, check=True).stdout.split())


def main():
    nm, objdump, library, core, compiler, *includes = sys.argv[1:]
    names = subprocess.run([nm, "-D", library], capture_output=True, text=True, check=True).stdout
    problems = [] if re.search(r"^ +w weft_check_tool$", names, re.M) else ["libweft.so does not ask for safe mode at all"]
    code = functions(objdump, core) | functions(objdump, library)
    asking = [name for name, lines in code.items()
              if any(re.search(r"<weft_check_tool|tool_is_loaded|load_tools", line) for line in lines)]
    problems += [f"{name} asks whether safe mode is on" for name in asking if not MAY_ASK.search(name)]
    if not asking:
        problems.append("nobody asks: this test looks for the wrong names")
    # Under one of its two names, as compilers order them.
    routines = {name.removeprefix("p") for name in code if re.match(r"p?shmem_", name)}
    if len(routines) < 1000:
        problems.append(f"only {len(routines)} routines were seen")
    inline = needed_inline(nm, compiler, includes)
    if "weft_window" not in inline:
        problems.append("nothing was inlined: this test compiles the wrong way")
    problems += [f"inline bodies need {name}" for name in sorted(inline)
                 if name not in ("weft_window", "weft_self", "weft_ctx_default") and not re.match(r"p?shmem_|_GLOBAL_OFFSET_TABLE_$|mem(cpy|set)$", name)]
    print("\n".join(problems) if problems else f"{len(routines)} routines, none of them asks; {len(asking)} functions do")
    sys.exit(1 if problems else 0)


main()
