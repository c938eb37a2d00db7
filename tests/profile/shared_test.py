"""Profiles of programs that share memory by loads and stores: on one machine's memory, and by pages."""
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
KNOWN = os.path.join(PROGRAMS, "profile_shared_known")
OPENMP = os.environ["WEFT_TEST_OPENMP"]
PAGES = 64


class Shared(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="weft-shared-profile-test-")
        self.addCleanup(place.cleanup)
        self.folder = os.path.join(place.name, "profile")
        self.json = None

    def run_job(self, way, program, *args, n=2, **environment):
        done = subprocess.run([OSHRUN, "-n", str(n), f"--profile={self.folder}", program, *args], text=True,
                              env={**os.environ, "WEFT_SHARED_BY": way, **environment}, capture_output=True, check=False,
                              timeout=120)
        with open(os.path.join(self.folder, "profile.json"), encoding="utf-8") as file:
            self.json = json.load(file)
        return done

    def check_pages(self):
        """What is known of the program, whatever the protocol has fetched and dropped besides."""
        shared = self.json["shared_pages"]
        first, second = shared["pes"][:2]
        self.assertEqual([first["way"], second["way"]], ["pages"] * 2)
        self.assertGreaterEqual(first["claimed"], PAGES)
        self.assertEqual((first["locks"], second["locks"]), (10, 10))
        self.assertGreaterEqual(second["came"], PAGES)
        self.assertEqual(second["came_bytes"], second["came"] * shared["page_bytes"])
        self.assertGreaterEqual(second["twins"], PAGES)
        self.assertGreaterEqual(second["sent"], PAGES)
        self.assertGreaterEqual(second["sent_bytes"], 4 * PAGES)
        self.assertLess(second["sent_bytes"], 5 * PAGES)
        self.assertGreater(second["read_faults"], 0)
        self.assertGreater(second["write_faults"], 0)
        self.assertGreater(first["write_faults"], 0)
        for number, pe in enumerate((first, second)):
            for name in ("fault_seconds", "order_seconds", "barrier_seconds"):
                self.assertGreater(pe[name], 0, name)
                self.assertLess(pe[name], 60, name)
            self.assertEqual(sum(row[2] for row in shared["fetched"] if row[0] == number), pe["came"])
            self.assertEqual(sum(row[2] for row in shared["sent"] if row[0] == number), pe["sent"])
            self.assertEqual(sum(row[3] for row in shared["sent"] if row[0] == number), pe["sent_bytes"])
        self.assertEqual(sum(each["fetched"] for each in shared["moved"]), first["came"] + second["came"])
        # Most of all what lies there: 64 pages, one behind the other.
        most = shared["moved"][0]
        self.assertEqual(most["bytes"], PAGES * shared["page_bytes"])
        self.assertRegex(most["name"], r"^main(\+0x[0-9a-f]+| at .*shared_known\.c:\d+)$")

    def test_pages(self):
        done = self.run_job("pages", KNOWN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.json["interface"], "Shared Pages")
        self.check_pages()
        self.assertEqual([pe["end"] for pe in self.json["shared_pages"]["pes"]], ["finalized"] * 2)
        self.assertIn("profile of profile_shared_known: 2 PEs", done.stderr)
        self.assertIn("shared pages ", done.stderr)
        self.assertIn("memory that moved", done.stderr)
        self.assertNotIn("symmetric heap", done.stderr)

    def test_memory(self):
        done = self.run_job("memory", KNOWN)
        self.assertEqual(done.returncode, 0, done.stderr)
        for pe in self.json["shared_pages"]["pes"]:
            self.assertEqual(pe["way"], "memory")
            self.assertEqual((pe["locks"], pe["came"], pe["read_faults"], pe["twins"]), (10, 0, 0, 0))
        self.assertIn("all PEs have the same, so no page moved; 20 locks taken", done.stderr)

    def test_beside_calls(self):
        done = self.run_job("pages", KNOWN, "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.json["interface"], "OpenSHMEM")
        self.assertIn("shmem_barrier_all", [each["name"] for each in self.json["routines"]])
        self.check_pages()

    def test_a_pe_is_killed(self):
        done = self.run_job("pages", KNOWN, "kill")
        self.assertEqual(done.returncode, 128 + 9)
        self.assertEqual([pe["end"] for pe in self.json["shared_pages"]["pes"]], ["killed"] * 2)
        self.check_pages()
        self.assertIn("was ended while it shared memory", done.stderr)

    def test_nothing_without_shared_memory(self):
        done = self.run_job("pages", os.path.join(PROGRAMS, "profile_known"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("shared_pages", self.json)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("pages.")], [])

    def test_a_folder_that_cannot_be(self):
        """The program goes on, and says why there is no profile."""
        done = subprocess.run([KNOWN], env={**os.environ, "WEFT_PROFILE": "/dev/null/below"}, capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertEqual(done.stderr.count("WEFT_PROFILE: cannot make the folder /dev/null/below"), 1, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_other_versions_and_damage(self):
        self.run_job("pages", KNOWN)
        path = os.path.join(self.folder, "pages.1.weft")
        with open(path, "rb") as file:
            sound = file.read()
        layout = struct.calcsize("<Q")
        for wrong, line in ((sound[:layout] + b"\xff" + sound[layout + 1:], "was written by another version of Weft"),
                            (sound[:-1], "is damaged: its end is missing"), (b"", "is too short to be a recording"),
                            (b"x" + sound[1:], "is not a recording of Weft's pages")):
            with open(path, "wb") as file:
                file.write(wrong)
            done = subprocess.run([WEFT_PROFILE, self.folder], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertIn(f"{path} {line}", done.stderr)

    @unittest.skipUnless(os.path.exists(OPENMP), "no OpenMP program was built")
    def test_openmp(self):
        done = self.run_job("pages", OPENMP, OMP_NUM_THREADS="2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.json["interface"], "OpenMP")
        shared = self.json["shared_pages"]
        self.assertEqual([pe["end"] for pe in shared["pes"]], ["finalized"] * 2)
        for pe in shared["pes"]:
            self.assertGreater(pe["came"], 0)
        self.assertNotIn("weft_shared_", done.stderr)
        # Its large arrays, which threads of both write.
        named = {each["name"].partition(".")[0]: each for each in shared["moved"]}
        self.assertGreaterEqual(named["times"]["bytes"], 8192, shared["moved"])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
