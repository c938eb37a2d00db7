#!/usr/bin/env python3
"""./dev and the files around it: what a newcomer meets first."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def dev(*arguments, **environment):
    return subprocess.run([str(TOP / "dev"), *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})


class Dev(unittest.TestCase):
    def test_help_names_every_command(self):
        text = dev("help").stdout
        script = (TOP / "dev").read_text()
        for command in re.findall(r"^cmd_([\w-]+)\(\)", script, flags=re.M):
            self.assertIn(f"  {command}", text)
            self.assertRegex(script, rf"(?m)^  demo .*\| {command} ?[|)]|^  {command} \|", command)

    def test_an_unknown_command_is_one_clear_line(self):
        done = dev("dance")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "dev: there is no command 'dance'; ./dev help lists them\n")

    def test_an_option_is_no_place_to_install_to(self):
        for words in (("--prefix=here",), ("--prefix", "here"), ("-h",), ()):
            done = dev("install", *words)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"^dev: install takes .*\n$")
        self.assertFalse(list(TOP.glob("--prefix*")))

    def test_a_share_has_a_number(self):
        for words in (("asan",), ("",), ("-1",), ("1", "2")):
            for command in (("test-share",), ("lint", "--share")):
                done = dev(*command, *words)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, f"dev: '{' '.join(words)}' is no share; give one number, such as the hours "
                                              "since 1970 began\n")

    def test_shares_of_lint_are_all_files(self):
        files = dev("tidied").stdout.splitlines()
        self.assertIn("src/rma/order.cpp", files)
        shares = [dev("tidied", str(number)).stdout.splitlines() for number in range(16, 32)]
        for number, share in enumerate(shares):
            self.assertLessEqual(set(files[number::16]), set(share))
            self.assertEqual(share, sorted(set(share)))
        self.assertEqual(sorted(set().union(*shares)), files)

    def test_touched_takes_a_revision(self):
        self.assertEqual(dev("test", "--touched", "no-such-thing").stderr, "dev: git knows no revision 'no-such-thing'\n")
        self.assertRegex(dev("test", "--touched", "HEAD", "x").stderr, r"^dev: --touched takes one revision: .*\n$")

    def test_install_asks_for_its_argument(self):
        done = dev("install")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_what_is_missing_without_root_is_one_clear_line(self):
        """A PATH with next to nothing on it, and an id that says we are not root."""
        with tempfile.TemporaryDirectory() as folder:
            tools = Path(folder)
            for name in ("bash", "dirname", "cat", "nproc", "env"):
                (tools / name).symlink_to(subprocess.run(["which", name], capture_output=True, text=True,
                                                         check=True).stdout.strip())
            (tools / "id").write_text("#!/bin/sh\necho 1000\n")
            (tools / "apt-get").write_text("#!/bin/sh\nexit 1\n")
            for name in ("id", "apt-get"):
                (tools / name).chmod(0o755)
            # The interpreter line of a script of /bin/sh needs no PATH.
            done = dev("setup", "build", PATH=folder, WEFT_SKIP_SETUP="")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertRegex(done.stderr, r"run: apt-get update && apt-get install -y build-essential .*cmake")
            (tools / "apt-get").unlink()
            done = dev("setup", "build", PATH=folder, WEFT_SKIP_SETUP="")
            self.assertRegex(done.stderr, r"^dev: these packages \(Debian's names\) are needed.*ninja-build")

    def test_every_preset_of_the_readme_is_there(self):
        presets = {preset["name"] for preset in json.loads((TOP / "CMakePresets.json").read_text())["configurePresets"]}
        self.assertLessEqual({"dev", "release", "asan", "tsan", "clang"}, presets)

    def test_a_build_without_tests_links_its_examples(self):
        """As ./dev demo and ./dev install build: the words of an example's test once became libraries there."""
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run(["cmake", "-G", "Ninja", "-S", TOP, "-B", folder, "-DWEFT_TESTS=OFF", "-DWEFT_BENCH=OFF"],
                                  capture_output=True, text=True, timeout=250, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            commands = subprocess.run(["ninja", "-C", folder, "-t", "commands", "examples/all"], capture_output=True,
                                      text=True, timeout=60, check=True).stdout.splitlines()
        links = [line for line in commands if re.search(r" -o examples/\S+/example_\w+ ", line)]
        self.assertGreater(len(links), 10)
        for line in links:
            self.assertNotRegex(line, r" -l(?!pthread\b|m\b)")

    def test_ci_runs_what_the_readme_names(self):
        self.assertIn("./dev test", (TOP / ".ci/run").read_text().splitlines())
        self.assertIn("./dev test-share", (TOP / ".ci/run").read_text().splitlines())
        readme = (TOP / "README.md").read_text()
        for command in ("./dev demo", "./dev test", "./dev install"):
            self.assertIn(command, readme)


if __name__ == "__main__":
    unittest.main()
