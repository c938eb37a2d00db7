"""Writes a C program that calls every covered function of the specification and checks what it does; a function that
no template fits is an error here.  make_calls.py OUTPUT.c shmem|pshmem   (the names that are called)"""
import re
import sys

import collective_calls
from call_templates import typed
from plain_calls import PLAIN
from spec_table import covered_functions, profiling_name

# Ends the program, so it is called last and by its own code in main.
LAST = "shmem_global_exit"
EXIT_CODE = 42

MAIN = """\
int main(void) {{
  check_begin();
  left = check_right(-1);
  right = check_right(1);
  REQUIRE(shmem_ctx_create(0, &ctx) == 0, "a context");
  {{
    size_t i;
    for (i = 0; i < SHMEM_SYNC_SIZE; ++i) pSync[i] = SHMEM_SYNC_VALUE;
  }}
{calls}
  begin("{last}");
  if (check_failures) check_give_up();
  shmem_barrier_all();
  if (check_me == 0) {{
    printf("all {count} routines called\\n");
    fflush(stdout);
    ({last})({exit_code});
  }}
  for (;;) pause();
}}
"""


def element(row):
    for param in row["parameters"].split(", "):
        found = re.fullmatch(r"(?:const )?([\w ]+?) ?\*(?:dest|source|ivars?|fetch)", param)
        if found:
            return found.group(1)
    return ""


def block(row, call, templates):
    """The C function that tries one routine."""
    name = row["name"]
    text = (PLAIN | collective_calls.PLAIN).get(name)
    if text is None:
        fitting = [body for pattern, body in templates.items() if re.fullmatch(pattern, name)]
        if len(fitting) != 1:
            sys.exit(f"make_calls.py: {len(fitting)} templates fit {name}; there has to be one")
        text = fitting[0]
    c_type = element(row)
    bits = re.search(r"(?:put|get|alltoalls?|broadcast|collect)(\d+)", name)
    if c_type == "void":
        size, cast = (int(bits.group(1)) // 8 if bits else 1), ""
    else:
        size, cast = f"sizeof({c_type})", f"({c_type}*)(void*)"
    fill = {"f": f"({call})", "T": c_type, "c": "ctx, " if "shmem_ctx_" in name else "", "size": size,
            "unit": "1 + __extension__ 1.0if" if "_Complex" in c_type else "1",
            "used": 10 if c_type == "long double" else size, "D": cast, "S": cast.replace("(", "(const ", 1)}
    return f"static void try_{name}(void) {{\n  begin(\"{call}\");\n  {text.format(**fill)}\n}}\n"


def main():
    output, names = sys.argv[1:]
    rename = profiling_name if names == "pshmem" else str
    rows = [row for row in covered_functions() if row["name"] != LAST]
    templates = typed() | collective_calls.collectives()
    blocks = [block(row, rename(row["name"]), templates) for row in rows]
    calls = "\n".join(f"  try_{row['name']}();" for row in rows)
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(['#include "calls.h"\n\n', *blocks, "\n",
                         MAIN.format(calls=calls, last=rename(LAST), count=len(rows) + 1, exit_code=EXIT_CODE)])


main()
