"""Reads api/routines.toml and api/types.toml and spells out the families into single routines."""
import dataclasses
import re
import tomllib

from .kinds import KINDS

# The version of the specification; the headers' SHMEM_MAJOR_VERSION and SHMEM_MINOR_VERSION.
SPECIFICATION = (1, 6)

CTX_PARAM = "shmem_ctx_t ctx"
CTX_DEFAULT = "SHMEM_CTX_DEFAULT"


class TableError(Exception):
    """Something in the tables cannot be right; the text names the entry."""


@dataclasses.dataclass(frozen=True)
class Param:
    text: str     # as in the prototype: "const long *source"
    name: str     # "source"; empty for "..."
    untyped: str  # for a void pointer that stands for elements: "const " or "" and so to be cast; else None

    @staticmethod
    def parse(text, element, untyped):
        if text == "...":
            return Param(text, "", None)
        name = re.search(r"(\w+)$", text).group(1)
        cast = None
        if untyped and re.search(r"\bTYPE\b", text):
            cast = "const " if text.startswith("const ") else ""
        return Param(re.sub(r"\bTYPE\b", element, text), name, cast)


@dataclasses.dataclass(frozen=True)
class Routine:
    name: str
    family: "Family"
    returns: str
    params: tuple
    typename: str   # "long" of shmem_long_put, else ""
    element: str    # C++ type of an element: "long", "std::uint64_t", "unsigned char"; "" where there is none
    bytes: int      # of an element of a fixed-size or mem routine, else 0
    has_ctx: bool   # is the shmem_ctx_ form of a pair

    @property
    def profiling_name(self):
        return profiling_name(self.name)

    @property
    def prototype_params(self):
        return ", ".join(p.text for p in self.params) or "void"


@dataclasses.dataclass
class Family:
    area: str
    names: list
    params: str
    body: str
    doc: str
    kind: str = ""
    section: str = ""
    since: str = ""
    returns: str = "void"
    types: str = ""
    sizes: list = dataclasses.field(default_factory=list)
    generic: str = ""
    inline: str = ""
    inline_mem: str = ""
    deprecated: str = ""
    attribute: str = ""
    default_ctx: bool = False
    routines: list = dataclasses.field(default_factory=list, repr=False)

    @property
    def is_extension(self):
        """Weft's own, not of the specification: declared in shmemx.h."""
        return any(name.startswith("shmemx_") for name in self.names)

    @property
    def label(self):
        """The names as a person writes them: shmem_TYPE_put, shmem_putSIZE."""
        names = [n.replace("{CTX}", "").replace("{TYPE}", "TYPE").replace("{SIZE}", "SIZE") for n in self.names]
        return ", ".join(names)

    @property
    def has_ctx_forms(self):
        return any("{CTX}" in name for name in self.names)

    @property
    def param_names(self):
        return [Param.parse(p, "TYPE", False).name for p in split_params(self.params)]


@dataclasses.dataclass
class Table:
    types: dict       # TYPENAME -> C type
    same: dict        # TYPENAME -> TYPENAME that is the same C type
    sizes: dict       # bits -> C++ type
    sets: dict        # set -> list of TYPENAME
    handles: dict
    objects: dict
    data_symbols: list
    support_symbols: list
    structs: dict     # name -> {doc, members}
    requests: dict    # handles of shmemx.h
    constants: list   # of (doc, {name: value})
    areas: dict       # area -> {title, file}
    families: list
    roles: dict       # parameter -> what it is to tools

    @property
    def routines(self):
        return [routine for family in self.families for routine in family.routines]

    @property
    def standard_routines(self):
        return [routine for routine in self.routines if not routine.family.is_extension]

    @staticmethod
    def load(directory):
        types = {}
        if (directory / "types.toml").exists():  # an interface may have no types of its own
            with open(directory / "types.toml", "rb") as file:
                types = tomllib.load(file)
        with open(directory / "routines.toml", "rb") as file:
            routines = tomllib.load(file)
        areas = routines.pop("area")
        if unknown := sorted(set(routines) - set(areas)):
            raise TableError(f"routines.toml: [[{unknown[0]}]] is not in [area]")
        constants = []
        for group in types.get("constants", []):
            values = dict(group)
            constants.append((values.pop("doc"), values))
        table = Table(*(types.get(part, {}) for part in ("type", "same", "size", "set", "handle", "object")),
                      types.get("data", {}).get("symbols", []), types.get("support", {}).get("symbols", []),
                      types.get("struct", {}), types.get("request", {}), constants, areas, [], types.get("role", {}))
        for area in areas:
            for entry in routines.get(area, []):
                table.families.append(table._family(area, entry))
        table._check()
        return table

    def _family(self, area, entry):
        try:
            family = Family(area=area, **entry)
        except TypeError as error:
            raise TableError(f"routines.toml: {entry.get('names', area)}: {error}") from None
        family.kind = family.kind or self.areas[area].get("kind", "")
        if family.kind not in KINDS:
            raise TableError(f"routines.toml: {family.label}: kind '{family.kind}' is none of {', '.join(KINDS)}")
        if family.types and family.types not in self.sets:
            raise TableError(f"routines.toml: {family.label}: no set '{family.types}' in types.toml")
        for pattern in family.names:
            for ctx in ("", "ctx_") if "{CTX}" in pattern else ("",):
                family.routines += self._spell_out(family, pattern.replace("{CTX}", ctx), bool(ctx))
        return family

    def _spell_out(self, family, pattern, has_ctx):
        if "{TYPE}" in pattern:
            if not family.types:
                raise TableError(f"routines.toml: {family.label}: {{TYPE}} without types")
            for name in self.sets[family.types]:
                c_type = self.types[name]
                yield self._routine(family, pattern.replace("{TYPE}", name), has_ctx, name, c_type, c_type, 0)
        elif "{SIZE}" in pattern:
            for bits, cxx in self.sizes.items():
                if family.sizes and int(bits) not in family.sizes:
                    continue
                yield self._routine(family, pattern.replace("{SIZE}", bits), has_ctx, "", cxx, "void", int(bits) // 8)
        elif re.search(r"\bTYPE\b", family.params):
            yield self._routine(family, pattern, has_ctx, "", "unsigned char", "void", 1)
        else:
            yield self._routine(family, pattern, has_ctx, "", "", "", 0)

    @staticmethod
    def _routine(family, name, has_ctx, typename, element, spelled, size):
        texts = ([CTX_PARAM] if has_ctx else []) + split_params(family.params)
        params = tuple(Param.parse(text, spelled, untyped=spelled == "void") for text in texts)
        returns = spelled if family.returns == "TYPE" else family.returns
        return Routine(name, family, returns, params, typename, element, size, has_ctx)

    def _check(self):
        seen = set()
        for routine in self.routines:
            if routine.name in seen:
                raise TableError(f"routines.toml: {routine.name} comes from two entries")
            seen.add(routine.name)
        for family in self.families:
            if "<T>" in family.body and not all(routine.element for routine in family.routines):
                raise TableError(f"routines.toml: {family.label}: body {family.body} without an element type")

    def distinct(self, typenames):
        """The TYPENAMEs that are distinct C types, in the order given: what a C11 selection may list."""
        kept = {}
        for name in typenames:
            kept.setdefault(self.same.get(name, name), name)
        return list(kept.values())


def split_params(text):
    return [part.strip() for part in text.split(",")] if text else []


def profiling_name(name):
    """pshmem_long_put, pshmalloc, pstart_pes; a name that begins with _ gets all of "pshmem_"."""
    return ("pshmem_" if name.startswith("_") else "p") + name
