"""Writes what a profiling tool is made of: a replacement of every covered function, which counts the call and forwards
it to the pshmem_ twin. When the program ends by shmem_global_exit it says which functions were never seen.
make_interposer.py OUTPUT.c"""
import re
import sys

from spec_table import covered_functions, profiling_name

LAST = "shmem_global_exit"
HEAD = """\
#ifndef WEFT_NO_INLINE
#define WEFT_NO_INLINE /* the functions are defined here */
#endif
#include <pshmem.h>
#include <shmem.h>
#include <stdio.h>

static unsigned long calls[{count}];
static const char* const names[{count}] = {{
{names}
}};

static void report(void) {{
  unsigned i, missing = 0;
  for (i = 0; i < {count}; ++i)
    if (__atomic_load_n(&calls[i], __ATOMIC_RELAXED) == 0) {{
      printf("interposer: no call of %s\\n", names[i]);
      ++missing;
    }}
  if (missing == 0) printf("interposer: every one of {count} routines was seen\\n");
  fflush(stdout);
}}

"""


def replacement(number, row):
    params = [] if row["parameters"] == "void" else row["parameters"].split(", ")
    args = ", ".join(re.search(r"(\w+)$", param).group(1) for param in params if param != "...")
    give_back = "" if row["return_type"].endswith("void") else "return "
    ask = "  report();\n" if row["name"] == LAST else ""
    # The name in parentheses: in C11 some are macros too.
    return (f"{row['return_type']} ({row['name']})({row['parameters']}) {{\n"
            f"  __atomic_add_fetch(&calls[{number}], 1, __ATOMIC_RELAXED);\n{ask}"
            f"  {give_back}{profiling_name(row['name'])}({args});\n}}\n")


def main():
    rows = covered_functions()
    names = "\n".join(f'    "{row["name"]}",' for row in rows)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(HEAD.format(count=len(rows), names=names))
        file.writelines(replacement(number, row) for number, row in enumerate(rows))


main()
