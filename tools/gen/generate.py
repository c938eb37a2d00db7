#!/usr/bin/env python3
"""Makes of api/*.toml the tables of all interfaces' calls, and the headers, bindings and symbol map of those that say so.

  generate.py --api api --out build/generated --version 0.1.0    write what changed
  generate.py --api api --list                                   print what would be written, one path a line
  generate.py --api api --interface shmem ...                    of this interface only, not what all have in common
"""
import argparse
import pathlib
import sys

from weftgen import (bindings, calls, cxx, fortran, fortran_setup, fortran_shared, headers, interfaces, interpose, kinds, mpi_bindings,
                     mpi_header, mpi_interpose, mpi_tables, options, symbols)
from weftgen.mpi_table import MpiTable
from weftgen.table import Table, TableError


def make_fortran(table, folder, version):
    old = fortran.FortranTable(folder, table)
    return {**fortran.render(old, version),
            **fortran_setup.render(table, version, old.data["constants"]["sync_size"])}


def make_mpi(table, version):
    return {**mpi_header.render(table), **mpi_tables.render(table, version), **mpi_bindings.render(table)}


def wrappers_of(table):
    return mpi_interpose if isinstance(table, MpiTable) else interpose


def load_table(folder, interface):
    """MPI's functions come one by one, with handles and values; other interfaces' in families of routines."""
    return MpiTable.load(folder / interface.table) if "mpi" in interface.makes else Table.load(folder)


MAKERS = {
    "headers": lambda table, folder, version: headers.render(table, version),
    "cxx": lambda table, folder, version: cxx.render(table),
    "bindings": lambda table, folder, version: bindings.render(table),
    "symbols": lambda table, folder, version: symbols.render(table),
    "fortran": make_fortran,
    "fortran_shared": lambda table, folder, version: fortran_shared.render(table),
    "mpi": lambda table, folder, version: make_mpi(table, version),
}


def products(api, version, only=None):
    """Every generated file: path below the output directory -> contents."""
    tables = [(each, load_table(api / each.folder, each)) for each in interfaces.load(api)]
    if only and only not in {each.id for each, _ in tables}:
        raise TableError(f"interfaces.toml: no interface '{only}'")
    files = {} if only else {**kinds.render(), **interfaces.render(tables),
                             **options.render(api, [each for each, _ in tables])}
    for each, table in tables:
        if only and each.id != only:
            continue
        files.update(calls.render(each, table))
        for name in each.makes:
            if name == "interpose":
                files.update(wrappers_of(table).render(each, table))
            elif name in MAKERS:
                files.update(MAKERS[name](table, api / each.folder, version))
            else:
                raise TableError(f"interfaces.toml: {each.id}: '{name}' is none of interpose, {', '.join(MAKERS)}")
    wrapped = [name for each, table in tables if "interpose" in each.makes for name in wrappers_of(table).names(table)]
    if wrapped and not only:
        files.update(interpose.symbols(wrapped))
    return files


def write_if_changed(path, text):
    """A file that did not change keeps its time, so nothing that includes it is compiled again."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--api", type=pathlib.Path, required=True, help="directory of interfaces.toml")
    parser.add_argument("--out", type=pathlib.Path, help="output directory")
    parser.add_argument("--version", default="0.0.0", help="version of Weft, for SHMEM_VENDOR_STRING")
    parser.add_argument("--interface", metavar="ID", help="make only what is this one's")
    parser.add_argument("--list", action="store_true", help="only print the paths of the products")
    args = parser.parse_args()
    if not args.list and not args.out:
        parser.error("--out or --list is needed")

    try:
        files = products(args.api, args.version, args.interface)
    except TableError as error:
        sys.exit(f"generate.py: {error}")
    for name, text in files.items():
        if args.list:
            print(name)
        else:
            write_if_changed(args.out / name, text)


if __name__ == "__main__":
    main()
