#!/usr/bin/env python3
"""suite.py finds what is wrong: with launchers and programs that are wrong on purpose.

usage: suite_test.py RUN_PROGRAM
"""

import contextlib
import io
import shlex
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import suite  # noqa: E402
from hosts import run_tests  # noqa: E402
from suite import LAUNCHERS  # noqa: E402

RUN_PROGRAM = Path(sys.argv.pop(1)).resolve()


class Told(LAUNCHERS["oshrun"]):
    """Runs one line of the shell on node1, whatever the program is; for hosts_spread it says what should be said."""

    spread = "\n".join(f"PE {i} of 4: node{i // 2 + 1}, 2" for i in range(4))
    line = "true"

    def words(self, test, names):
        is_spread = isinstance(test, suite.Spread)
        return ["sh", "-c", f"echo {shlex.quote(self.spread)}" if is_spread else self.line]


class Missing(LAUNCHERS["oshrun"]):
    packages = {"launch-nothing": "nowhere"}


class Suite(unittest.TestCase):
    def run_suite(self, launcher, *options):
        with tempfile.TemporaryDirectory() as build, mock.patch.dict(LAUNCHERS, told=launcher), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            tests = {"spec.a.n4": "4", "spec.b.n2": "2", "spec.c.n1": "1", "unit.d": "4"}
            Path(build, "CTestTestfile.cmake").write_text("".join(
                f'add_test({name} "{RUN_PROGRAM}" "--limit" "20" "--expect" "fine" "--" "/bin/oshrun" "-n" "{n}" "prog")\n'
                for name, n in tests.items()) + 'set_tests_properties(spec.a.n4 PROPERTIES ENVIRONMENT "WEFT_TEST_SLOW=2")\n')
            with mock.patch.object(sys, "argv", ["suite.py", build, "--launcher", "told", *options]):
                code = suite.main()
        return code, said.getvalue()

    def launcher(self, **what):
        return type("Special", (Told,), what)

    def test_tests_of_several_pes_are_run(self):
        code, said = self.run_suite(self.launcher(line="echo fine"))
        self.assertEqual(code, 0, said)
        self.assertIn("told on 2 hosts: 2 of 2 passed", said)
        code, said = self.run_suite(self.launcher(line="echo fine"), "-R", "a", "--list")
        self.assertEqual((code, said), (0, "spec.a.n4\n"))

    def test_a_test_may_fail(self):
        for line in ("echo fine; exit 1", "echo bad"):
            code, said = self.run_suite(self.launcher(line=line))
            self.assertEqual(code, 1)
            self.assertIn("0 of 2 passed\n    failed: spec.a.n4", said)

    def test_more_time_is_more_for_the_programs_watchdog_too(self):
        line = 'test "$WEFT_TEST_SLOW" = 6 && echo fine'
        code, said = self.run_suite(self.launcher(line=line), "-R", "a", "--limit", "60")
        self.assertEqual(code, 0, said)
        code, said = self.run_suite(self.launcher(line=line), "-R", "a")
        self.assertEqual(code, 1, said)

    def test_what_is_left_on_another_host_is_a_failure(self):
        for line, left in (("ssh node2 'sleep 100 >/dev/null 2>&1 &'", r"node2: process \d+ sleep 100"),
                           ("ssh node2 touch /dev/shm/weft.x", "node2: /dev/shm/weft.x")):
            code, said = self.run_suite(self.launcher(line=f"echo fine; {line}"), "-R", "a")
            self.assertEqual(code, 1, said)
            self.assertRegex(said, left)

    def test_pes_that_are_not_spread_are_noticed(self):
        code, said = self.run_suite(self.launcher(line="echo fine", spread=Told.spread.replace("node2", "node1")))
        self.assertEqual(code, 1)
        self.assertIn("the PEs are not where they should be", said)

    def test_a_launcher_that_is_not_there_is_told(self):
        code, said = self.run_suite(Missing)
        self.assertEqual(code, 77)
        self.assertIn("told on 2 hosts: not run: launch-nothing is not there (Debian's package nowhere)", said)


if __name__ == "__main__":
    run_tests()
