#!/usr/bin/env python3
"""The three tiers of tests: each test is in one of them, and all are run by something.

usage: tiers_test.py BUILD
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TOOLS = TOP / "tools/tests"
BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else TOP / "build/dev"
sys.path.insert(0, str(TOOLS))
import slowest  # noqa: E402  (both are in a folder of their own)
import touched  # noqa: E402


def known(*arguments):
    """{test: its properties}, those whose program was not built left out"""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1", *arguments], capture_output=True,
                            text=True, timeout=120, check=True).stdout
    return {test["name"]: {p["name"]: p["value"] for p in test.get("properties", [])}
            for test in json.loads(listed)["tests"] if not test["name"].endswith("_NOT_BUILT")}


def touched_by(*files):
    return touched.folders_of(TOP, files)


class Tiers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tests = known()

    def of(self, tier):
        return {name for name, properties in self.tests.items() if tier in properties.get("LABELS", [])}

    def test_each_test_is_in_one(self):
        for name, properties in self.tests.items():
            tiers = [label for label in properties.get("LABELS", []) if label.startswith("tier")]
            self.assertEqual(len(tiers), 1, f"{name}: {tiers}; cmake/WeftTest.cmake says how tests get their tier")
            self.assertIn(tiers[0], ("tier1", "tier2", "tier3"))
        for tier in ("tier1", "tier2", "tier3"):
            self.assertTrue(self.of(tier), tier)

    def test_every_run_of_ci_has_two_of_them_and_shares_have_the_third(self):
        script = (TOP / "dev").read_text()
        expression = re.search(r"local -a tiers=\(-L '(.*)'\)", script)[1]
        shares = int(re.search(r" shares=(\d+)", script)[1])
        run = known("-L", expression).keys()
        self.assertEqual(run, self.of("tier1") | self.of("tier2"))
        parts = [known("-L", "^tier3$", "-I", f"{k},,{shares}").keys() for k in range(1, shares + 1)]
        self.assertGreater(min(map(len, parts)), 0)
        self.assertLess(max(map(len, parts)), len(self.of("tier3")))
        self.assertEqual(set().union(run, *parts), set(self.tests))
        for number, rule in ((7, "share % shares + 1"), (0, "share % shares + 1")):  # what dev gives to -I counts from 1
            self.assertIn(rule, script)
            self.assertIn(number % shares + 1, range(1, shares + 1))
        # Of two numbers running one is of the third tier, and both kinds of shares count all of their own numbers.
        self.assertIn("if ((share % 2 == 0)); then\n    test_third_tier \"$((share / 2))\"", script)
        self.assertIn("else\n    test_under_a_preset \"$((share / 2))\"", script)

    def test_each_test_has_a_time_limit(self):
        for name, properties in self.tests.items():
            self.assertGreaterEqual(properties.get("TIMEOUT", 0), 30, name)

    def test_programs_of_many_pes_have_processors(self):
        for name, least, most in (("multi.crowd.n7", 2, 2), ("multi.crowd.n32", 5, 64), ("multi.crowd.n64", 5, 64)):
            if name in self.tests:  # sanitizers take fewer PEs
                self.assertIn(int(self.tests[name]["PROCESSORS"]), range(least, most + 1), name)

    def test_the_parts_of_presets_are_all_folders(self):
        script = (TOP / "dev").read_text()
        parts = int(re.search(r" parts=(\d+)", script)[1])
        folders = touched.all_folders(TOP, touched.read_layers(TOP / "tools/layers.txt"))
        pattern = re.search(r"touched.py --all \| grep -vE '(.*)'", script)[1]
        left_out = {folder for folder in folders if re.search(pattern, folder)}
        self.assertEqual(left_out, {"tests/docs", "tests/meta"})  # the same under every preset
        self.assertLessEqual(parts, len(folders) - len(left_out))  # none is empty
        self.assertIn('k = share / 3 % parts; k < ${#folders[@]}; k += parts', script)


class Touched(unittest.TestCase):
    def test_each_folder_of_the_first_tier_is_known(self):
        folders = touched.all_folders(TOP, touched.read_layers(TOP / "tools/layers.txt"))
        for name, properties in known("-L", "^tier1$").items():
            place = Path(properties["WORKING_DIRECTORY"]).resolve().relative_to(BUILD).as_posix()
            self.assertTrue(any(touched.below(place, folder) for folder in folders), f"{name}: no line for {place}")

    def test_each_name_is_there(self):
        layers = touched.read_layers(TOP / "tools/layers.txt")
        for folder, names in touched.read_table(TOP / "tests/touched.txt").items():
            self.assertTrue((TOP / folder).is_dir(), folder)
            for name in names:
                self.assertTrue(name in layers or (TOP / name).exists(), f"{folder}: {name}")

    def test_a_room_and_those_above(self):
        coll = touched_by("src/coll/reduce/words.cpp")
        self.assertLessEqual({"tests/unit/coll", "tests/spec/collectives", "tests/spec/setup", "tests/meta"}, set(coll))
        self.assertTrue({"tests/unit/lock", "tests/spec/rma", "tests/unit/launch_rules", "tests/docs"}.isdisjoint(coll))
        self.assertEqual(set(touched_by("src/launch/hosts/link.cpp")),
                         {"tests/unit/launch_hosts", "tests/spec/launcher", "tests/fuzz", "tests/meta", "tests/mpiexec",
                          "tests/tools"})

    def test_what_concerns_all(self):
        for file in ("src/base/result.hpp", "api/options.def", "cmake/WeftRoom.cmake", "CMakeLists.txt"):
            self.assertGreater(len(touched_by(file)), 35, file)

    def test_files_of_tests_and_pages(self):
        self.assertEqual(set(touched_by("tests/spec/rma/c08_03_order.c")), {"tests/spec/rma", "tests/meta"})
        self.assertEqual(set(touched_by("tests/spec/README.md")), {"tests/meta"})
        self.assertEqual(set(touched_by("src/coll/README.md")), {"tests/meta"})
        self.assertEqual(set(touched_by("docs/guide/running.md")), {"tests/docs", "tests/meta"})
        shared = touched_by("tests/spec/check.h")
        self.assertEqual({folder for folder in shared if not folder.startswith("tests/spec/")}, {"tests/meta"})
        self.assertGreater(len(shared), 15)

    def test_a_plan_names_programs_of_other_folders(self):
        """safe.right.* run programs of tests/spec."""
        if "safe.right.spec_9_2.n3" not in known("-R", "safe.right.spec_9_2"):
            self.skipTest("no safe mode with sanitizers")
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder).resolve() / "build"
            (build / "tests").mkdir(parents=True)
            for name in ("safe", "meta"):
                (build / "tests" / name).mkdir()
            program = build / "tests/spec/amo/spec_9_2"
            (build / "build.ninja").write_text("rule link\n  command = false\nbuild bin/oshrun: link\n"
                                               "build tests/spec/amo/spec_9_2: link\nbuild tests/far: link\n"
                                               "build test: link\n")
            (build / "tests/safe/CTestTestfile.cmake").write_text(
                f'add_test(one "/bin/sh" "{build}/bin/oshrun" "-n" "2" "{program}" "{build}/bin/script" test)\n'
                f'add_test(two "{build}/tests/far")\nset_tests_properties(one PROPERTIES LABELS "safe;tier1")\n'
                'set_tests_properties(two PROPERTIES LABELS tier3)\n')
            self.assertEqual(touched.make_plan(TOP, build, ["tests/safe", "tests/meta"]),
                             ["tests/safe/all", "src/check/all", "bin/oshrun", "tests/spec/amo/spec_9_2"])


class Slowest(unittest.TestCase):
    def test_ten_of_them_whatever_they_print(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = "".join(f'add_test("a &lt;{k}&gt;" sh -c "printf \'\\\\1<testcase name=\\"x\\" time=\\"99\\"\'")\n'
                            for k in range(12)).replace("&lt;", "<").replace("&gt;", ">")
            (Path(folder) / "CTestTestfile.cmake").write_text(lines + 'add_test(long sleep 0.3)\n')
            subprocess.run(["ctest", "--test-dir", folder, "--output-junit", "times.xml"], capture_output=True, timeout=60,
                           check=True)
            done = subprocess.run([sys.executable, TOOLS / "slowest.py", Path(folder) / "times.xml"], capture_output=True,
                                  text=True, check=True).stdout.splitlines()
        self.assertEqual(done[0], "the slowest 10 tests:")
        self.assertEqual(len(done), 11)
        self.assertRegex(done[1], r"^ +0\.[3-9] s  long$")
        self.assertRegex(done[2], r"^ +0\.\d s  a <\d+>$")

    def test_of_few(self):
        self.assertEqual(slowest.slowest('\t<testcase name="a" classname="a" time="1.5" status="run"/>\n'), [(1.5, "a")])


if __name__ == "__main__":
    unittest.main()
