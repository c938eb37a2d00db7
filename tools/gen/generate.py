#!/usr/bin/env python3
"""Makes the headers, bindings, call numbers and symbol map of OpenSHMEM from api/*.toml.

  generate.py --api api --out build/generated --version 0.1.0    write what changed
  generate.py --api api --list                                   print what would be written, one path a line
"""
import argparse
import pathlib
import sys

from weftgen import bindings, calls, cxx, fortran, fortran_setup, headers, interpose, symbols
from weftgen.table import Table, TableError


def products(table, api, version):
    """Every generated file: path below the output directory -> contents."""
    files = {}
    files.update(headers.render(table, version))
    files.update(cxx.render(table))
    files.update(calls.render(table))
    files.update(bindings.render(table))
    files.update(symbols.render(table))
    files.update(interpose.render(table))
    old_fortran = fortran.FortranTable(api, table)
    files.update(fortran.render(old_fortran, version))
    files.update(fortran_setup.render(table, version, old_fortran.data["constants"]["sync_size"]))
    return files


def write_if_changed(path, text):
    """A file that did not change keeps its time, so nothing that includes it is compiled again."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--api", type=pathlib.Path, required=True, help="directory of routines.toml and types.toml")
    parser.add_argument("--out", type=pathlib.Path, help="output directory")
    parser.add_argument("--version", default="0.0.0", help="version of Weft, for SHMEM_VENDOR_STRING")
    parser.add_argument("--list", action="store_true", help="only print the paths of the products")
    args = parser.parse_args()
    if not args.list and not args.out:
        parser.error("--out or --list is needed")

    try:
        files = products(Table.load(args.api), args.api, args.version)
    except TableError as error:
        sys.exit(f"generate.py: {error}")
    for name, text in files.items():
        if args.list:
            print(name)
        else:
            write_if_changed(args.out / name, text)


if __name__ == "__main__":
    main()
