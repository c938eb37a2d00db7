"""KMP_*: what programs of clang have of them, which those of gcc do not know, and which lines are told of the others.

usage: kmp_test.py FOLDER CLANG'S GCC'S
"""
import os
import subprocess
import sys
import unittest

FOLDER, CLANGS, GCCS = (sys.argv.pop(1) for _ in range(3))


def run(program, **variables):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_", "KMP_"))}
    clean |= {"LD_LIBRARY_PATH": FOLDER, "OMP_DISPLAY_ENV": "verbose"} | variables
    done = subprocess.run([program], env=clean, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


class Kmp(unittest.TestCase):
    def test_what_is_heeded(self):
        for variables, shown in (({"KMP_STACKSIZE": "4194304"}, "OMP_STACKSIZE = '4194304'"),
                                 ({"KMP_STACKSIZE": "4m"}, "OMP_STACKSIZE = '4194304'"),
                                 ({"KMP_STACKSIZE": "4m", "OMP_STACKSIZE": "2M"}, "OMP_STACKSIZE = '2097152'"),
                                 ({"KMP_BLOCKTIME": "infinite"}, "OMP_WAIT_POLICY = 'ACTIVE'"),
                                 ({"KMP_LIBRARY": "turnaround"}, "OMP_WAIT_POLICY = 'ACTIVE'"),
                                 ({"KMP_BLOCKTIME": "infinite", "OMP_WAIT_POLICY": "passive"}, "OMP_WAIT_POLICY = 'PASSIVE'"),
                                 ({"KMP_DEVICE_THREAD_LIMIT": "64"}, "OMP_THREAD_LIMIT = '64'"),
                                 ({"KMP_ALL_THREADS": "65"}, "OMP_THREAD_LIMIT = '65'"),
                                 ({"KMP_TEAMS_THREAD_LIMIT": "7"}, "OMP_TEAMS_THREAD_LIMIT = '7'")):
            with self.subTest(variables=variables):
                self.assertIn(shown, run(CLANGS, **variables))
                if not any(name.startswith("OMP_") for name in variables):
                    self.assertNotIn(shown, run(GCCS, **variables))

    def test_a_schedule_that_nobody_can_read(self):
        for value in ("", " ", "fast", "static,x", "dynamic,x", "monotonic:x", "monotonic:dynamic,x"):
            with self.subTest(value=value):
                self.assertIn("OMP_SCHEDULE = 'STATIC'", run(CLANGS, OMP_SCHEDULE=value))
        self.assertIn("OMP_SCHEDULE = 'DYNAMIC'", run(GCCS, OMP_SCHEDULE="fast"))

    def test_a_time_that_nobody_can_read(self):
        for value in ("", "soon", "-1", "200ms"):
            with self.subTest(value=value):
                line = "Invalid value for environment variable KMP_BLOCKTIME"
                self.assertEqual(run(CLANGS, KMP_BLOCKTIME=value).count(line), 1)
                self.assertNotIn(line, run(GCCS, KMP_BLOCKTIME=value))

    def test_what_is_not(self):
        line = "OMP: Warning: KMP_AFFINITY=compact is not heeded: OMP_PROC_BIND and OMP_PLACES say where threads run"
        self.assertIn(line, run(CLANGS, KMP_AFFINITY="compact"))
        self.assertNotIn("heeded", run(CLANGS, KMP_AFFINITY="compact", KMP_WARNINGS="0"))
        self.assertNotIn("heeded", run(CLANGS, KMP_AFFINITY="none", KMP_DUPLICATE_LIB_OK="TRUE"))
        self.assertNotIn("heeded", run(CLANGS, KMP_AFFINITY="disabled"))
        self.assertNotIn("heeded", run(GCCS, KMP_AFFINITY="compact"))


if __name__ == "__main__":
    unittest.main()
