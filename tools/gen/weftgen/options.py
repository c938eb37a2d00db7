"""Reads tables of options: api/options.def, which C++ includes, and those of other interfaces (interfaces.toml), of which it
makes options.inc beside their calls.hpp: the table, and the function that reads it. And src/api/option_tables.inc, all of them.
"""
import dataclasses
import re

from .table import TableError
from .text import banner

ENTRY = re.compile(r"WEFT_OPTION\((\w+),\s*(\w+),\s*((?:\"[^\"]*\"[,\s]*)+)\)")
CHOICES = re.compile(r"WEFT_CHOICES\((\w+),\s*((?:\"[^\"]*\"[,\s]*)+)\)")
KINDS = ("size", "flag", "count", "word", "text")  # the other ones are api/options.def's

TABLE = """\
{banner}
// After base/option_table.hpp: an interface includes no room.
#pragma once

namespace weft::{namespace} {{

/// One member per line of {file}, named by its identifier.
struct Options {{
{members}
}};

namespace options {{
{choices}inline constexpr base::OptionText kTexts[] = {{
{texts}
}};
}}  // namespace options

inline constexpr base::OptionTable kOptions{{"{name}", options::kTexts, {{{choice_list}}}}};

/// All of them, or one line about the first value that is wrong.
inline base::Result<Options> read_options(base::Lookup lookup = base::in_environment) noexcept {{
  Options read;
{reads}
  return read;
}}

}}  // namespace weft::{namespace}
"""

ALL = """\
{banner}
// After base/option_table.hpp: an interface includes no room.
#pragma once

#include <span>
{includes}
namespace weft::api {{

/// The tables of the interfaces that have some beside api/options.def.
inline std::span<const base::OptionTable* const> option_tables() noexcept {{
{body}
}}

}}  // namespace weft::api
"""


@dataclasses.dataclass(frozen=True)
class Option:
    kind: str
    name: str
    older_name: str
    default: str
    text: str
    identifier: str = ""
    choices: tuple = ()


def strings_of(text):
    # Strings without a comma between them are one, as in C.
    return re.findall(r'"([^"]*)"', re.sub(r'"\s+"', "", text))


def load(path):
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    choices = {identifier: tuple(strings_of(strings)) for identifier, strings in CHOICES.findall(text)}
    options = []
    for identifier, kind, strings in ENTRY.findall(text):
        fields = strings_of(strings)
        if len(fields) != 4:
            raise TableError(f"{path.name}: {identifier}: four strings are needed, not {len(fields)}")
        options.append(Option(kind, *fields, identifier, choices.get(identifier, ())))
    if len(options) != text.count("WEFT_OPTION("):
        raise TableError(f"{path.name}: an entry is not of the form WEFT_OPTION(identifier, kind, four strings)")
    return options


def check(path, options):
    for option in options:
        if option.kind not in KINDS:
            raise TableError(f"{path.name}: {option.identifier}: kind '{option.kind}' is none of {', '.join(KINDS)}")
        if (option.kind == "word") != bool(option.choices):
            raise TableError(f"{path.name}: {option.identifier}: a word has WEFT_CHOICES, and nothing else has")
        if option.choices and option.default not in option.choices:
            raise TableError(f"{path.name}: {option.identifier}: '{option.default}' is none of its choices")


def constant(identifier):
    return "k" + "".join(part.capitalize() for part in identifier.split("_"))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def render_one(interface, path):
    options = load(path)
    check(path, options)
    words = [option for option in options if option.choices]
    choices = [f"inline constexpr const char* {constant(option.identifier)}[] = "
               f"{{{', '.join(quoted(word) for word in option.choices)}, nullptr}};\n" for option in words]
    if words:
        rows = ", ".join(f"{{{quoted(option.identifier)}, {constant(option.identifier)}}}" for option in words)
        choices.append(f"inline constexpr base::OptionChoices kChoices[] = {{{rows}}};\n")
    texts = [", ".join(map(quoted, (o.identifier, o.kind, o.name, o.older_name, o.default, o.text))) for o in options]
    return TABLE.format(
        banner=banner(table=path.name).rstrip(), namespace=interface.namespace, file=path.name, name=interface.name,
        members="\n".join(f"  base::option_kind::{option.kind} {option.identifier}{{}};" for option in options),
        choices="".join(choices), texts="\n".join(f"    {{{row}}}," for row in texts),
        choice_list="options::kChoices" if words else "",
        reads="\n".join(f"  if (const auto done = base::read_option(kOptions, {k}, lookup, &read.{option.identifier}); !done) {{\n"
                        f"    return done.error();\n  }}" for k, option in enumerate(options)))


def render(api, interfaces):
    """What is made of the tables that interfaces have of their own."""
    files, own = {}, [each for each in interfaces if each.options]
    for each in own:
        files[f"src/{each.path}/options.inc"] = render_one(each, api / each.folder / each.options)
    body = "  return {};"
    if own:
        rows = ", ".join(f"&weft::{each.namespace}::kOptions" for each in own)
        body = f"  static constexpr const base::OptionTable* kAll[] = {{{rows}}};\n  return kAll;"
    files["src/api/option_tables.inc"] = ALL.format(
        banner=banner(table="interfaces.toml").rstrip(), body=body,
        includes="".join(f'#include "{each.path}/options.inc"\n' for each in own))
    return files
