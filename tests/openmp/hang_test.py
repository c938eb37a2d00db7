#!/usr/bin/env python3
"""What is told of programs of OpenMP that hang: the construct, its line, who has not come and what they do instead.

usage: hang_test.py OSHRUN PROGRAM SOURCE LIBRARIES STATICS [unittest's arguments]
"""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

OSHRUN, PROGRAM, SOURCE, LIBRARIES, STATICS = (Path(sys.argv.pop(1)).resolve() for _ in range(5))
LIMIT = 60  # seconds for one job
# A second is enough for a program to come to where it hangs, but not on a machine that has much else to do.
SECONDS = (1, 5, 20)
SHAPES = [(1, 2, "memory"), (1, 3, "memory"), (3, 4, "memory"), (2, 4, "pages"), (3, 3, "pages")]


def line(mark):
    """The line that is marked with this comment, as reports have it."""
    numbers = [k for k, text in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {mark} */" in text]
    assert len(numbers) == 1, f"lines marked {mark}: {numbers}"
    return f"{SOURCE.name}:{numbers[0]} in "


def near(mark):
    """The same of a construct whose call is the compiler's own, which lays it to a line of its choice."""
    number = int(re.findall(r":(\d+) in", line(mark))[0])
    return rf"{SOURCE.name}:({'|'.join(str(number + k) for k in range(-4, 5))}) in "


def names(numbers, processes):
    """As a report names these threads: where a program has several processes, with what process they are of, if of one."""
    return rf"threads? {numbers}" + (r"( \(PE \d\))?" if processes > 1 else "")


class Hang(unittest.TestCase):
    def report(self, how, processes, threads, by="memory", program=PROGRAM, **more):
        """The report of such a job as a function of the seconds that it may take."""
        def after(seconds):
            done = subprocess.run([OSHRUN, "-n", str(processes), "--timeout", f"{seconds}s", program, how],
                                  env={**os.environ, "OMP_NUM_THREADS": str(threads), "WEFT_SHARED_BY": by,
                                       "LD_LIBRARY_PATH": str(LIBRARIES), **more},
                                  timeout=LIMIT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 124, done.stdout + done.stderr)
            return done.stderr
        return after

    def says(self, report, *lines):
        for seconds in SECONDS:
            text = report(seconds)
            missing = [each for each in lines if not re.search(rf"^oshrun:   {each}$", text, flags=re.M)]
            if not missing:
                return
        self.fail(f"no line: {missing[0]}\n{text}")

    def in_all_shapes(self, how, lines):
        """lines(name of the last thread, names of the others, "has" or "have" of these)."""
        for processes, threads, by in SHAPES:
            with self.subTest(processes=processes, threads=threads, by=by):
                others = "0" if threads == 2 else f"0, {threads - 2}" if threads == 3 else f"0-{threads - 2}"
                last = names(threads - 1, processes)
                self.says(self.report(how, processes, threads, by), *lines(last, names(others, processes), threads))

    def test_a_barrier(self):
        self.in_all_shapes("barrier", lambda last, others, threads: [
            rf"{others} of {threads} ha(s|ve) waited (up to )?[0-9.]+ s at the barrier at {line('barrier')}.*; {last} has "
            r"not reached it", rf"{last} does not wait in OpenMP", rf"  in compute at {SOURCE.name}:\d+"])

    def test_the_end_of_a_region(self):
        for processes, threads, by in SHAPES:
            if by == "memory":
                self.says(self.report("region", processes, threads, by),
                          rf"{names(0, processes)} of {threads} has waited [0-9.]+ s at the end of the parallel region at "
                          rf"{near('region')}.*; {names(threads - 1, processes)} has not come there")
        self.says(self.report("region", 2, 2, "pages"),
                  rf"thread 0 .* until the other processes are through with the parallel region at {near('region')}.*; "
                  r"PE 1 is not")

    def test_the_end_of_a_loop(self):
        self.in_all_shapes("loop", lambda last, others, threads: [
            rf"{others} of {threads} ha(s|ve) waited (up to )?[0-9.]+ s at the end of the work-sharing construct at {near('loop')}.*; "
            rf"{last} has not reached it"])

    def test_a_static_variable(self):
        for processes, threads, by in SHAPES:
            if processes == 1:  # the C++ library's
                continue
            with self.subTest(processes=processes, threads=threads, by=by):
                self.says(self.report("hang", processes, threads, by, STATICS),
                          r"threads? .* ha(s|ve) waited (up to )?[0-9.]+ s for the first value of a static variable of a function"
                          r" at statics.cpp:\d+ in .*; thread 0 (\(PE 0\) )?is to find it",
                          r"thread 0 (\(PE 0\) )?does not wait in OpenMP")

    def test_a_thread_that_has_left(self):
        self.says(self.report("left", 1, 2),
                  rf"thread 0 of 2 has waited [0-9.]+ s at the barrier at {line('left')}.*; thread 1 has not reached it",
                  r"thread 1 is through with the parallel region",
                  r"=> thread 0 waits at the barrier at .* for thread 1, which has ended the region; all threads of a team "
                  r"must come to the same barriers")

    def test_a_critical_section(self):
        self.in_all_shapes("critical", lambda last, others, threads: [
            rf"{others} ha(s|ve) waited (up to )?[0-9.]+ s for the critical section update at {line('critical')}.*, which "
            rf"{last} is in", rf"{last} does not wait in OpenMP"])

    def test_a_lock(self):
        self.in_all_shapes("lock", lambda last, others, threads: [
            rf"threads .* have waited up to [0-9.]+ s for the lock first at {line('lock')}.*, which {last} holds",
            rf"=> {last} waits for the lock first at .*, and has it already; a lock must be unset before it is set again"])

    def test_a_nested_lock(self):
        self.in_all_shapes("nest", lambda last, others, threads: [
            rf"{others} ha(s|ve) waited (up to )?[0-9.]+ s for the nested lock nested at {line('nest')}.*, which {last} "
            r"holds"])

    def test_two_locks_in_different_order(self):
        for processes, _, by in SHAPES:
            with self.subTest(processes=processes, by=by):
                first, last = names(0, processes), names(1, processes)
                self.says(self.report("circle", processes, 2, by),
                          rf"=> deadlock: {first} waits for {last} for the lock second at {line('circle')}.*, {last} waits "
                          rf"for {first} for the lock first at .*")

    def test_a_barrier_inside_a_critical_section(self):
        self.says(self.report("mixed", 1, 2),
                  r"thread 0 has waited [0-9.]+ s for the critical section without a name at .*, which thread 1 is in",
                  rf"=> deadlock: thread 0 waits for thread 1 for the critical section without a name at .*, thread 1 waits "
                  rf"for thread 0 at the barrier at {line('inside')}.*")

    def test_ordered(self):
        for processes, threads, by in SHAPES:
            with self.subTest(processes=processes, threads=threads, by=by):
                turn = rf"; it is the turn of {names(0, processes)}" if by == "memory" else ""
                self.says(self.report("ordered", processes, threads, by),
                          rf"threads? .* ha(s|ve) waited (up to )?[0-9.]+ s for its turn in the ordered region at "
                          rf"{near('ordered')}.*{turn}")

    def test_doacross(self):
        for processes, threads, by in SHAPES:
            with self.subTest(processes=processes, threads=threads, by=by):
                self.says(self.report("doacross", processes, threads, by),
                          r"threads? .* ha(s|ve) waited (up to )?[0-9.]+ s for another iteration of the loop \(doacross, "
                          rf"depend\(sink\)\) at {near('doacross')}.*"
                          + (rf"; {names(0, processes)} has it" if by == "memory" else ""))

    # Whose iteration it is nobody says where the count does not tell, rather than naming another thread.
    def test_doacross_of_many_iterations(self):
        self.says(self.report("large", 1, 2),
                  r"thread 1 has waited [0-9.]+ s for another iteration of the loop \(doacross, depend\(sink\)\) at "
                  rf"{near('large')}(?!.* has it).*")

    def test_a_task_that_does_not_end(self):
        self.says(self.report("tasks", 1, 2),
                  rf"thread \d has waited [0-9.]+ s in taskwait at {line('tasks')}.* for 1 task that is not done; "
                        r"thread \d runs it", r"thread \d does not wait in OpenMP; it runs a task, hang.c:.*")

    def test_a_task_that_another_depends_on(self):
        self.says(self.report("depends", 1, 2),
                  rf"thread \d has waited [0-9.]+ s in taskwait or an undeferred task with depend at {near('depends')}.* for 1 "
                  r"task that is not done; of the tasks made beside it thread \d runs one",
                  r"thread \d does not wait in OpenMP; it runs a task, hang.c:.*")

    def test_an_inner_region(self):
        self.says(self.report("inner", 1, 2),
                  rf"thread 0 of 2 has waited [0-9.]+ s at the barrier at {line('outer')}.*; thread 1 has not reached it",
                  rf"thread 1 of 2 has waited [0-9.]+ s at the barrier at {line('inner')}.*; thread 1.1 has not reached it",
                  "thread 1.1 does not wait in OpenMP")

    # It spins on and on.
    def test_an_active_wait(self):
        self.says(self.report("barrier", 1, 2, OMP_WAIT_POLICY="active"),
                  r"thread 0 of 2 has waited [0-9.]+ s at the barrier at .*; thread 1 has not reached it")

    # Each is a program by itself.
    def test_programs_that_are_apart(self):
        self.says(self.report("barrier", 2, 2, WEFT_OPENMP="apart"),
                  *(rf"thread 0 of PE {pe} of 2 has waited [0-9.]+ s at the barrier at .*; thread 1 of PE {pe} has not "
                    r"reached it" for pe in (0, 1)))


if __name__ == "__main__":
    unittest.main()
