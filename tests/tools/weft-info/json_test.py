#!/usr/bin/env python3
"""What weft-info --json prints is what docs/weft-info.schema.json describes, and it is true.

usage: json_test.py WEFT_INFO [unittest's arguments]
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((TOP / "docs/weft-info.schema.json").read_text())
WEFT_INFO = sys.argv.pop(1)
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}


def mistakes(value, schema, where="it"):
    """Where `value` is not what `schema` says; knows the words that our schema uses."""
    known = {"$schema", "title", "description", "type", "const", "enum", "required", "properties", "additionalProperties", "items"}
    assert set(schema) <= known, f"{where}: this test does not know {set(schema) - known}"
    kinds = schema.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds and not any(type(value) is TYPES[kind] for kind in kinds):
        return [f"{where} is {value!r}, not {' or '.join(kinds)}"]
    found = []
    if "const" in schema and value != schema["const"]:
        found.append(f"{where} is {value!r}, not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where} is {value!r}, none of {schema['enum']}")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        found += [f"{where} has no {name}" for name in schema.get("required", []) if name not in value]
        if schema.get("additionalProperties") is False:
            found += [f"{where}.{name} is not described" for name in value if name not in properties]
        for name in value.keys() & properties.keys():
            found += mistakes(value[name], properties[name], f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            found += mistakes(item, schema["items"], f"{where}[{number}]")
    return found


class Json(unittest.TestCase):
    def ask(self, *arguments, code=0, **environment):
        done = subprocess.run([WEFT_INFO, "--json", *arguments], env={**os.environ, **environment}, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout.decode())

    def test_the_schema_describes_it(self):
        for arguments in ([], ["--check"], ["--check", "-n", "3"]):
            said = self.ask(*arguments)
            self.assertEqual(mistakes(said, SCHEMA), [])
            self.assertEqual("check" in said, "--check" in arguments)
        said = self.ask(WEFT_INFO)
        self.assertEqual(mistakes(said, SCHEMA), [])
        self.assertEqual((said["program"]["interfaces"], said["program"]["one_host"]["processes_are"]), ([], "each its own"))

    def test_the_test_finds_mistakes(self):
        said = self.ask()
        for spoil in (lambda: said.pop("version"), lambda: said.update(schema=2), lambda: said.update(more=1),
                      lambda: said["build"].update(fortran=1), lambda: said["options"][0].update(kind="new")):
            said = self.ask()
            spoil()
            self.assertEqual(len(mistakes(said, SCHEMA)), 1)

    def test_options(self):
        said = self.ask(SMA_SYMMETRIC_SIZE="64M", SHMEM_DEBUG="", WEFT_COLL_REDUCE="words")
        options = {option["name"]: option for option in said["options"]}
        size = options["SHMEM_SYMMETRIC_SIZE"]
        self.assertEqual((size["value"], size["default"], size["origin"], size["set_by"]),
                         ("64M", "512M", "environment", "SMA_SYMMETRIC_SIZE"))
        self.assertEqual((options["SHMEM_DEBUG"]["value"], options["SHMEM_INFO"]["value"]), ("on", "off"))
        self.assertEqual(options["WEFT_COLL_REDUCE"]["origin"], "environment")
        self.assertEqual(options["WEFT_SPIN"]["set_by"], None)
        self.assertEqual((size["interface"], options["WEFT_SPIN"]["interface"]), ("OpenSHMEM", "Weft"))
        # Those of all front ends.
        tables = [file.read_text() for file in (TOP / "api").glob("**/options.def")]
        self.assertGreater(len(tables), 1)
        self.assertEqual(len(options), sum(table.count("\nWEFT_OPTION(") for table in tables))

    def test_a_copy_routine_that_was_named_is_the_one_in_use(self):
        said = self.ask(WEFT_COPY="libc")
        self.assertEqual({copy["routine"] for copy in said["copies"]}, {"libc"})
        usable = {choice["name"] for option in said["options"] if option["name"] == "WEFT_COPY"
                  for choice in option["choices"] if choice["usable"]}
        self.assertLessEqual({copy["routine"] for copy in self.ask()["copies"]}, usable)

    def test_the_network(self):
        network = self.ask(WEFT_NET="tcp")["network"]
        self.assertEqual((network["use"], network["problem"]), ("tcp", None))
        self.assertFalse([offer for offer in network["providers"] if offer["chosen"]])
        network = self.ask(WEFT_NET="ofi")["network"]
        self.assertEqual(network["use"], "ofi")
        if network["library"] is None:
            self.assertNotEqual(network["problem"], None)
            self.skipTest("built without libfabric")
        chosen = [offer for offer in network["providers"] if offer["chosen"]]
        self.assertEqual(len(chosen), 1 if network["problem"] is None else 0)
        for offer in network["providers"]:
            self.assertEqual(offer["usable"], offer["why"] is None)
            self.assertLessEqual(offer["chosen"], offer["usable"])

    def test_mpi(self):
        mpi = self.ask()["mpi"]
        self.assertNotEqual(mpi["folder"] is None, mpi["problem"] is None)
        if mpi["problem"] is not None:
            self.skipTest(mpi["problem"])
        self.assertTrue((Path(mpi["folder"]) / "lib/libmpi_abi.so.1").exists())
        self.assertTrue((Path(mpi["folder"]) / "bin/mpiexec").exists())

    def test_a_provider_that_is_not_there(self):
        network = self.ask(WEFT_OFI_PROVIDER="carrier_pigeon")["network"]
        if network["library"] is None:
            self.skipTest("built without libfabric")
        self.assertIn("offers no provider carrier_pigeon", network["problem"])
        self.assertEqual(network["providers"], [])

    def test_the_size_of_copies(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "network"
            copy = self.ask(WEFT_NET_FILE=str(file))["network"]["copy"]
            self.assertEqual((copy["bytes"], copy["by"], copy["problem"]), (8192, "default", None))
            copy = self.ask(WEFT_NET_FILE=str(file), WEFT_NET_COPY="100")["network"]["copy"]
            self.assertEqual((copy["bytes"], copy["by"]), (100, "WEFT_NET_COPY"))
            file.write_text("nonsense\n", encoding="utf-8")
            copy = self.ask(WEFT_NET_FILE=str(file))["network"]["copy"]
            self.assertIn(f"line 1 of {file}", copy["problem"])

    def test_a_value_that_is_not_understood(self):
        said = self.ask("--check", code=1, WEFT_SPIN="fast")
        self.assertIn("WEFT_SPIN=fast", said["options_problem"])
        self.assertFalse(said["check"]["runs"])

    def test_an_environment_that_is_not_text(self):
        said = self.ask(SHMEM_INFO="\udcff", WEFT_SPIN="\udcff", code=1)
        self.assertEqual(mistakes(said, SCHEMA), [])


if __name__ == "__main__":
    unittest.main()
