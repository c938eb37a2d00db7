#!/usr/bin/env python3
"""Lets one call after the other fail in a job of two PEs: each job works, or ends with a line that says why.

    inject_test.py CALL ERROR [--hosts] [--by LIBRARY] [--messages] [NAME=VALUE...]

CALL is one of inject.cpp's, or `malloc` (memory.c). The first, the second, ... call in oshrun, in a PE and (with
--hosts: two nodes, which are this machine) in a weft-agent fails, until there are no more such calls. No job may hang, crash
without a word, or leave anything behind. WEFT_INJECT_ALL=1 takes no steps wider than one. --by: of malloc's calls those that
this library of Weft makes, in jobs with these variables. --messages: an MPI program, else one of OpenSHMEM.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUN_PROGRAM = os.environ["WEFT_RUN_PROGRAM"]
OSHRUN = os.environ["WEFT_OSHRUN"]
INJECT = os.environ["WEFT_INJECT"]
MEMORY = os.environ["WEFT_INJECT_MEMORY"]
LIMIT = 60 * int(os.environ.get("WEFT_TEST_SLOW", "1"))
WHOLE = os.environ.get("WEFT_INJECT_ALL", "0") not in ("", "0")

# Who ends so has not said anything that helps.
BARE = re.compile(r"terminate called|signal (4|6|7|8|11)\b|stack smashing|double free|Assertion")
TOLD = re.compile(r"^(oshrun|weft|weft-agent): |error while loading shared libraries: |^cannot allocate TLS", re.MULTILINE)

SSH = """#!/bin/sh
while case $1 in -*) true;; *) false;; esac; do shift; done
shift
exec /bin/sh -c "exec $*"
"""


class Sweep:
    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.call, self.error, self.hosts = asked.call, asked.error, asked.hosts
        self.program = os.environ["WEFT_MESSAGES" if asked.messages else "WEFT_TRANSFERS"]
        self.by = [f"WEFT_INJECT_BY={asked.by}"] if asked.by else []
        # Waits that sleep at once come to the futexes.
        self.environment = dict(os.environ, WEFT_SPIN="0", WEFT_SLEEP_AFTER="0", SHMEM_SYMMETRIC_SIZE="4M")
        self.environment.update(each.replace("FOLDER", str(folder), 1).split("=", 1) for each in asked.variables)
        self.count = folder / "count"
        self.ssh = folder / "ssh"
        self.ssh.write_text(SSH)
        self.ssh.chmod(0o755)
        self.wrong = 0
        self.runs = 0

    def job(self, who: str, nth: int, onwards: bool) -> list[str]:
        """What is run, from the injector on."""
        launch = [OSHRUN, "-n", "2"] + (["--hosts", "a,b", "--ssh", str(self.ssh)] if self.hosts else [])
        if self.call != "malloc":
            words = [INJECT, "--call", self.call, "--error", self.error, "--in", who, "--nth", str(nth)]
            words += ["--count", str(self.count)] + (["--from"] if onwards else [])
            return words + ["--"] + launch + [self.program]
        settings = [f"LD_PRELOAD={MEMORY}", f"WEFT_INJECT_PE={who}", f"WEFT_INJECT_NTH={nth}"]
        settings += [f"WEFT_INJECT_COUNT={self.count}"] + (["WEFT_INJECT_FROM=1"] if onwards else [])
        return launch + ["env"] + settings + self.by + [self.program]

    def run(self, who: str, nth: int, onwards: bool) -> int:
        """How many calls there were."""
        self.count.unlink(missing_ok=True)
        script = '"$@"; echo "ended with $?"'
        words = [RUN_PROGRAM, "--limit", str(LIMIT), "--", "sh", "-c", script, "sh"] + self.job(who, nth, onwards)
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        self.runs += 1
        text = done.stdout + done.stderr
        calls = int(self.count.read_text()) if self.count.exists() else None
        if calls is None and self.call != "malloc":
            sys.exit(f"the injector did not run:\n{text}")
        if nth != 0 and (calls is None or calls >= nth):
            self.judge(text, done.returncode, f"{self.call} number {nth}{' and on' if onwards else ''} in {who}", nth, who)
        return nth if calls is None else calls

    def judge(self, text: str, code: int, what: str, nth: int, who: str) -> None:
        ended = re.search(r"^ended with (\d+)$", text, re.MULTILINE)
        why = ""
        if code != 0 or ended is None:
            why = "it hung, or left something behind"
        elif ended[1] == "0":
            why = "" if "all is right" in text else "it ended well and did not do its work"
        elif BARE.search(text) and not (self.call == "mmap" and nth == 1 and who != "oshrun"):
            why = "it crashed"  # but for the first mapping in a PE, which the dynamic linker needs for itself
        elif ended[1] == "5":
            why = "a child has changed its parent's variables"
        elif ended[1] == "4" and not re.search(r"weft: (PE \d+: )?fork: ", text):
            why = "a child did not say why it ended"
        elif not TOLD.search(text):
            why = "it did not say why it ended"
        if why:
            self.wrong += 1
            print(f"--- {what} fails with {self.error}: {why}\n{text}", flush=True)

    def through(self, who: str, step: int, onwards: bool) -> None:
        calls = self.run(who, 0, onwards)
        nth = 1
        while nth <= calls:
            calls = max(calls, self.run(who, nth, onwards))
            nth += 1 if WHOLE else step
        print(f"{self.call} in {who}: {calls} calls{', each with all that follow' if onwards else ''}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("call")
    parser.add_argument("error")
    parser.add_argument("variables", nargs="*")
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--by", default="")
    parser.add_argument("--messages", action="store_true")
    asked = parser.parse_intermixed_args()
    who = ["1"] + (["0"] if WHOLE or asked.hosts else [])
    if asked.call != "malloc":
        who += ["oshrun"] + (["weft-agent"] if asked.hosts else [])
    step = 1 if not asked.hosts else 3 if asked.by and not asked.messages else 12 if asked.call == "malloc" else 5
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(asked, Path(folder))
        for each in who:
            for onwards in [False, True] if asked.call in ("malloc", "epoll_ctl") else [False]:
                sweep.through(each, step, onwards)
    print(f"{sweep.runs} jobs, {sweep.wrong} of them wrong")
    return 0 if sweep.wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
