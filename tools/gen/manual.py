#!/usr/bin/env python3
"""Makes the manual pages: those of the routines from api/*.toml, and those of docs/man, whose names end in .in where
something is filled in. Those of MPI's functions come into a folder of their own, mpi/. Each is compressed, as man pages are installed, and found under each of its names.

  manual.py --top . --out build/man --version 0.1.0
"""
import argparse
import gzip
import pathlib
import re
import sys

from weftgen import manual_mpi, mdoc, options
from weftgen.manual import Manual
from weftgen.manual_fortran import FortranNames
from weftgen.mpi_table import MpiTable
from weftgen.table import Table, TableError


def examples(folder):
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
            for kind in ("c", "cxx", "fortran") for path in sorted((folder / kind).iterdir())
            if path.suffix in (".c", ".cpp", ".f90", ".f")}


def names_of(text):
    """The names in a page's NAME section: it is found under each."""
    section = re.search(r"^\.Sh NAME\n(.*?)^\.Sh ", text, flags=re.M | re.S).group(1)
    return re.findall(r"^\.Nm (\S+)", section, flags=re.M)


def option_list(table):
    items = []
    for option in table:
        inline = mdoc.Inline(lambda name: ("weft-info", 1) if name == "weft-info" else {}[name], set(),
                             {each.name for each in table}).lines
        default = [".Pp", f"Default: {option.default}."] if option.default else []
        older = [".Pp", "Older name:", f".Ev {option.older_name} ."] if option.older_name else []
        items.append((f"Ev {option.name}", inline(option.text[0].upper() + option.text[1:] + ".") + default + older))
    return mdoc.tagged(items)


def page_list(manual):
    """The pages of the routines, by area."""
    out = []
    for area, about in manual.table.areas.items():
        pages = [page for page in manual.pages.values() if page.families[0].area == area]
        if pages:
            out += [f".Ss {about['title']}",
                    *mdoc.tagged([(f"Xr {page.name} 3", mdoc.Inline(None, set(), set()).lines(page.brief))
                                  for page in pages], "shmem_team_split_strided", " -compact")]
    return out


def filled_in(path, manuals, table, version, mpi):
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".in":
        return text
    for key, lines in (("OPTIONS", option_list(table)), ("ROUTINES", page_list(manuals[0])),
                       ("SHARED", page_list(manuals[1])), ("VERSION", [version]), *manual_mpi.keys(mpi)):
        text = text.replace(f"@{key}@", "\n".join(lines))
    return text


def pages(top, version):
    """(path of a page below the output, its text), and (path of a link, name of the page it leads to)."""
    table = options.load(top / "api/options.def") + options.load(top / "api/shared/options.def")
    environment = {option.name for option in table} | {option.older_name for option in table if option.older_name}
    routines, programs = Table.load(top / "api"), examples(top / "examples")
    manuals = [Manual(top / "api", routines, environment, programs,
                      fortran=FortranNames(top / "api", routines, version)),
               Manual(top / "api/shared", Table.load(top / "api/shared"), environment, programs,
                      header="weft/shared.h")]
    mpi = MpiTable.load(top / "api/mpi.toml")
    mpi_manual = manual_mpi.MpiManual(top / "api/mpi_manual.toml", mpi)
    texts = {f"man3/{page.name}.3": manual.render(page) for manual in manuals for page in manual.pages.values()}
    texts |= {f"mpi/man3/MPI_{base}.3": mpi_manual.render(base) for base in mpi_manual.pages}
    links = {f"man3/{name}.3": f"{page}.3" for manual in manuals for name, page in manual.aliases.items() if name != page}
    links |= {f"mpi/man3/{name}.3": f"{page}.3" for name, page in mpi_manual.links().items()}
    for path in sorted((top / "docs/man").iterdir()):
        found = re.fullmatch(r"([\w+-]+)\.(\d)(\.in)?", path.name)
        if not found:
            raise TableError(f"docs/man/{path.name}: is not named like a manual page")
        name, section, _ = found.groups()
        text = filled_in(path, manuals, table, version, mpi)
        texts[f"man{section}/{name}.{section}"] = text
        links |= {f"man{section}/{other}.{section}": f"{name}.{section}" for other in names_of(text) if other != name}
    return texts, links


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=pathlib.Path, required=True, help="folder that has api, docs and examples")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="output folder")
    parser.add_argument("--version", default="0.0.0", help="version of Weft")
    args = parser.parse_args()
    try:
        texts, links = pages(args.top, args.version)
    except TableError as error:
        sys.exit(f"manual.py: {error}")
    # A page that is no longer made would be installed for ever.
    for path in [*args.out.glob("man*/*"), *args.out.glob("mpi/man*/*")]:
        path.unlink()
    for name, text in texts.items():
        path = args.out / f"{name}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    for name, target in links.items():
        (args.out / f"{name}.gz").symlink_to(f"{target}.gz")


if __name__ == "__main__":
    main()
