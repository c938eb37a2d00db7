"""The first comment of a wrong program: its mistake in one sentence, and the report of safe mode."""
import re


def read(path):
    """(mistake, lines of the report)"""
    comment = re.match(r"/\*(.*?)\*/", path.read_text(encoding="utf-8"), re.S).group(1)
    lines = [re.sub(r"^ ?\* ?", "", line) for line in comment.strip().split("\n")]
    mistake = lines[0].strip()
    report = [line.strip() for line in lines[1:] if line.strip()]
    return mistake, report


def escaped(text):
    """A regular expression (ECMAScript) for the text itself."""
    return re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", text)


def patterns(lines, with_places):
    """A regular expression for each line. Which PEs it is about, and addresses, may differ; without debug information
    places do too. Of two calls that do not fit either may be the one that is reported."""
    joined = "\n".join(lines)
    two_sides = "where this PE calls" in joined or "; all PEs must give the same" in joined
    numbers = "(" + "|".join(sorted(set(re.findall(r"\.c:(\d+)", joined)))) + ")"
    found = []
    for line in lines:
        text = escaped(line).replace(r"0x\.\.\.", "0x[0-9a-f]+")
        text = re.sub(r"PE \d+", r"PE [0-9]+", text)
        text = re.sub(r"are 0 to \d+", r"are 0 to [0-9]+", text)
        if two_sides:
            text = re.sub(r"shmem_\w+", r"shmem_\\w+", text)
            text = re.sub(r"is \d+ here and \d+ on", r"is [0-9]+ here and [0-9]+ on", text)
            text = re.sub(r"of \d+ bytes", r"of [0-9]+ bytes", text)
            text = re.sub(r"\\\.c:\d+", lambda _: r"\.c:" + numbers, text)
        if not with_places:
            text = re.sub(r"in \w+ at \w+\\\.c:(\d+|\([\d|]+\))", "at .*", text)
        found.append(text)
    return found
