"""Writes a C program that declares every covered function once more, as the specification has it: a prototype that
differs from the header's does not compile. Run, it looks each name up by dlsym and compares with the address the
linker gave.  make_prototypes.py OUTPUT.c"""
import sys

from spec_table import covered_functions, profiling_name

HEAD = """\
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#define WEFT_NO_INLINE /* the functions, not their inline bodies */
#include <pshmem.h>
#include <shmem.h>

/* Names in parentheses: in C11 some are macros too, which must not hide the function. */
"""

TAIL = """\
int main(void) {
  unsigned failures = 0;
  size_t i;
  for (i = 0; i < sizeof routines / sizeof routines[0]; i++) {
    void *found = dlsym(RTLD_DEFAULT, routines[i].name);
    if (found == NULL || (uintptr_t)found != (uintptr_t)routines[i].address) {
      printf("%s: dlsym gives %p, the linker 0x%lx\\n", routines[i].name, found,
             (unsigned long)(uintptr_t)routines[i].address);
      failures++;
    }
  }
  printf("%u of %u names are wrong\\n", failures, (unsigned)(sizeof routines / sizeof routines[0]));
  return failures != 0;
}
"""


def main():
    declarations, entries = [], []
    for row in covered_functions():
        for name in (row["name"], profiling_name(row["name"])):
            declarations.append(f"{row['return_type']} ({name})({row['parameters']});\n")
            entries.append(f'  {{"{name}", (void (*)(void))({name})}},\n')
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.writelines([HEAD, *declarations, "\nstatic const struct {\n  const char *name;\n  void (*address)(void);\n"
                         "} routines[] = {\n", *entries, "};\n\n", TAIL])


main()
