#!/usr/bin/env python3
"""Runs the project's tests of several PEs with the PEs spread over pretend hosts.

usage: suite.py BUILD [--hosts N,..] [--launcher NAME,..] [-R REGEX] [-E REGEX] [-j N] [--limit S] [--list]

The tests are those that ctest knows as `run_program ... -- oshrun -n N program`: the same runner with the same
expectations runs on node1, and only `oshrun -n N` is replaced. What must be left nowhere is looked for on all hosts.
Without --launcher: oshrun on 2 hosts and on 3, and each other launcher that is there on 2.
"""

import argparse
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "testbed"))
from hosts import Hosts, Unavailable  # noqa: E402  (it is in a folder of its own)
from launchers import LAUNCHERS  # noqa: E402

AREAS = r"(spec|multi|conformance|shared|example|safe\.right|mpi)\."
NEEDS_MORE = {"heavy"}  # labels of tests that want gigabytes, or the machine to themselves


class Test:
    """A test of ctest that runs a job of several PEs."""

    def __init__(self, known):
        self.name = known["name"]
        properties = {p["name"]: p["value"] for p in known.get("properties", [])}
        self.labels = set(properties.get("LABELS", []))
        self.environment = dict(setting.split("=", 1) for setting in properties.get("ENVIRONMENT", []))
        self.folder = properties.get("WORKING_DIRECTORY", ".")
        command = known.get("command", [])
        self.pes = 0
        if "--" in command:
            start = command.index("--") + 1
            self.runner, job = command[:start], command[start:]
            if len(job) > 3 and os.path.basename(job[0]) == "oshrun" and job[1] == "-n" and job[2].isdigit():
                self.oshrun, self.pes, self.program = job[0], int(job[2]), job[3:]
                if self.program[0] == "--safe":
                    # As it is said to all launchers; the option is oshrun's.
                    self.program = self.program[1:]
                    self.environment = {**self.environment, "SHMEM_DEBUG": "check"}

    def limit(self):
        """Where the command has its seconds."""
        return self.runner.index("--limit") + 1

    def allow(self, seconds):
        if "--limit" not in self.runner:  # it may take as long as it says that it goes on
            return
        slow = int(self.environment.get("WEFT_TEST_SLOW", 1)) * seconds // int(self.runner[self.limit()])
        self.environment["WEFT_TEST_SLOW"] = str(max(1, slow))  # for the program's own watchdog
        self.runner[self.limit()] = str(seconds)

    def command(self, launcher, names):
        runner = self.runner[:1] + ([] if "--stdin" in self.runner else launcher.runner) + self.runner[1:]
        if "--exit" in runner:
            place = runner.index("--exit") + 1
            runner[place] = launcher.code(runner[place])
        return runner + launcher.words(self, names[:self.pes]) + self.program


class Spread:
    """The program that tells where PEs run."""

    def __init__(self, build, pes):
        self.oshrun, self.pes, self.environment = f"{build}/bin/oshrun", pes, {}
        self.program = [f"{build}/tests/hosts/hosts_spread"]


class NotSpread(Exception):
    """A launcher does not do what this suite is about."""


def tests_of(build):
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = [Test(known) for known in json.loads(done.stdout)["tests"]]
    return [test for test in tests if test.pes >= 2 and re.match(AREAS, test.name) and not test.labels & NEEDS_MORE]


def left_out():
    """(launchers, regex, reason) of each line."""
    lines = (HERE / "left_out.txt").read_text().splitlines()
    return [line.split(None, 2) for line in lines if line and not line.startswith("#")]


def chosen(tests, launcher, options):
    lines = [line for line in left_out() if line[0] == "*" or launcher in line[0].split(",")]
    return [test for test in tests
            if re.search(options.only or "", test.name) and not (options.exclude and re.search(options.exclude, test.name))
            and not any(re.search(regex, test.name) for _, regex, _ in lines)]


class Run:
    """All chosen tests under one launcher on so many hosts."""

    def __init__(self, launcher, count, tests, options):
        self.launcher, self.count, self.options = launcher, count, options
        self.waiting = queue.SimpleQueue()
        for test in tests:
            self.waiting.put(test)
        self.number = len(tests)
        self.passed = self.done = 0
        self.failures = []
        self.unavailable = None
        self.lock = threading.Lock()  # of the lines above, and of what is printed

    def next(self):
        try:
            return None if self.unavailable else self.waiting.get_nowait()
        except queue.Empty:
            return None

    def work(self):
        """One set of hosts, on which tests run one after the other; after a test that left something, a new set."""
        hosts = None
        try:
            for test in iter(self.next, None):
                if hosts is None:
                    hosts = Hosts(self.count)
                    launcher = LAUNCHERS[self.launcher](hosts)
                    self.check_spread(hosts, launcher)
                if not self.run_test(test, hosts, launcher):
                    hosts.close()
                    hosts = None
        except Unavailable as why:
            self.unavailable = str(why)
        except NotSpread as what:
            self.failures.append(str(what))
            self.waiting = queue.SimpleQueue()
        finally:
            if hosts:
                hosts.close()

    def check_spread(self, hosts, launcher):
        """Most tests pass as well when each PE takes itself for a job of its own, or all are on one host."""
        job = Spread(self.options.build, 2 * self.count)
        done = hosts.run(1, launcher.words(job, hosts.names) + job.program, env={**os.environ, **launcher.environment},
                         timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        places = launcher.places(job.pes, hosts.names)
        expected = [f"PE {pe} of {job.pes}: {name}, {places.count(name)}" for pe, name in enumerate(places)]
        if done.returncode != 0 or not set(expected) <= set(done.stdout.splitlines()):
            raise NotSpread("the PEs are not where they should be; no test was run; hosts_spread says:\n" + done.stdout)

    def run_test(self, test, hosts, launcher):
        """False: the test has left something on a host."""
        start = time.monotonic()
        command = test.command(launcher, hosts.names)
        environment = {**os.environ, **launcher.environment, **test.environment}
        seconds = float(test.runner[test.limit()]) + 30
        try:
            done = hosts.run(1, ["env", "-C", test.folder, *command], env=environment, timeout=seconds, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            passed, output = done.returncode == 0, done.stdout
        except subprocess.TimeoutExpired as overdue:
            passed, output = False, f"{overdue.output or ''}\nits runner did not end within {seconds:.0f} s\n"
        left = hosts.leftovers()
        if left:
            passed = False
            output += "left on the hosts:\n" + "\n".join(left) + "\n"
        with self.lock:
            self.done += 1
            took = time.monotonic() - start
            print(f"{self.done:4}/{self.number} {test.name} {'passed' if passed else 'FAILED'} {took:.1f} s", flush=True)
            self.passed += passed
            if not passed:
                self.failures.append(test.name)
                print(output, flush=True)
        return not left

    def run(self):
        workers = [threading.Thread(target=self.work) for _ in range(self.options.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="the folder in which Weft was built")
    parser.add_argument("--hosts", type=lambda text: [int(word) for word in text.split(",")], help="how many; default: 2 and 3")
    parser.add_argument("--launcher", type=lambda text: text.split(","), help="of: " + ", ".join(LAUNCHERS))
    parser.add_argument("-R", dest="only", metavar="REGEX", help="tests with such a name only")
    parser.add_argument("-E", dest="exclude", metavar="REGEX", help="no tests with such a name")
    parser.add_argument("-j", dest="jobs", type=int, default=1, help="sets of hosts at a time")
    parser.add_argument("--limit", type=int, help="seconds for each test, instead of its own limit")
    parser.add_argument("--list", action="store_true", help="print the names of the tests only")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    for name in options.launcher or []:
        if name not in LAUNCHERS:
            parser.error(f"there is no launcher {name}")
    tests = tests_of(options.build)
    for test in tests if options.limit else []:
        test.allow(options.limit)
    runs = [Run(launcher, count, chosen(tests, launcher, options), options)
            for launcher in options.launcher or LAUNCHERS
            for count in options.hosts or ([2, 3] if launcher == "oshrun" and not options.launcher else [2])]
    if options.list:
        print("\n".join(sorted({test.name for run in runs for test in iter(run.next, None)})))
        return 0
    summary = []
    for run in runs:
        title = f"{run.launcher} on {run.count} hosts"
        print(f"== {title}: {run.number} tests", flush=True)
        run.run()
        if run.unavailable:
            summary.append(f"{title}: not run: {run.unavailable}")
        else:
            summary.append(f"{title}: {run.passed} of {run.number} passed"
                           + "".join(f"\n    failed: {name}" for name in sorted(run.failures)))
    print("\n".join(["== summary", *summary]))
    if any(run.failures for run in runs) or not any(run.number for run in runs):
        return 1
    return 77 if all(run.unavailable for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
