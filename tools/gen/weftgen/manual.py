"""The manual pages of section 3: one for each entry of api/manual.toml, of that and of routines.toml."""
import dataclasses
import re
import tomllib

from . import mdoc
from .table import Param, TableError, split_params

# Routines so common that examples of them help nobody.
EVERYWHERE = {"shmem_init", "shmem_finalize", "shmem_my_pe", "shmem_n_pes", "weft_shared_init", "weft_shared_finalize",
              "weft_shared_my_pe", "weft_shared_n_pes"}
VERSION = re.compile(r"^(<=)?(.*)$")


@dataclasses.dataclass
class Page:
    name: str
    covers: list
    brief: str
    more: str = ""
    complete: str = ""
    gives: str = ""
    args: dict = dataclasses.field(default_factory=dict)
    error: dict = dataclasses.field(default_factory=dict)
    also: list = dataclasses.field(default_factory=list)
    see: list = dataclasses.field(default_factory=list)
    families: list = dataclasses.field(default_factory=list)

    @property
    def current(self):
        return [family for family in self.families if not family.deprecated]

    @property
    def deprecated(self):
        return [family for family in self.families if family.deprecated]

    @property
    def parameters(self):
        """Names of parameters, in the order in which they appear."""
        names = {}
        for family in self.families:
            for text in split_params(family.params):
                names[Param.parse(text, "TYPE", False).name] = None
        return [name for name in names if name]

    @property
    def names(self):
        """What stands before the dash of the NAME section: names that people look for, of those without a type."""
        names = {self.name: None}
        for family in self.current or self.families:
            if family.generic:
                names[family.generic] = None
            names.update((name.replace("{CTX}", ""), None) for name in family.names if not re.search("TYPE|SIZE", name))
        return list(names)


class NoFortran:
    """Of an interface without Fortran."""
    module_only = ()

    def synopsis(self, _aliases, _page):
        return []

    def old_names(self):
        return []


class Manual:
    """header: what declares its routines, where it is one for all; fortran: which names they have there."""

    def __init__(self, api, table, environment, examples, *, header=None, fortran=None):
        with open(api / "manual.toml", "rb") as file:
            data = tomllib.load(file)
        self.table, self.environment = table, environment
        self.examples = examples  # path below examples/ -> text
        self.date, self.arguments = data["date"], data["arg"]
        self.pages = {name: Page(name, **entry) for name, entry in data["page"].items()}
        self.header, self.fortran = header, fortran or NoFortran()
        self._divide()
        self.aliases = self._aliases()

    def _divide(self):
        where = {}
        for page in self.pages.values():
            for what in page.covers:
                if what in where:
                    raise TableError(f"manual.toml: {what} is on {where[what].name} and on {page.name}")
                where[what] = page
        for family in self.table.families:
            page = where.get(family.names[0]) or where.get(family.section)
            if page is None:
                raise TableError(f"manual.toml: no page covers {family.label} (section {family.section or 'none'})")
            page.families.append(family)
        known = {family.section for family in self.table.families} | {f.names[0] for f in self.table.families}
        for what, page in where.items():
            if what not in known | set(self.fortran.module_only):
                raise TableError(f"manual.toml: {page.name} covers {what}, which is nothing of routines.toml")
        for page in self.pages.values():
            for other in page.see:
                if other not in self.pages:
                    raise TableError(f"manual.toml: {page.name} sees {other}, which is no page")
            for name in page.parameters:
                if name not in self.arguments:
                    raise TableError(f"manual.toml: {page.name}: no [arg.{name}]")

    def _aliases(self):
        """Every name that somebody may look for -> its page."""
        names = {name: page for name, page in self.pages.items()}

        def add(name, page):
            if names.setdefault(name, page) is not page and name not in self.pages:
                raise TableError(f"manual.toml: {name} is on {names[name].name} and on {page.name}")

        for page in self.pages.values():
            for family in page.families:
                for name in [r.name for r in family.routines] + ([family.generic] if family.generic else []):
                    add(name, page)
            for what in page.covers:
                if what in self.fortran.module_only:
                    add(what, page)
        for name, c_name in self.fortran.old_names():
            if c_name in names:
                names.setdefault(name.lower(), names[c_name])
        return {name: page.name for name, page in names.items()}

    # --- one page ---------------------------------------------------------------------------------------------------

    def render(self, page):
        def link(name):
            if name in ("oshrun", "oshcc", "oshfort", "weft-info"):
                return name, 1
            if self.header and name.startswith("shmem_"):
                return name, 3
            return None if self.aliases[name] == page.name else (name, 3)

        inline = mdoc.Inline(link, {"ctx", *page.parameters}, self.environment).lines
        out = mdoc.header(page.name, 3, self.date)
        out += [".Sh NAME", *[f".Nm {name} ," for name in page.names[:-1]], f".Nm {page.names[-1]}",
                f".Nd {page.brief}"]
        out += self._synopsis(page) + self._description(page, inline)
        if page.gives:
            out += [".Sh RETURN VALUES", *inline(page.gives)]
        out += self._examples(page) + self._errors(page, inline) + self._ending(page)
        return "\n".join(out) + "\n"

    def _synopsis(self, page):
        out = [".Sh SYNOPSIS"]
        extension = page.families and page.families[0].is_extension
        out.append(f".In {self.header or ('shmemx.h' if extension else 'shmem.h')}")
        out += self._prototypes(one for family in page.current for one in self._plain(family))
        generics = [family for family in page.current if family.generic]
        if generics:
            out += [".Pp", "C11:"]
            out += self._prototypes(
                (family.returns, family.generic,
                 ["[shmem_ctx_t ctx]"] * family.has_ctx_forms + split_params(family.params)) for family in generics)
        out += self.fortran.synopsis(self.aliases, page.name)
        if page.deprecated:
            out += [".Pp", "Deprecated:"]
            out += self._prototypes(one for family in page.deprecated for one in self._plain(family))
        return out

    @staticmethod
    def _plain(family):
        """(type returned, name, parameters) of each pattern of names, without a context."""
        for pattern in family.names:
            name = pattern.replace("{CTX}", "").replace("{TYPE}", "TYPE").replace("{SIZE}", "SIZE")
            element = "TYPE" if "{TYPE}" in pattern else "void"
            yield (re.sub(r"\bTYPE\b", element, family.returns), name,
                   [re.sub(r"\bTYPE\b", element, text) for text in split_params(family.params)])

    @staticmethod
    def _prototypes(routines):
        """Routines that differ in one word of their names only are written once, with OP for the word."""
        groups = {}
        for returns, name, parameters in routines:
            groups.setdefault((returns, tuple(parameters), len(name.split("_"))), []).append(name)
        out = []
        for (returns, parameters, _), names in groups.items():
            words = [sorted(set(column), key=column.index) for column in zip(*(name.split("_") for name in names))]
            if len(names) > 2 and sum(len(column) > 1 for column in words) == 1:
                ops = next(column for column in words if len(column) > 1)
                pattern = "_".join(column[0] if len(column) == 1 else "OP" for column in words)
                out += mdoc.prototype(returns, pattern, parameters)
                out += [".Pp", f"OP: {', '.join(ops)}", ".Pp"]
            else:
                out += [line for name in names for line in mdoc.prototype(returns, name, parameters)]
        return out[:-1] if out[-1:] == [".Pp"] else out

    def _description(self, page, inline):
        out = [".Sh DESCRIPTION"]
        if len(page.families) == 1:
            out += inline(page.families[0].doc)
        else:
            items = []
            for family in page.families:
                tag = " , ".join(f"Fn {label.strip()}" for label in family.label.split(","))
                items.append((tag, inline(family.doc) + self._about_deprecated(family)))
            out += mdoc.tagged(items)
        for paragraph in filter(None, page.more.split("\n\n")):
            out += [".Pp", *inline(paragraph)]
        with_ctx = [label.strip() for family in page.current for label in family.label.split(",") if family.has_ctx_forms]
        if with_ctx:
            forms = [name.replace("shmem_", "shmem_ctx_", 1) for name in with_ctx]
            out += [".Pp", "The same with a context as the first argument:", *self._list_of_names(forms)]
        if page.parameters:
            out += [".Ss Arguments"]
            texts = [(name, self._about(page, name)) for name in page.parameters]
            if with_ctx and "ctx" not in page.parameters:
                texts.insert(0, ("ctx", "The context whose operation it is; the PE is one of its team."))
            out += mdoc.tagged([(f"Fa {name}", inline(text)) for name, text in texts])
        out += self._types(page)
        if page.complete:
            out += [".Ss Completion", *inline(page.complete)]
        return out

    def _about_deprecated(self, family):
        """Since when, and the types, which are fewer than those of routines that are not."""
        if not family.deprecated:
            return []
        names = self.table.sets[family.types] if family.types else []
        words = [f"{name} ({self.table.types[name]})" if self.table.types[name] != name else name for name in names]
        types = f" TYPE is {', '.join(words[:-1])} or {words[-1]}." if words else ""
        return mdoc.text_lines(f"Deprecated since OpenSHMEM {family.deprecated}.") + mdoc.text_lines(types)

    def _about(self, page, name):
        """The page's own text for an argument, or the general one: that for bytes where a routine counts in bytes."""
        general = self.arguments[name]
        counts_bytes = any("mem" in pattern for family in page.families for pattern in family.names)
        return page.args.get(name) or (counts_bytes and general.get("text_mem")) or general["text"]

    @staticmethod
    def _list_of_names(names):
        return [f".Fn {name} ," for name in names[:-1]] + [f".Fn {names[-1]} ."]

    def _types(self, page):
        sets = {}
        for family in page.current or page.families:
            if family.types:
                sets.setdefault(tuple(self.table.sets[family.types]), []).append(family)
        sizes = any("{SIZE}" in name for family in page.families for name in family.names)
        if not sets and not sizes:
            return []
        out = [".Ss Types"]
        for names, families in sets.items():
            if len(sets) > 1:
                labels = [family.label.split(",")[0] for family in families]
                out += [".Pp"] * (len(out) > 1) + ["For", *[f".Fn {label} ," for label in labels], "TYPE is one of"]
            else:
                out.append("TYPE in a name is one of")
            words = [f"{name} ({self.table.types[name]})" if self.table.types[name] != name else name for name in names]
            out += mdoc.text_lines(", ".join(words[:-1]) + f" and {words[-1]}.")
        if sizes:
            out += [".Pp"] if sets else []
            counts = sorted({int(bits) for family in page.families if any("{SIZE}" in n for n in family.names)
                             for bits in (family.sizes or self.table.sizes)})
            out += ["SIZE in a name is the number of bits of an element:",
                    ", ".join(map(str, counts[:-1])) + f" or {counts[-1]}."]
        return out

    def _errors(self, page, inline):
        wrong = []
        for name in (["ctx"] if any(f.has_ctx_forms for f in page.families) else []) + page.parameters:
            text = page.error.get(name, self.arguments[name].get("error", ""))
            if text and text not in wrong:
                wrong.append(text)
        checked = [text for text in wrong + page.also if not text.startswith("not checked: ")]
        unchecked = [text.removeprefix("not checked: ") for text in page.also if text.startswith("not checked: ")]
        out = []
        if checked:
            out += [".Sh ERRORS", "The job ends with a message that names the PE, the routine and the value when",
                    *mdoc.bullets([inline(text) for text in checked])]
        if unchecked:
            out += [".Pp", "Not checked:", *inline("; ".join(unchecked) + ".")]
        return out

    def _examples(self, page):
        names = {n for n, target in self.aliases.items() if target == page.name} - EVERYWHERE
        if not names:
            return []
        call = re.compile(r"\b(" + "|".join(map(re.escape, sorted(names))) + r")\s*\(")
        users = [path for path, text in self.examples.items() if call.search(text)][:3]
        if not users:
            return []
        out = [".Sh EXAMPLES", "Programs that use it, below", ".Pa share/doc/weft/examples :"]
        return out + [f".Pa {user}" + (" ," if user != users[-1] else " .") for user in users]

    def _ending(self, page):
        out = [".Sh SEE ALSO"]
        names = sorted(set(page.see) - {page.name})
        out += [f".Xr {name} 3 ," for name in names] + [".Xr weft 7"]
        lines = {}
        for family in page.families:
            if family.section:
                lines.setdefault((family.section, family.since, family.deprecated), []).append(family)
        if not lines:
            whose = "An interface of Weft's own." if self.header else \
                "An extension of Weft, which may change until a specification has it."
            return out + [".Sh STANDARDS", whose]
        out.append(".Sh STANDARDS")
        items = []
        for (section, since, deprecated), families in lines.items():
            earlier, version = VERSION.match(since).groups()
            where = "annex F" if section == "F" else f"section {section}"
            text = f"OpenSHMEM 1.6, {where}; since {version}{' or earlier' if earlier else ''}"
            if deprecated:
                text += f", deprecated since {deprecated}"
            if len(lines) == 1:
                return out + [text + "."]
            labels = [f"Fn {label.strip()}" for family in families for label in family.label.split(",")]
            items.append([f".{label} ," for label in labels[:-1]] + [f".{labels[-1]} :", text + "."])
        return out + mdoc.bullets(items)
