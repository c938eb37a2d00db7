"""The fenced blocks of a Markdown page, and what their marks say. docs/README.md describes the marks."""

import re
from dataclasses import dataclass, field

PROGRAMS = {"c": ".c", "c++": ".cpp", "fortran": ".f90"}
FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
GIVEN = re.compile(r"<!-- given:\s*(.*?)\s*-->\s*\Z", re.DOTALL)
FLAGS = {"fragment", "declarations", "compile", "output", "unordered", "figure"}
VALUES = {"pes": r"\d+", "exit": r"\d+|nonzero", "file": r"[\w.-]+"}
ALLOWED = {  # by language; every block may also be skipped
    "c": {"fragment", "declarations", "compile", "pes", "exit", "file"},
    "sh": {"exit"},
    "text": {"output", "unordered", "figure"},
}
ALLOWED["c++"] = ALLOWED["c"]
ALLOWED["fortran"] = ALLOWED["c"] - {"declarations", "fragment"}
WHOLE = 2  # PEs that run a program which does not say how many


class Unknown(Exception):
    """A block that says something which nobody understands, or nothing."""


@dataclass
class Block:
    line: int  # of its first line of content
    language: str
    text: str
    marks: dict = field(default_factory=dict)
    given: str = ""  # what the comment before it says
    skip: str = ""   # the reason

    def has(self, mark):
        return mark in self.marks


def read_marks(block, words):
    language, _, rest = words.partition(" ")
    if not language:
        raise Unknown("has no language; name one, or write `text figure`")
    block.language = language
    if rest.startswith("skip:"):
        block.skip = rest.removeprefix("skip:").strip()
        if len(block.skip.split()) < 2:
            raise Unknown("is skipped without a reason")
        return
    for word in rest.split():
        name, equals, value = word.partition("=")
        if name not in ALLOWED.get(language, {"file"}):
            raise Unknown(f"has the mark '{word}', which a {language} block cannot have")
        if equals and not (name in VALUES and re.fullmatch(VALUES[name], value)):
            raise Unknown(f"has the mark '{word}', whose value is not understood")
        if not equals and name not in FLAGS:
            raise Unknown(f"has the mark '{word}', which needs a value")
        block.marks[name] = value
    if language not in ALLOWED and not block.has("file"):
        raise Unknown(f"is of the language '{language}', of which nothing can be tested; write file=NAME or skip: and why")
    if language == "text" and block.has("output") == block.has("figure"):
        raise Unknown("must be marked `text output` (of the block before) or `text figure`")


def read_blocks(page):
    """The blocks of a page's text. Raises Unknown, with the line."""
    blocks, before, fence = [], [], None
    for number, line in enumerate(page.splitlines(), 1):
        found = FENCE.match(line)
        if fence is None:
            if found:
                indent, fence, words = len(found.group(1)), found.group(2), found.group(3).strip()
                block = Block(number + 1, "", "")
                given = GIVEN.search("\n".join(before))
                block.given = given.group(1) if given else ""
                try:
                    read_marks(block, words)
                except Unknown as problem:
                    raise Unknown(f"{number}: the block {problem}") from None
            else:
                before.append(line)
        elif found and found.group(2).startswith(fence) and not found.group(3).strip():
            blocks.append(block)
            before, fence = [], None
        else:
            block.text += line[indent:] + "\n" if not line[:indent].strip() else line + "\n"
    if fence is not None:
        raise Unknown(f"{block.line - 1}: the block does not end")
    for earlier, later in zip([None, *blocks], blocks):
        runs = earlier and not earlier.skip and (earlier.language == "sh" or earlier.language in PROGRAMS)
        if later.has("output") and not runs:
            raise Unknown(f"{later.line - 1}: the block is the output of none that was run")
    return blocks


def like(line, have):
    parts = [re.escape(part) for part in line.rstrip().split("...")]
    return re.fullmatch(".*".join(parts) + r"\s*", have) is not None


def in_order(want, have):
    if not want:
        return not have
    if want[0].strip() == "...":
        return any(in_order(want[1:], have[k:]) for k in range(len(have) + 1))
    return bool(have) and like(want[0], have[0]) and in_order(want[1:], have[1:])


def matches(expected, said, unordered):
    """Whether what was said is what was expected, "..." standing for anything in a line, or as a line for any lines."""
    want, have = expected.strip("\n").splitlines(), said.strip("\n").splitlines()
    if not unordered:
        return in_order(want, have)
    for line in want:
        found = next((h for h in have if like(line, h)), None)
        if found is None:
            return False
        have.remove(found)
    return not have
