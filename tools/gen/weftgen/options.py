"""Reads api/options.def, which C++ includes."""
import dataclasses
import re

from .table import TableError

ENTRY = re.compile(r"WEFT_OPTION\((\w+),\s*(\w+),\s*((?:\"[^\"]*\"[,\s]*)+)\)")


@dataclasses.dataclass(frozen=True)
class Option:
    kind: str
    name: str
    older_name: str
    default: str
    text: str


def load(path):
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    options = []
    for identifier, kind, strings in ENTRY.findall(text):
        # Strings without a comma between them are one, as in C.
        fields = re.findall(r'"([^"]*)"', re.sub(r'"\s+"', "", strings))
        if len(fields) != 4:
            raise TableError(f"options.def: {identifier}: four strings are needed, not {len(fields)}")
        options.append(Option(kind, *fields))
    if len(options) != text.count("WEFT_OPTION("):
        raise TableError("options.def: an entry is not of the form WEFT_OPTION(identifier, kind, four strings)")
    return options
