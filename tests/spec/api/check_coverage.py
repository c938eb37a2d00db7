"""Compares api/*.toml with the specification, both ways: names, sections, versions, generic names and the types they
take, constants, handles."""
import re

from spec_table import NotYet, covered_functions, finish, rows, weft_table
from weftgen import generics

problems = []


def compare(what, ours, specified):
    problems.extend(f"{what} {name}: the specification has it, Weft has not" for name in sorted(specified - ours))
    problems.extend(f"{what} {name}: Weft has it, the specification has not" for name in sorted(ours - specified))


def version(text):
    """Sortable; "<=1.2", 1.2 or earlier, comes before all that are known exactly."""
    return 0.0 if text.startswith("<=") else float(text)


def check_functions(table):
    functions = {row["name"]: row for row in covered_functions()}
    compare("function", {routine.name for routine in table.standard_routines}, set(functions))
    for routine in table.standard_routines:
        row, family = functions.get(routine.name), routine.family
        if not row:
            continue
        section = re.match(r"sec ([\w.]+)", row["notes"])
        if section and section.group(1) != family.section:
            problems.append(f"{routine.name}: section {family.section}, should be {section.group(1)}")
        if row["deprecated_since"] != family.deprecated:
            problems.append(f"{routine.name}: deprecated '{family.deprecated}', should be '{row['deprecated_since']}'")
    for family in table.families:
        if family.is_extension:
            continue
        since = [functions[routine.name]["since"] for routine in family.routines if routine.name in functions]
        oldest = min(since, key=version, default=family.since)
        if oldest != family.since:
            problems.append(f"{family.label}: since {family.since}, should be {oldest}")


def check_generics(table):
    specified, types = set(), {}
    not_yet = NotYet()
    for row in rows():
        if row["kind"] != "generic" or row in not_yet or "not a generic macro" in row["notes"]:
            continue
        specified.add((row["name"], row["parameters"].count(",") + 1))
        listed = re.search(r"\[([\w,*]+)\]", row["notes"])
        if listed:
            types[row["name"]] = set(listed.group(1).replace("*", "").split(","))
    # Where C11 lends the name of a function, the form with as many arguments as the function is no generic row.
    functions = {(row["name"], row["parameters"].count(",") + 1) for row in covered_functions()}
    ours = {(generic.name, arity) for generic in generics.collect(table) for arity in generic.arities}
    compare("generic (name, arguments)", ours - (functions - specified), specified)
    for generic in generics.collect(table):
        takes = {name for each in generic.sets for name in table.sets[each]}
        if takes != types.get(generic.name, set()):
            problems.append(f"{generic.name}: takes {sorted(takes)}, should be {sorted(types.get(generic.name, ()))}")


def check_constants(table):
    ours = {name for _, values in table.constants for name in values}
    ours |= {handle["invalid"] for handle in table.handles.values()} | set(table.objects)
    compare("constant", ours, {row["name"] for row in rows() if row["kind"] == "macro/constant"})
    not_yet = NotYet()
    compare("type", set(table.handles) | set(table.structs), {row["name"] for row in rows() if row["kind"] == "type" and row not in not_yet})


def check_not_yet(table):
    not_yet = NotYet()
    for row in rows():
        _ = row in not_yet
    problems.extend(f"not_yet.toml: '{names}' matches nothing" for names in not_yet.stale())
    ours = {routine.name for routine in table.routines}
    problems.extend(f"not_yet.toml lists {row['name']}, which Weft has" for row in rows()
                    if row["kind"] == "function" and row["name"] in ours and row in not_yet)


TABLE = weft_table()
check_functions(TABLE)
check_generics(TABLE)
check_constants(TABLE)
check_not_yet(TABLE)
finish(problems, f"{len(TABLE.routines)} functions, as specified")
