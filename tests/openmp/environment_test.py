#!/usr/bin/env python3
"""The variables of the environment, right and wrong: with our library a program says what it says with the compiler's.

usage: environment_test.py PROGRAM FOLDER
"""

import os
import subprocess
import sys

CASES = [
    {}, {"OMP_NUM_THREADS": "3"}, {"OMP_NUM_THREADS": "4,2"}, {"OMP_NUM_THREADS": "0"}, {"OMP_NUM_THREADS": "-1"},
    {"OMP_NUM_THREADS": "2,"}, {"OMP_NUM_THREADS": "x"}, {"OMP_NUM_THREADS": " 5 "}, {"OMP_NUM_THREADS": "99999999999999999999"},
    {"OMP_SCHEDULE": "static"}, {"OMP_SCHEDULE": "guided,7"}, {"OMP_SCHEDULE": "DYNAMIC , 4"}, {"OMP_SCHEDULE": "auto"},
    {"OMP_SCHEDULE": "monotonic:dynamic,2"}, {"OMP_SCHEDULE": "nonmonotonic:static"}, {"OMP_SCHEDULE": "fast"},
    {"OMP_SCHEDULE": "static,x"}, {"OMP_SCHEDULE": "guided,-3"}, {"OMP_SCHEDULE": "static,0"},
    {"OMP_DYNAMIC": "true", "OMP_NUM_THREADS": "1"}, {"OMP_DYNAMIC": "maybe"}, {"OMP_NESTED": "true"}, {"OMP_NESTED": "TRUE", "OMP_NUM_THREADS": "3"},
    {"OMP_MAX_ACTIVE_LEVELS": "4"}, {"OMP_MAX_ACTIVE_LEVELS": "many"}, {"OMP_MAX_ACTIVE_LEVELS": "-2"},
    {"OMP_THREAD_LIMIT": "2", "OMP_NUM_THREADS": "5"}, {"OMP_THREAD_LIMIT": "0"}, {"OMP_THREAD_LIMIT": "1"},
    {"OMP_CANCELLATION": "true"}, {"OMP_CANCELLATION": "1"}, {"OMP_MAX_TASK_PRIORITY": "12"}, {"OMP_MAX_TASK_PRIORITY": "-1"},
    {"OMP_PROC_BIND": "false"}, {"OMP_PROC_BIND": "close"}, {"OMP_PROC_BIND": "spread,close"}, {"OMP_PROC_BIND": "near"},
    {"OMP_PROC_BIND": "true,close"}, {"OMP_PLACES": "threads"}, {"OMP_PLACES": "cores(1)"}, {"OMP_PLACES": "{0},{1}"},
    {"OMP_PLACES": "{0:2}"}, {"OMP_PLACES": "{0}:2"}, {"OMP_PLACES": "{0"}, {"OMP_PLACES": "planets"},
    {"GOMP_CPU_AFFINITY": "0-1"}, {"GOMP_CPU_AFFINITY": "1 0"}, {"GOMP_CPU_AFFINITY": "a"},
    {"OMP_WAIT_POLICY": "passive"}, {"OMP_WAIT_POLICY": "active"}, {"OMP_WAIT_POLICY": "lazy"},
    {"GOMP_SPINCOUNT": "10k"}, {"GOMP_SPINCOUNT": "0"}, {"GOMP_SPINCOUNT": "x"}, {"GOMP_SPINCOUNT": "infinity"},
    {"OMP_STACKSIZE": "4M"}, {"OMP_STACKSIZE": "x"}, {"OMP_STACKSIZE": "2000 k"}, {"OMP_NUM_TEAMS": "5"},
    {"OMP_NUM_TEAMS": "0"}, {"OMP_TEAMS_THREAD_LIMIT": "3"}, {"OMP_TARGET_OFFLOAD": "disabled"}, {"OMP_TARGET_OFFLOAD": "no"},
    {"OMP_DISPLAY_ENV": "maybe"}, {"OMP_DISPLAY_ENV": "true"}, {"OMP_DISPLAY_ENV": "true", "OMP_PLACES": "threads"},
    {"OMP_DISPLAY_ENV": "true", "OMP_SCHEDULE": "monotonic:guided,3", "OMP_NUM_THREADS": "3,2"},
    {"OMP_ALLOCATOR": "omp_large_cap_mem_alloc", "OMP_DISPLAY_ENV": "true"}, {"OMP_ALLOCATOR": "mine"},
]


def run(program, variables, folder):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "LD_LIBRARY"))}
    environment.update(variables)
    if folder:
        environment["LD_LIBRARY_PATH"] = folder
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def main():
    program, folder = sys.argv[1:]
    failed = 0
    for case in CASES:
        theirs, ours = run(program, case, None), run(program, case, folder)
        if theirs != ours:
            failed += 1
            print(f"{case}:\n  expected {theirs}\n  got      {ours}")
    print(f"{len(CASES) - failed} of {len(CASES)} as with the compiler's library")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
