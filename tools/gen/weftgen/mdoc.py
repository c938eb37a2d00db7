"""Writes manual pages in mdoc(7): macros for names, arguments and constants out of plain text that mentions them."""
import re
import textwrap

CLOSING = ".,:;)?!]"
# What is more than a word: `backticked`, SHMEM_CONSTANTS, routines, and the same of MPI.
TOKEN = re.compile(r"`[^`]+`|\b_?(?:SHMEMX?|WEFT)_(?:[A-Z0-9_]|\.\.\.)+|\bSIZE_MAX\b|\bp?shmemx?_\w+|\bweft_shared_\w+|\bMPI_\w+|"
                   r"\b(?:oshrun|oshcc|oshfort|weft-info)\b")
MPI_TYPES = {"MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Status"}
SENTENCE = re.compile(r"(?<=[\w)`\]}+*])([.!?]) (?=[A-Z`])")


def escape(text):
    """Text as it is: backslashes, minus signs that are to stay, and lines that begin like a macro."""
    text = text.replace("\\", "\\e").replace("\n", " ")
    return "\\&" + text if text[:1] in (".", "'") else text


def text_lines(text):
    """Plain text, in lines that an editor shows whole."""
    return [escape(line) for line in textwrap.wrap(text.strip(), 78, break_long_words=False, break_on_hyphens=False)]


def quote(words):
    """An argument of a macro."""
    text = escape(words).replace('"', '\\(dq')
    return f'"{text}"' if " " in text or text in ("Fa", "Fn", "Xr") else text


class Inline:
    """Marks up sentences. `link(name)` gives the page of a routine or tool as (page, section), None for this very page,
    or raises KeyError; `arguments` are the names of parameters; `environment` are variables."""

    def __init__(self, link, arguments, environment):
        self.link, self.arguments, self.environment = link, arguments, environment

    def lines(self, text):
        out, plain = [], ""
        text = " ".join(text.split())
        for sentence in SENTENCE.sub("\\1\n", text).split("\n"):
            position = 0
            for found in TOKEN.finditer(sentence):
                if found.start() < position:
                    continue
                before = sentence[position:found.start()]
                # A macro of a routine brings parentheses of its own.
                end = found.end() + 2 * sentence.startswith("()", found.end())
                after = re.match(r"\S*", sentence[end:]).group()
                word = re.search(r"\S*$", before).group()
                plain += before[:len(before) - len(word)]
                out += text_lines(plain)
                plain = ""
                out.append(self._macro(word, found.group(), after))
                position = end + len(after)
            plain += sentence[position:]
            out += text_lines(plain)
            plain = ""
        return out

    def _macro(self, before, token, after):
        macro = self._name(token)
        lead = ""
        if before and all(c in "([" for c in before):
            lead, macro = "", macro.replace(" ", " " + before + " ", 1)
        elif before:
            lead = f"No {escape(before)} Ns "
        tail = ""
        if after and all(c in CLOSING for c in after):
            tail = " " + " ".join(after)
        elif after:
            tail = " Ns " + escape(after)
        return f".{lead}{macro}{tail}"

    def _name(self, token):
        plain = token.strip("`")
        if plain.lstrip("*") in self.arguments:
            return f"Fa {plain}"
        if plain in self.environment:
            return f"Ev {plain}"
        if re.fullmatch(r"_?(SHMEM|WEFT|SIZE_MAX|MPI)[A-Z0-9_.]*", plain):
            return f"Dv {plain}"
        if plain in MPI_TYPES:
            return f"Vt {plain}"
        try:
            page = self.link(plain)
        except KeyError:
            return f"Ql {quote(plain)}" if token != plain else f"Fn {plain}"
        return f"Fn {plain}" if page is None else f"Xr {page[0]} {page[1]}"


def header(name, section, date):
    return [f".Dd {date}", f".Dt {name.upper()} {section}", ".Os Weft"]


def prototype(returns, name, parameters):
    """A routine of C in a synopsis."""
    lines = [f".Ft {quote(returns)}"] if returns else []
    if not parameters:
        return lines + [f".Fn {name} void"]
    return lines + [f".Fo {name}"] + [f".Fa {quote(p)}" for p in parameters] + [".Fc"]


def tagged(items, width="Ds", compact=""):
    """items: (tag macro, lines)."""
    out = [f".Bl -tag -width {width}{compact}"]
    for tag, lines in items:
        out += [f".It {tag}", *lines]
    return out + [".El"]


def bullets(items):
    out = [".Bl -bullet -compact"]
    for lines in items:
        out += [".It", *lines]
    return out + [".El"]
