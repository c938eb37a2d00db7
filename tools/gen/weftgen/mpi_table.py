"""Reads api/mpi.toml: everything of MPI's standard binary interface."""
import dataclasses
import re
import tomllib

from .kinds import KINDS
from .table import TableError

# What the placeholders of parameters are in a function and in its large-count twin.
PLACEHOLDERS = {"COUNT": ("int", "MPI_Count"), "DISPL": ("int", "MPI_Aint"), "WIDE": ("MPI_Aint", "MPI_Count")}


@dataclasses.dataclass(frozen=True)
class Param:
    text: str   # as in the prototype: "const int ranks[]"
    name: str   # "ranks"; empty for "..."
    type: str   # "const int []"
    count: bool  # a number of elements, which may not be negative

    @staticmethod
    def parse(text, large):
        if text == "...":
            return Param(text, "", text, False)
        spelled = text
        for word, of in PLACEHOLDERS.items():
            spelled = re.sub(rf"\b{word}\b", of[large], spelled)
        name = re.search(r"(\w+)(?:\[\d*\])*$", spelled).group(1)
        return Param(spelled, name, re.sub(rf"\b{name}\b", "", spelled).strip(),
                     re.fullmatch(r"COUNT \w*count", text) is not None)


@dataclasses.dataclass
class Family:
    """A function and its twin; what the table says of both."""
    area: str
    base: str
    params: str
    since: str
    returns: str = "int"
    large: str = ""
    large_params: str = ""
    deprecated: str = ""
    kind: str = ""
    later: str = ""
    body: str = ""
    large_body: str = ""
    any_time: bool = False
    raw: bool = False
    null: list = dataclasses.field(default_factory=list)
    own: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Routine:
    name: str      # MPI_Send_c
    family: Family
    params: tuple
    since: str

    @property
    def returns(self):
        return self.family.returns

    @property
    def profiling_name(self):
        return "P" + self.name

    @property
    def prototype_params(self):
        return ", ".join(p.text for p in self.params) or "void"

    @property
    def type(self):
        """Of the function: int (MPI_Comm, int *)."""
        return f"{self.returns} ({', '.join(p.type for p in self.params) or 'void'})"


@dataclasses.dataclass(frozen=True)
class Handle:
    name: str       # MPI_Comm
    what: str       # "a communicator"
    error: str      # MPI_ERR_COMM
    values: dict    # of predefined ones: a number, or a table with value, c and class
    functions: str = ""

    @property
    def word(self):
        """As in the names of its functions: Comm, Type."""
        return self.functions or self.name.removeprefix("MPI_")

    @property
    def kind(self):
        """The C++ type of what it stands for: Comm, Datatype."""
        return self.name.removeprefix("MPI_")

    @property
    def numbers(self):
        return {name: value["value"] if isinstance(value, dict) else value for name, value in self.values.items()}

    @property
    def null(self):
        return next(iter(self.values))


@dataclasses.dataclass
class MpiTable:
    handles: list
    errors: dict
    constants: list
    function_types: dict
    function_aliases: dict
    function_values: dict
    tool_handles: dict
    areas: dict
    families: list
    routines: list

    @staticmethod
    def load(path):
        with open(path, "rb") as file:
            data = tomllib.load(file)
        areas = data.pop("area")
        table = MpiTable([Handle(**each) for each in data.pop("handle")], data.pop("error"), data.pop("constants"),
                         *(data.pop(part) for part in ("function_type", "function_alias", "function_value", "tool_handle")),
                         areas, [], [])
        if unknown := sorted(set(data) - set(areas)):
            raise TableError(f"{path.name}: [{unknown[0]}] is not in [area]")
        for area in areas:
            for name, entry in data.get(area, {}).items():
                table._add(path.name, area, name, entry)
        return table

    def _add(self, file, area, name, entry):
        try:
            family = Family(area=area, base=name, **{"later": self.areas[area].get("later", ""), **entry})
        except TypeError as error:
            raise TableError(f"{file}: {name}: {error}") from None
        family.kind = family.kind or self.areas[area]["kind"]
        if family.kind not in KINDS:
            raise TableError(f"{file}: {name}: kind '{family.kind}' is none of {', '.join(KINDS)}")
        if any(routine.name == f"MPI_{name}" for routine in self.routines):
            raise TableError(f"{file}: {name} is there twice")
        self.families.append(family)
        made = [self._routine(family, f"MPI_{name}", family.params, False, family.since)]
        if family.large:
            made.append(self._routine(family, f"MPI_{name}_c", family.large_params or family.params, True, family.large))
        for routine in made:
            for key, names in (("null", family.null), ("own", family.own)):
                if unknown := set(names) - {p.name for p in routine.params}:
                    raise TableError(f"{file}: {name}: {key}: it has no parameter {sorted(unknown)[0]}")
        self.routines += made

    @staticmethod
    def _routine(family, name, params, large, since):
        parts = [part.strip() for part in params.split(",")] if params else []
        return Routine(name, family, tuple(Param.parse(part, large) for part in parts), since)

    def handle(self, c_type):
        """The handle of that C type; None where it is none."""
        return next((each for each in self.handles if each.name == c_type), None)
