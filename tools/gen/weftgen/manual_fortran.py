"""The Fortran names of a manual page: procedures of the module shmem and routines of OpenSHMEM 1.4."""
import re
import textwrap

from .fortran import FortranTable
from .fortran_setup import modules


class FortranNames:
    def __init__(self, api, table, version):
        self.signatures = {}  # name of the module -> {text: None}
        for module in modules(table, version):
            for name, signatures in module.signatures.items():
                if name not in ("need_count", "need_contiguous", "failed", "fail"):
                    self.signatures[name] = _joined(name, signatures)
        c_names = {r.name for r in table.routines} | {f.generic for f in table.families}
        self.module_only = [name for name in self.signatures if name not in c_names]
        self.old = FortranTable(api, table)

    def synopsis(self, aliases, page):
        """Lines of mdoc for the names of a page."""
        out = []
        ours = [text for name, texts in self.signatures.items() if aliases.get(name) == page for text in texts]
        if ours:
            lines = [line for text in ours for line in _folded(text)]
            out += [".Pp", "Fortran:", ".Bd -literal -compact", "use shmem", *lines, ".Ed"]
        old = {}
        for routine, line, word in self._old_lines():
            if aliases.get(self._c_name(routine)) == page:
                old.setdefault(line, {})[word] = None
        if old:
            out += [".Pp", "Fortran, OpenSHMEM 1.4:", ".Bd -literal -compact", "include 'shmem.fh'"]
            for line, words in old.items():
                out += _folded(line)
                out += [f"    WORD: {', '.join(words)}"] if "" not in words else []
            out.append(".Ed")
        return out

    def old_names(self):
        """(routine of OpenSHMEM 1.4, C routine behind it)."""
        return [(routine.name, self._c_name(routine)) for routine in self.old.routines]

    @staticmethod
    def _c_name(routine):
        return OWN.get(routine.name) or re.match(r"(?:weft::fortran::)?(\w+)\(", routine.call).group(1)

    def _old_lines(self):
        """(routine, how it is called, the word of its name that WORD stands for there)."""
        for entry in self.old.data["routine"]:
            for direction in entry.get("directions", [""]):
                pattern = entry["name"].replace("{DIR}", direction)
                for element in entry.get("elements", [""]):
                    routine = next(r for r in self.old.routines if r.name == pattern.replace("{E}", element))
                    arguments = ", ".join(name for _, name in routine.arguments)
                    lead = "res = " if routine.returns else "call "
                    yield routine, f"{lead}{pattern.replace('{E}', 'WORD')}({arguments})", element


# Where the name of the C routine says too little.
OWN = {"SHPALLOC": "shmalloc", "SHPDEALLC": "shfree", "SHPCLMOVE": "shrealloc"}
OWN |= {f"SHMEM_REAL16_{op}_TO_ALL": f"shmem_double_{op.lower()}_to_all" for op in ("MAX", "MIN", "SUM", "PROD")}


def _folded(call):
    """A call, continued where a terminal would break it."""
    lines = textwrap.wrap(call.replace(" [, ", "\0[,\0"), 68, subsequent_indent="    ", break_long_words=False)
    return [line.replace("\0", " ") + " &" * (line is not lines[-1]) for line in lines]


def _joined(name, signatures):
    """Procedures of one name that differ in a leading context only are written once."""
    texts = {}
    for arguments, is_function in signatures:
        names = [argument for argument, _ in arguments]
        bare = [n for n in names if n != "ctx" or names[0] != "ctx"]
        contexts = {tuple(n for n, _ in other) for other, _ in signatures}
        both = ("ctx", *bare) in contexts and tuple(bare) in contexts
        shown = "[ctx,] " if both else "ctx, " if bare != names and bare else "ctx" if bare != names else ""
        if both and not bare:
            shown = "[ctx]"
        required = [n for n in bare if n not in {a for a, optional in arguments if optional}]
        optional = [n for n in bare if n not in required]
        inside = ", ".join(required) + (f" [, {', '.join(optional)}]" if optional and required else
                                        f"[{', '.join(optional)}]" if optional else "")
        texts[f"{'res = ' if is_function else 'call '}{name}({shown}{inside})"] = None
    return list(texts)
