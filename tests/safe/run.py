#!/usr/bin/env python3
"""Runs a wrong program under safe mode and compares what it says with what its first comment says it would.

usage: run.py SOURCE PLACES EXIT RUN_PROGRAM COMMAND...
       PLACES: the program whose absence means that places are given as addresses; EXIT: a number or nonzero
"""
import os
import pathlib
import sys

import reports


def main():
    source, places, code, runner, *command = sys.argv[1:]
    _, lines = reports.read(pathlib.Path(source))
    arguments = [runner, "--limit", "60", "--exit", code]
    for pattern in reports.patterns(lines, os.path.exists(places)):
        arguments += ["--expect", pattern]
    os.environ["SHMEM_DEBUG"] = "check"
    os.execv(runner, [*arguments, "--", *command])


main()
