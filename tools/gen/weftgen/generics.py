"""The C11 type-generic names of shmem.h.

A generic name is a function-like macro: it selects by the type its first pointer points to, and where there is a form
with a context, by the number of arguments. What it dereferences is never evaluated; asking for the type of the object
instead of the pointer makes arrays and pointers to const and volatile work without listing them.
Taking the address of a function of the same name, and (name)(...), reach the function: no parenthesis follows.
"""
from .table import Param, split_params
from .text import c_comment, fill

WHY = """C11 type-generic names: by the type of the object the first pointer points to and, where a context may come \
first, by the number of arguments. A type that a routine does not have is an error at compile time."""


class Generic:
    """One generic name: all families that serve it together."""

    def __init__(self, name, families, plain_args):
        self.name = name
        self.typed = [f for f in families if f.types]
        self.sets = tuple(f.types for f in self.typed)
        self.family = families[0]
        self.has_ctx = self.family.has_ctx_forms
        self.args = self.family.param_names
        self.pattern = self.family.names[0]
        # A routine of the generic's own name with another number of arguments: shmem_sync for active sets.
        self.plain_args = next((args for args in plain_args if len(args) != len(self.args)), [])

    @property
    def arities(self):
        return [len(self.args)] + ([len(self.args) + 1] if self.has_ctx else [])

    @property
    def selector(self):
        """The argument whose type decides."""
        for text in split_params(self.family.params):
            if "TYPE *" in text:
                return Param.parse(text, "TYPE", False).name
        return ""

    def target(self, ctx):
        """What is called: a selection, or where no type matters the routine itself."""
        pattern = self.pattern.replace("{CTX}", ctx)
        if not self.sets:
            return pattern
        head, tail = pattern.split("{TYPE}")
        return f"{by_macro(self.sets)}({self.selector}, {head}, {tail})"


C11 = "#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n\n"
END_C11 = "\n#endif /* C11 */\n"


def collect(table, extensions=False):
    by_name = {}
    for family in table.families:
        if family.generic and family.is_extension == extensions:
            by_name.setdefault(family.generic, []).append(family)
    plain = {}
    for family in table.families:
        for name in family.names:
            if name in by_name and not family.generic:
                plain.setdefault(name, []).append(family.param_names)
    return [Generic(name, families, plain.get(name, [])) for name, families in by_name.items()]


def by_macro(sets):
    return "WEFT_BY_" + "_".join(sets).upper()


def render(table):
    generics = collect(table)
    out = [c_comment(WHY), C11]
    for sets in sorted({g.sets for g in generics if g.sets}):
        out.append(selection(table, sets))
    for count in sorted({most_args(g) for g in generics if g.has_ctx or g.plain_args}):
        out.append(picker(count))
    out.append("/* In parentheses the name cannot be taken for a function declared by its use. */\n"
               "#define WEFT_NONE (weft_wrong_number_of_arguments)\n\n")
    for generic in generics:
        out.append(macros(generic))
    out.append(END_C11)
    return "".join(out)


def render_extensions(table):
    """Those of shmemx.h; what selects by type is in shmem.h."""
    return "".join([c_comment("C11 type-generic names."), C11,
                    *(macros(generic) for generic in collect(table, extensions=True)), END_C11])


def selection(table, sets):
    names = table.distinct([name for each in sets for name in table.sets[each]])
    cases = [f"{table.types[name]}: head##{name}##tail" for name in names]
    return (f"#define {by_macro(sets)}(object, head, tail) _Generic(*(object), \\\n  "
            + fill(cases, "  ").replace("\n", " \\\n") + ")\n")


def most_args(generic):
    return max(generic.arities[-1], len(generic.plain_args))


def picker(count):
    """WEFT_PICK_5(arguments..., a, b, ...) is a after five arguments, b after four."""
    skipped = ", ".join(f"a{i}" for i in range(count))
    return f"#define WEFT_PICK_{count}({skipped}, pick, ...) pick\n"


def macros(generic):
    args = ", ".join(generic.args)
    if generic.plain_args:
        return beside_a_function(generic)
    if not generic.has_ctx:
        return f"#define {generic.name}({args}) {generic.target('')}({args})\n"
    short, full = generic.arities
    stem = "WEFT_C11_" + generic.name.removeprefix("shmem_")
    choices = [f"{stem}_{full}", f"{stem}_{short}"] + ["WEFT_NONE"] * (short - 1)
    return (f"#define {stem}_{short}({args}) {generic.target('')}({args})\n"
            f"#define {stem}_{full}(ctx, {args}) {generic.target('ctx_')}(ctx, {args})\n"
            f"#define {generic.name}(...) \\\n  WEFT_PICK_{full}(__VA_ARGS__, {', '.join(choices)}, 0)(__VA_ARGS__)\n")


def beside_a_function(generic):
    """The number of arguments says whether the generic or the function of its name is meant."""
    name, args, plain = generic.name, ", ".join(generic.args), ", ".join(generic.plain_args)
    stem = "WEFT_C11_" + name.removeprefix("shmem_")
    most = most_args(generic)
    by_count = {len(generic.args): f"{stem}_{len(generic.args)}", len(generic.plain_args): f"{stem}_plain"}
    choices = [by_count.get(count, "WEFT_NONE") for count in range(most, 0, -1)]
    return (f"#define {stem}_{len(generic.args)}({args}) {generic.target('')}({args})\n"
            f"#define {stem}_plain({plain}) ({name})({plain})\n"
            f"#define {name}(...) \\\n  WEFT_PICK_{most}(__VA_ARGS__, {', '.join(choices)}, 0)(__VA_ARGS__)\n")
