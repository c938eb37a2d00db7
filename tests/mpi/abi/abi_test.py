#!/usr/bin/env python3
"""Compares mpi.h and the library with facts of the standard's binary interface (MPI 5.0, chapter 20): functions.csv, values.csv
and types.csv beside this file, which are not what mpi.h is made from.

usage: abi_test.py --include DIR --cc CC --cxx CXX [--library FILE --nm NM]
"""
import argparse
import csv
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
OPTIONS = None
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def facts(name):
    with open(HERE / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Header(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compiled(self, compiler, name, text, *options):
        source = pathlib.Path(self.folder.name) / name
        source.write_text(text, encoding="utf-8")
        return run(compiler, f"-I{OPTIONS.include}", *options, source)

    def test_alone_and_without_warnings(self):
        for std in ("c99", "c11", "c17"):
            done = self.compiled(OPTIONS.cc, "alone.c", "#include <mpi.h>\n#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n",
                                 f"-std={std}", "-fsyntax-only", *STRICT)
            self.assertEqual(done, (0, ""), std)
        for std in ("c++11", "c++20"):
            done = self.compiled(OPTIONS.cxx, "alone.cpp", "#include <mpi.h>\nint main() { return MPI_SUCCESS; }\n",
                                 f"-std={std}", "-fsyntax-only", *STRICT)
            self.assertEqual(done, (0, ""), std)

    def test_handles_as_integers_of_another_kind(self):
        text = ("#include <mpi.h>\n#include <stdint.h>\n"
                "int64_t (*to)(MPI_Comm) = MPI_Comm_c2f;\nMPI_Datatype (*from)(int64_t) = MPI_Type_f2c;\n")
        done = self.compiled(OPTIONS.cc, "wide.c", text, "-std=c99", "-fsyntax-only", "-DMPI_ABI_Fint=int64_t", *STRICT)
        self.assertEqual(done, (0, ""))
        code, said = self.compiled(OPTIONS.cc, "only.c", text, "-std=c99", "-fsyntax-only", "-DWEFT_MPI_ABI_ONLY", *STRICT)
        self.assertNotEqual(code, 0)
        self.assertIn("MPI_Comm_c2f", said)

    def test_prototypes(self):
        lines = ["#include <mpi.h>"]
        for fact in facts("functions"):
            for prefix in ("", "P"):
                name = prefix + fact["name"]
                pointer = fact["prototype"].replace(f"{fact['name']}(", f"(*p_{name})(")
                lines += [f"extern {pointer};", f"{pointer} = {name};"]
        done = self.compiled(OPTIONS.cc, "prototypes.c", "\n".join(lines) + "\n", "-std=c99", "-fsyntax-only", *STRICT)
        self.assertEqual(done, (0, ""))
        lines = ["#include <mpi.h>", "#include <type_traits>"]
        for fact in facts("functions"):
            pointer = fact["prototype"].replace(f"{fact['name']}(", f"t_{fact['name']}(").replace("(void)", "()")
            lines += [f"typedef {pointer};",
                      f"static_assert(std::is_same<decltype({fact['name']}), t_{fact['name']}>::value, \"{fact['name']}\");"]
        done = self.compiled(OPTIONS.cxx, "prototypes.cpp", "\n".join(lines) + "\n", "-std=c++11", "-fsyntax-only", *STRICT)
        self.assertEqual(done, (0, ""))

    def test_a_wrong_prototype_is_found(self):
        code, said = self.compiled(OPTIONS.cc, "wrong.c", "#include <mpi.h>\nextern int (*p)(MPI_Comm, long *);\n"
                                   "int (*p)(MPI_Comm, long *) = MPI_Comm_rank;\n", "-std=c99", "-fsyntax-only", *STRICT)
        self.assertNotEqual(code, 0)
        self.assertIn("incompatible", said)

    def test_types(self):
        lines = ["#include <mpi.h>", "#include <cstddef>", "#include <cstdint>", "#include <type_traits>"]
        lines += [f"static_assert(std::is_same<{fact['name']}, {fact['type']}>::value, \"{fact['name']}\");" for fact in facts("types")]
        for number, member in enumerate(("MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal")):
            lines.append(f"static_assert(offsetof(MPI_Status, {member}) == {4 * number}, \"{member}\");")
        lines.append("static_assert(sizeof(MPI_Status) == 32 && alignof(MPI_Status) == alignof(int), \"MPI_Status\");")
        done = self.compiled(OPTIONS.cxx, "types.cpp", "\n".join(lines) + "\n", "-std=c++11", "-fsyntax-only", *STRICT)
        self.assertEqual(done, (0, ""))

    def test_values(self):
        checks, lines = [], ["#include <mpi.h>", "#include <stdio.h>", "#include <type_traits>"]
        for fact in facts("values"):
            name, kind = fact["name"], fact["type"]
            same = (f"std::is_enum<decltype({name})>::value" if kind == "enum"
                    else f"std::is_same<std::decay<decltype({name})>::type, {kind}>::value")
            lines.append(f"static_assert({same}, \"{name}\");")
            checks.append(f"  if ((long long){name} != {fact['value']}LL) printf(\"%s is %lld\\n\", \"{name}\", (long long){name});")
        lines += ["int main() {", *checks, "}"]
        program = pathlib.Path(self.folder.name) / "values"
        done = self.compiled(OPTIONS.cxx, "values.cpp", "\n".join(lines) + "\n", "-std=c++11", "-w", "-o", program)
        self.assertEqual(done, (0, ""))
        self.assertEqual(run(program), (0, ""))

    def test_no_other_names(self):
        text = (pathlib.Path(OPTIONS.include) / "mpi.h").read_text(encoding="utf-8")
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        found = set(re.findall(r"\bP?MPIX?_\w+", text))
        known = {fact["name"] for name in ("values", "types", "functions") for fact in facts(name)}
        known |= {f"P{fact['name']}" for fact in facts("functions")}
        known |= set(re.findall(r"MPI_ABI_\w+", " ".join(fact["type"] for fact in facts("types"))))
        known |= {"MPI_Status", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal", "MPI_H_ABI"}
        known |= {fact["type"] for fact in facts("values") if fact["type"].startswith("MPI_T_")}
        self.assertEqual(found, known)


class Library(unittest.TestCase):
    def setUp(self):
        if not OPTIONS.library:
            self.skipTest("no library is given")

    def symbols(self):
        code, listing = run(OPTIONS.nm, "-D", "--defined-only", OPTIONS.library)
        self.assertEqual(code, 0, listing)
        return {line.split()[-1]: line.split()[-2] for line in listing.splitlines()}

    def test_exports_the_functions_and_nothing_else(self):
        found = self.symbols()
        names = {fact["name"] for fact in facts("functions")}
        self.assertEqual(set(found), names | {f"P{name}" for name in names})
        self.assertEqual({found[name] for name in names}, {"W"})
        self.assertEqual({found[f"P{name}"] for name in names}, {"T"})

    def test_soname(self):
        code, listing = run("readelf", "-d", OPTIONS.library)
        self.assertEqual(code, 0)
        self.assertIn("soname: [libmpi_abi.so.1]", listing)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--library")
    parser.add_argument("--nm", default="nm")
    OPTIONS = parser.parse_args()
    unittest.main(argv=["abi_test"])
