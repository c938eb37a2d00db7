"""Profiles of programs whose calls are known: what profile.json says of them, and what the terminal shows."""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

OSHRUN = os.environ["WEFT_TEST_OSHRUN"]
WEFT_PROFILE = os.environ["WEFT_TEST_PROFILE"]
PROGRAMS = os.environ["WEFT_TEST_PROGRAMS"]


class Run:
    """A job with a profile."""

    def __init__(self, folder, n_pes, program, *args, environment=None, profile=True):
        self.folder = folder
        extra = {"WEFT_PROFILE": folder} if profile else {}
        command = [OSHRUN, "-n", str(n_pes)] if n_pes else []
        self.done = subprocess.run([*command, program, *args], env={**os.environ, **extra, **(environment or {})},
                                   capture_output=True, text=True, check=False, timeout=120)
        path = os.path.join(folder, "profile.json")
        self.json = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.json = json.load(file)

    def routine(self, name):
        return next((each for each in self.json["routines"] if each["name"] == name), None)

    def pairs(self, kind):
        return {(source, to): (count, size) for source, to, count, size in self.json["pairs"][kind]}


class Profile(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="weft-profile-test-")
        self.addCleanup(self.place.cleanup)
        self.folder = os.path.join(self.place.name, "profile")

    def run_job(self, n_pes, program, *args, **more):
        return Run(self.folder, n_pes, os.path.join(PROGRAMS, program), *args, **more)

    def check_known(self, n):
        run = self.run_job(n, "profile_known")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        count_and_bytes = {
            "shmem_long_p": (10, 80), "shmem_long_put": (10, 8000), "shmem_putmem_nbi": (10, 30), "shmem_long_g": (10, 80),
            "shmem_long_get": (10, 80000), "shmem_long_atomic_add": (10, 80), "shmem_long_atomic_set": (1, 8),
            "shmem_double_sum_reduce": (1, 32), "shmem_barrier_all": (2, 0), "shmem_long_wait_until": (1, 0),
            "shmem_set_lock": (1, 0), "shmem_clear_lock": (1, 0), "shmem_quiet": (1, 0), "shmem_malloc": (1, 8000),
            "shmem_free": (1, 0), "shmem_init": (1, 0), "shmem_finalize": (1, 0), "shmem_my_pe": (1, 0)}
        for name, (count, size) in count_and_bytes.items():
            found = run.routine(name)
            self.assertIsNotNone(found, name)
            self.assertEqual((found["count"], found["bytes"]), (n * count, n * size), name)
            self.assertEqual(found["pe_counts"], [count] * n, name)
        in_team = n // 2 if n > 1 else 0
        put = run.routine("shmem_ctx_long_put")
        self.assertEqual((put["count"], put["bytes"]) if put else (0, 0), (in_team, in_team * 40))

        puts, gets, atomics = {}, {}, {}
        for pe in range(n):
            add(puts, pe, (pe + 1) % n, 20, 8080)
            add(puts, pe, 0, 10, 30)
            add(gets, pe, (pe + 1) % n, 20, 80080)
            add(atomics, pe, 0, 10, 80)
            add(atomics, pe, (pe + 1) % n, 1, 8)
            if n > 1 and pe % 2 == 1:
                add(puts, pe, 1, 1, 40)
        self.assertEqual(run.pairs("put"), puts)
        self.assertEqual(run.pairs("get"), gets)
        self.assertEqual(run.pairs("atomic"), atomics)
        sizes = {(each["from"], each["to"]): each["count"] for each in run.json["sizes"]["put"]}
        self.assertEqual(sizes[2, 3], 10 * n)
        self.assertEqual(sizes[8, 15], 10 * n)
        self.assertEqual(sizes[512, 1023], 10 * n)

        for pe in run.json["pes"]:
            self.assertEqual(pe["end"], "finalized")
            self.assertEqual(pe["heap_peak"], 8000)
            self.assertGreater(pe["seconds"], 0)
            self.assertLessEqual(pe["in_weft"], pe["seconds"] * 1.001)
            team = 1 if in_team > 1 and pe["pe"] % 2 == 1 else 0
            self.assertEqual(pe["meetings"], 4 + team if n > 1 else 0)
        self.check_late(run, n)
        self.check_sites(run)
        self.assertIn(f"profile of profile_known: {n} PE", run.done.stderr)
        self.assertNotIn("weft:", run.done.stderr)
        self.assertIn(f"{self.folder}/profile.html", run.done.stderr.splitlines()[-1])

    def check_late(self, run, n):
        """The last PE slept 50 ms before a barrier."""
        late = {(waiting, last): seconds for waiting, last, _, seconds in run.json["late"]}
        for pe in range(n - 1):
            self.assertGreaterEqual(late[pe, n - 1], 0.03)
        if n > 1:
            self.assertGreaterEqual(run.json["pes"][n - 1]["times_last"], 1)

    def check_sites(self, run):
        sites = run.json["sites"]
        self.assertEqual(sum(each["count"] for each in sites), sum(each["count"] for each in run.json["routines"]))
        # One place each, though inlined, and in the program.
        for name in ("shmem_long_p", "shmem_long_put", "shmem_quiet"):
            here = [each for each in sites if each["routine"] == name]
            self.assertEqual(len(here), 1, name)
            self.assertTrue(here[0]["module"].endswith("/profile_known"), here)

    def test_calls_that_are_known(self):
        for n in (1, 2, 7):
            with self.subTest(n=n):
                self.check_known(n)

    def test_without_oshrun(self):
        run = self.run_job(0, "profile_known")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertIsNone(run.json)
        done = subprocess.run([WEFT_PROFILE, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("profile of profile_known: 1 PE,", done.stdout)

    def test_the_option_of_oshrun(self):
        def job(*options):
            return subprocess.run([OSHRUN, "-n", "2", *options, os.path.join(PROGRAMS, "profile_known")], text=True,
                                  cwd=self.place.name, capture_output=True, check=False, timeout=120)
        done = job("--profile=a/b", "--wdir", "/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.place.name, "a/b/profile.json")))
        done = job("--env", "WEFT_PROFILE=c", "--wdir", "/")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.place.name, "c/profile.json")))
        done = job("--profile")
        self.assertEqual(done.returncode, 0, done.stderr)
        new = [name for name in os.listdir(self.place.name) if name.startswith("weft-profile.")]
        self.assertEqual(len(new), 1)
        self.assertIn(f"/{new[0]}/profile.html, to open in a browser", done.stderr.splitlines()[-1])
        done = job("--profil=x")
        self.assertIn("did you mean --profile?", done.stderr)

    def test_through_a_shell(self):
        program = os.path.join(PROGRAMS, "profile_known")
        run = Run(self.folder, 2, "sh", "-c", f"true; {program}; true")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.routine("shmem_long_put")["count"], 20)

    def test_nothing_without_being_asked(self):
        run = self.run_job(2, "profile_known", profile=False)
        self.assertEqual((run.done.returncode, run.done.stderr, run.json), (0, "", None))

    def test_a_pe_is_killed(self):
        run = self.run_job(2, "profile_ends", "kill")
        self.assertEqual(run.done.returncode, 128 + 9)
        waiting = run.json["pes"][0]
        self.assertEqual([pe["end"] for pe in run.json["pes"]], ["killed", "killed"])
        self.assertEqual(run.json["sites"][waiting["killed_in"]["site"]]["routine"], "shmem_barrier_all")
        self.assertGreaterEqual(waiting["killed_in"]["seconds"], 0.2)
        self.assertGreaterEqual(waiting["waiting"], 0.2)
        self.assertIn("in shmem_barrier_all", run.done.stderr)

    def test_a_pe_exits(self):
        run = self.run_job(2, "profile_ends", "exit")
        self.assertEqual(run.done.returncode, 3)
        self.assertEqual([pe["end"] for pe in run.json["pes"]], ["killed", "exited"])

    def test_global_exit(self):
        run = self.run_job(2, "profile_ends", "global_exit")
        self.assertEqual(run.done.returncode, 4)
        self.assertEqual(run.json["pes"][1]["end"], "exited")
        self.assertEqual(run.routine("shmem_global_exit")["count"], 1)

    def test_a_program_that_does_not_start_the_library(self):
        run = self.run_job(2, "profile_ends", "never")
        self.assertEqual(run.done.returncode, 0)
        self.assertIn("has no recording", run.done.stderr)
        self.assertIsNone(run.json)

    def test_a_smaller_job_in_the_same_folder(self):
        self.run_job(3, "profile_known")
        run = self.run_job(2, "profile_known")
        self.assertEqual(run.json["n_pes"], 2)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "pe.2.weft")))

    def test_a_folder_that_cannot_be(self):
        with open(os.path.join(self.place.name, "file"), "w", encoding="utf-8"):
            pass
        self.folder = os.path.join(self.place.name, "file", "below")
        run = self.run_job(2, "profile_known")
        self.assertEqual(run.done.returncode, 1)
        self.assertIn("cannot make the folder", run.done.stderr)

    def test_threads(self):
        run = self.run_job(1, "profile_threads")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.routine("shmem_long_p")["count"], 4000)
        self.assertEqual(run.json["pes"][0]["threads"], 5)

    def test_damaged_recordings(self):
        """One byte wrong, or the end missing: a profile, or one line."""
        self.run_job(2, "profile_known")
        path = os.path.join(self.folder, "pe.1.weft")
        with open(path, "rb") as file:
            sound = file.read()
        numbers = struct.calcsize("<QIIQ")  # where the PE's number is, behind what tells one version from another
        wrong = [sound[:at] + bytes([sound[at] ^ 0xff]) + sound[at + 1:] for at in range(numbers, numbers + 64)]
        wrong += [sound[:length] for length in (0, 10, 24575, 24576, 24577, len(sound) - 1)]
        refused = 0
        for each in wrong:
            with open(path, "wb") as file:
                file.write(each)
            done = subprocess.run([WEFT_PROFILE, self.folder], capture_output=True, text=True, check=False, timeout=60)
            self.assertIn((done.returncode, len(done.stderr.splitlines())), ((0, 0), (1, 1)), done.stderr)
            refused += done.returncode
        self.assertGreater(refused, 20)

    def test_a_trace(self):
        run = self.run_job(2, "profile_known", environment={"WEFT_PROFILE_TRACE": "1"})
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        with open(os.path.join(self.folder, "trace.json"), encoding="utf-8") as file:
            events = [each for each in json.load(file)["traceEvents"] if each["ph"] == "X"]
        self.assertEqual(len(events), sum(each["count"] for each in run.json["routines"]))
        puts = [each for each in events if each["name"] == "shmem_long_put" and each["pid"] == 0]
        self.assertEqual([(each["args"]["bytes"], each["args"]["peer"]) for each in puts], [(800, 1)] * 10)
        starts = [each["ts"] for each in events if each["pid"] == 0]
        self.assertEqual(starts, sorted(starts))

    @unittest.skipUnless(os.path.exists(os.path.join(PROGRAMS, "profile_fortran")), "no Fortran compiler")
    def test_fortran(self):
        run = self.run_job(2, "profile_fortran")
        self.assertEqual(run.done.returncode, 0, run.done.stderr)
        self.assertEqual(run.routine("shmem_put64")["count"], 42, run.json["routines"])
        here = [each for each in run.json["sites"] if each["routine"] == "shmem_put64"]
        self.assertEqual([each["module"].rpartition("/")[2] for each in here], ["profile_fortran"] * 2)


def add(pairs, source, to, count, size):
    before = pairs.get((source, to), (0, 0))
    pairs[source, to] = (before[0] + count, before[1] + size)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
