"""Of MPI: for weft-mpi(7) which functions are whole, and which are to come; and the pages of those that are whole, of
api/mpi_manual.toml and mpi.toml. They are not in the folder of the others: other MPIs have pages of the same names."""
import tomllib

from . import mdoc
from .mpi_bindings import pointed_at
from .table import TableError

ENVIRONMENT = {"WEFT_MPI_UNEXPECTED"}
DIRECTIONS = {"<": "in", ">": "out", "=": "in and out"}
LOCALITY = {
    True: "Local: it does not wait for calls of other ranks.",
    False: "It may wait for calls of other ranks.",
    "collective": "Collective: all ranks call it, and it may wait for the others.",
}


def _lists(table, wanted):
    """The functions that are wanted, by area, each with its twin."""
    out = []
    for area, about in table.areas.items():
        names = [f"MPI_{family.base}" + (" (_c)" if family.large else "")
                 for family in sorted(table.families, key=lambda each: each.base)
                 if family.area == area and wanted(family)]
        if names:
            out += [f".Ss {about['title']}", *mdoc.text_lines(", ".join(names) + ".")]
    return out


def keys(table):
    """(what stands between two @, the lines that are put there)."""
    later = sum(bool(routine.family.later) for routine in table.routines)
    total = len(table.routines)
    return (("TOTAL", [str(total)]), ("WHOLE", [str(total - later)]), ("LATER", [str(later)]),
            ("MPI_WHOLE", _lists(table, lambda family: not family.later)),
            ("MPI_LATER", _lists(table, lambda family: family.later)))


class MpiManual:
    def __init__(self, path, table):
        with open(path, "rb") as file:
            data = tomllib.load(file)
        self.table, self.date, self.arguments, self.forms = table, data["date"], data["arg"], data["form"]
        self.families = {family.base: family for family in table.families if not family.later}
        self.routines = {base: [routine for routine in table.routines if routine.family is family]
                         for base, family in self.families.items()}
        self.pages = {name: self._whole(name, entry) for name, entry in data["page"].items()}
        self._check()

    def _whole(self, name, entry):
        """The entry with what its form has."""
        if "like" not in entry:
            return entry
        if entry["like"] not in self.forms:
            raise TableError(f"mpi_manual.toml: {name} is like {entry['like']}, which is no form")
        form = self._whole(name, self.forms[entry["like"]])
        whole = {**form, **entry}
        for field in ("errors", "see"):
            whole[field] = entry.get(field, []) + form.get(field, [])
        whole["args"] = {**form.get("args", {}), **entry.get("args", {})}
        whole["text"] = "\n\n".join(filter(None, (entry.get("text", ""), form.get("text", ""))))
        return whole

    def _check(self):
        for base in self.families:
            if base not in self.pages:
                raise TableError(f"mpi_manual.toml: no page for MPI_{base}")
        for name, page in self.pages.items():
            if name not in self.families:
                raise TableError(f"mpi_manual.toml: {name} is no function of mpi.toml that is whole")
            for field in ("brief", "text", "local", "section"):
                if field not in page:
                    raise TableError(f"mpi_manual.toml: {name} has no {field}")
            for other in page.get("see", []):
                if other not in self.pages:
                    raise TableError(f"mpi_manual.toml: {name} sees {other}, which is no page")
            parameters = set(self._parameters(name))
            for parameter in parameters:
                text = self._about(page, parameter)
                if text[:1] not in DIRECTIONS:
                    raise TableError(f"mpi_manual.toml: {name}: whether {parameter} goes in or out is not said")

    def _parameters(self, base):
        """name -> Param, of the function and then of its twin."""
        found = {}
        for routine in self.routines[base]:
            for param in routine.params:
                if param.name:
                    found.setdefault(param.name, param)
        return found

    def _about(self, page, name):
        text = page.get("args", {}).get(name) or page.get("args", {}).get("_all")
        if text is None and name in self.arguments:
            text = self.arguments[name]["text"]
        if text is None:
            raise TableError(f"mpi_manual.toml: no text for the argument {name}")
        return text

    def links(self):
        """(page of a twin, page it leads to)."""
        return {routine.name: f"MPI_{base}" for base, routines in self.routines.items() for routine in routines
                if routine.name != f"MPI_{base}"}

    def render(self, base):
        page, family, routines = self.pages[base], self.families[base], self.routines[base]
        parameters = self._parameters(base)
        own = {routine.name for routine in routines}
        everywhere = {f"MPI_{name}": f"MPI_{name}" for name in self.pages} | self.links()

        def link(name):
            if name == "oshrun":
                return name, 1
            return None if name in own else (everywhere[name], 3)

        def fill(text):
            for word, of in page.get("words", {}).items():
                text = text.replace(f"{{{word}}}", of)
            return text

        marked = mdoc.Inline(link, set(parameters), ENVIRONMENT).lines

        def inline(text):
            return marked(fill(text))

        names = [routine.name for routine in routines]
        out = mdoc.header(f"MPI_{base}", 3, self.date)
        out += [".Sh NAME", *[f".Nm {name} ," for name in names[:-1]], f".Nm {names[-1]}", f".Nd {fill(page['brief'])}"]
        out += [".Sh SYNOPSIS", ".In mpi.h"]
        for routine in routines:
            out += mdoc.prototype(routine.returns, routine.name, [param.text for param in routine.params])
        out.append(".Sh DESCRIPTION")
        for number, paragraph in enumerate(filter(None, page["text"].strip().split("\n\n"))):
            out += [".Pp"] * (number > 0) + inline(paragraph)
        if parameters:
            out.append(".Ss Arguments")
            texts = [(name, self._about(page, name)) for name in parameters]
            out += mdoc.tagged([(f"Fa {name} Pq {DIRECTIONS[text[0]]}", inline(text[1:])) for name, text in texts])
        out += [".Ss Completion", *inline(LOCALITY[page["local"]])]
        if "complete" in page:
            out += inline(page["complete"])
        out += [".Sh RETURN VALUES", *inline(page.get("gives", "MPI_SUCCESS, or the code of an error."))]
        out += self._errors(page, family, parameters, inline)
        return "\n".join(out + self._ending(page, family, routines)) + "\n"

    def _errors(self, page, family, parameters, inline):
        if family.returns != "int" or family.raw:
            return []
        wrong = []
        for param in parameters.values():
            wrong += self._wrong_by_type(family, param, self._about(page, param.name)[0] == "=")
        pointers = [f"`{param.name}`" for param in parameters.values()
                    if pointed_at(param) and param.name not in family.null and param.name not in family.own]
        if pointers:
            wrong.append(f"MPI_ERR_ARG: {' or '.join(filter(None, (', '.join(pointers[:-1]), pointers[-1])))} is a null pointer")
        # Of the argument in general, so not where the page has a text of its own.
        general = [self.arguments[name] for name in parameters if name not in page.get("args", {}) and name in self.arguments]
        wrong += [text for about in general if "error" in about for text in about["error"].split("; ")]
        wrong += page.get("errors", [])
        if not family.any_time:
            wrong.append("MPI_ERR_OTHER: MPI has not begun, or has ended")
        if not wrong:
            return []
        on = "MPI_COMM_SELF"
        if getattr(parameters.get("comm"), "type", "") == "MPI_Comm":
            on = "`comm`"
        elif any(self._about(page, name)[0] != ">" for name in parameters if name in ("request", "array_of_requests")):
            on = "the request's communicator"
        items = []
        for text in dict.fromkeys(wrong):
            names, what = text.split(": ", 1)
            tag = names.split(" ")[0]
            rest = names[len(tag):].strip()
            items.append((f"Dv {tag}", inline(f"{rest + ': ' if rest else ''}{what[0].upper() + what[1:]}.")))
        return [".Sh ERRORS", *inline(f"They are reported to the error handler of {on}, which from the beginning ends the job with a line "
                                      "that names rank, call, argument and value. MPI_Comm_set_errhandler sets another."),
                *mdoc.tagged(items)]

    def _wrong_by_type(self, family, param, is_read):
        plain = param.type.replace("const ", "")
        if is_read and (handle := self.table.handle(plain.removesuffix(" *"))) and plain.endswith(" *"):
            return [f"{handle.error}: `*{param.name}` is not {handle.what}"]
        if param.count:
            return [f"MPI_ERR_COUNT: `{param.name}` is negative"]
        if handle := self.table.handle(plain):
            null = next(name for name in handle.numbers if name.endswith("_NULL"))
            messages = handle.name == "MPI_Datatype" and family.area in ("messages", "collectives") and \
                not family.base.startswith(("Get_", "Status_"))
            also = ("" if param.name in family.null else f", or is {null}") + (", or is not committed" if messages else "")
            return [f"{handle.error}: `{param.name}` is not {handle.what}{also}"]
        if plain == "MPI_Request []":
            return [f"MPI_ERR_REQUEST: one of `{param.name}` is not a request"]
        if plain == "MPI_Datatype []" and param.name != "array_of_datatypes":
            return [f"MPI_ERR_TYPE: one of `{param.name}` is not a datatype"]
        return []

    def _ending(self, page, family, routines):
        out = [".Sh SEE ALSO", *[f".Xr MPI_{name} 3 ," for name in sorted(set(page.get("see", [])) - {family.base})],
               ".Xr weft-mpi 7"]
        version = "1.0" if family.since == "1.1" else family.since
        text = f"MPI 5.0, {'chapter' if '.' not in page['section'] else 'section'} {page['section']}; since MPI {version}"
        if family.large:
            text += f", {routines[-1].name} since {family.large.split(' ')[0]}"
        if family.deprecated:
            text += f"; deprecated since {family.deprecated}"
        return out + [".Sh STANDARDS", *mdoc.text_lines(text + ".")]
