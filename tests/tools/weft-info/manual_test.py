#!/usr/bin/env python3
"""docs/man/weft-info.1 knows the options of --help and the topics of --check, and can be formatted.

usage: manual_test.py WEFT_INFO [unittest's arguments]
"""

import json
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

MANUAL = Path(__file__).resolve().parents[3] / "docs/man/weft-info.1"
SOURCES = Path(__file__).resolve().parents[3] / "tools/weft-info"
WEFT_INFO = sys.argv.pop(1)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class Manual(unittest.TestCase):
    def test_options(self):
        lines = [line.split("  ")[1] for line in run(WEFT_INFO, "--help").stdout.splitlines() if line.startswith("  -")]
        said = set(re.findall(r"--?[A-Za-z][a-z-]*", " ".join(lines)))
        described = set()
        for line in MANUAL.read_text().splitlines():
            if line.startswith(".It Fl "):
                described.update("-" * dashes.count("Fl") + name
                                 for dashes, name in re.findall(r"((?:Fl )+)([A-Za-z][\w-]*)", line))
        self.assertEqual(described, said)
        self.assertIn("--check", said)

    def test_topics(self):
        text = MANUAL.read_text()
        topics = text[text.index("The topics:"):text.index(".Sh ENVIRONMENT")]
        described = re.findall(r"^\.It Cm (\S+)$", topics, re.MULTILINE)
        said = [finding["topic"] for finding in json.loads(run(WEFT_INFO, "--json", "--check", "-n", "1").stdout)["check"]["findings"]]
        self.assertEqual([topic for topic in described if topic != "variables"],
                         [topic for topic in said if topic != "variables"])
        sources = "".join(path.read_text() for path in SOURCES.glob("judge*.cpp"))
        for topic in described:
            self.assertIn(f'"{topic}", Level::', sources)

    def test_it_can_be_formatted(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not there")
        done = run("groff", "-mandoc", "-Tascii", "-wall", str(MANUAL))
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
