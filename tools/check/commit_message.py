#!/usr/bin/env python3
"""Checks the form of commit messages: a title such as `heap: round sizes up to pages`, at most 60 characters.

usage: commit_message.py FILE            a message (the commit-msg hook)
       commit_message.py --log RANGE     the commits of a range, such as origin/main..HEAD
"""

import re
import subprocess
import sys
from pathlib import Path

TITLE = re.compile(r"^[a-z/-]+: [a-z]")  # programs have dashes in their names
FREE = ("Merge ", "Revert ")


def problems_of(message):
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    title = lines[0] if lines else ""
    if title.startswith(FREE):
        return []
    found = []
    if not TITLE.match(title):
        found.append(f"title '{title}': write 'room: what it does now', in small letters")
    if len(title) > 60:
        found.append(f"title '{title}': {len(title)} characters, at most 60")
    if len(lines) > 1 and lines[1]:
        found.append(f"title '{title}': the line after the title must be empty")
    return found


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--log":
        log = subprocess.run(["git", "log", "--format=%B%x00", sys.argv[2]], capture_output=True, text=True, check=True)
        messages = [message.strip("\n") for message in log.stdout.split("\0")]
    elif len(sys.argv) == 2:
        messages = [Path(sys.argv[1]).read_text()]
    else:
        raise SystemExit(__doc__)
    problems = [problem for message in messages if message for problem in problems_of(message)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
