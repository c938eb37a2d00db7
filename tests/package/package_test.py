#!/usr/bin/env python3
"""The packages that `./dev package` makes: what is in which, what they say they need, and that they work.

usage: package_test.py [CASE]       the folder of the packages is in WEFT_TEST_PACKAGES; with WEFT_TEST_WHOLE set, all
                                    tests of an installation are run with each package and lintian looks at the .deb
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "install"))
import install_test  # noqa: E402  (it is in a folder of its own)
from install_test import HELLO_C, Installed, MpiProgram, need  # noqa: E402

PACKAGES = Path(os.environ.get("WEFT_TEST_PACKAGES", "build/packages")).resolve()
DEB_LIBDIR = os.environ.get("WEFT_TEST_DEB_LIBDIR", "lib")
WHOLE = bool(os.environ.get("WEFT_TEST_WHOLE"))
# What only a package of Debian has.
DEBIAN_ONLY = re.compile(r"^share/(doc/weft(-\w+)?/(copyright|changelog\.gz)$|lintian/)")


SHARED_WITH_OPEN_MPI = re.compile(r"(.*)\.weft(\.1\.gz|\.so|)$")


def only(pattern):
    found = list(PACKAGES.glob(pattern))
    assert len(found) == 1, f"{PACKAGES}: {len(found)} files {pattern}, one is needed"
    return found[0]


def files_below(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_symlink() or path.is_file()}


def command(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=True).stdout


class Package(MpiProgram, Installed):
    """Unpacked once for all tests of a case, below a path with blanks in it."""

    libdir = "lib"

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="weft packages ")
        cls.addClassCleanup(holder.cleanup)
        cls.place = Path(holder.name)
        cls.prefix = cls.unpack()

    def works(self):
        need("cc")
        self.compile("oshcc", HELLO_C, "-o", "hello")
        self.says_hello("./hello")
        self.assertIn(str(self.prefix / self.libdir), self.run_command("ldd", "./hello").stdout)
        self.assertRegex(self.run_command("oshrun", "--version").stdout, r"Weft \d+\.\d+\.\d+")
        self.assertIn("SHMEM_SYMMETRIC_SIZE", self.run_command("weft-info").stdout)
        self.says_hello_on_hosts("./hello")
        self.has_mpi()
        self.install_tests_pass("openmp_test.py")

    def install_tests_pass(self, file, *cases):
        test = Path(install_test.__file__).with_name(file)
        done = subprocess.run([sys.executable, "-B", test, *cases], capture_output=True, text=True, timeout=900, check=False,
                              env={**os.environ, "WEFT_TEST_PREFIX": str(self.prefix), "WEFT_TEST_LIBDIR": self.libdir})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def all_install_tests_pass(self, *cases):
        if not WHOLE:
            self.skipTest("only ./dev package does this")
        self.install_tests_pass("install_test.py", *cases)
        self.install_tests_pass("builds_test.py")


class Deb(Package):
    libdir = DEB_LIBDIR

    @classmethod
    def unpack(cls):
        need("dpkg-deb")
        cls.files = {}
        for name in ("weft", "weft-dev", "weft-doc"):
            alone = cls.place / name
            command("dpkg-deb", "--extract", only(f"{name}_*.deb"), alone)
            command("dpkg-deb", "--extract", only(f"{name}_*.deb"), cls.place / "all of them")
            cls.files[name] = files_below(alone / "usr")
            assert not [p for p in alone.iterdir() if p.name != "usr"], f"{name}: files outside of /usr"
        cls.alternatives = {}  # the name that commands and files have once update-alternatives has made its links
        for file in sorted(set().union(*cls.files.values())):
            if match := SHARED_WITH_OPEN_MPI.match(file):
                cls.alternatives[file] = link = "".join(match.groups())
                (cls.place / "all of them/usr" / link).symlink_to(Path(file).name)
        return cls.place / "all of them/usr"

    def field(self, package, field):
        return command("dpkg-deb", "--field", only(f"{package}_*.deb"), field).strip()

    def test_it_works(self):
        self.works()

    def test_who_has_what(self):
        for name, package in (("bin/oshrun.weft", "weft"), ("bin/weft-info", "weft"), (f"{self.libdir}/libweft.so.0", "weft"),
                              ("bin/weft-perf", "weft"), ("libexec/weft/weft-agent", "weft"),
                              (f"{self.libdir}/libweft_tcp.so", "weft"),
                              ("share/man/man1/weft-perf.1.gz", "weft"), ("share/man/man1/weft-profile.1.gz", "weft"),
                              ("bin/oshcc.weft", "weft-dev"), ("include/shmem.h", "weft-dev"),
                              (f"{self.libdir}/libweft.so", "weft-dev"), (f"{self.libdir}/pkgconfig/weft.pc", "weft-dev"),
                              ("share/man/man1/oshcc.weft.1.gz", "weft-dev"),
                              ("share/man/man1/oshc++.weft.1.gz", "weft-dev"), (f"{self.libdir}/libsma.so", "weft-dev"),
                              ("share/man/man3/shmem_put.3.gz", "weft-doc"),
                              ("share/man/man3/shmem_long_put.3.gz", "weft-doc"),
                              ("share/man/man7/weft.7.gz", "weft-doc"),
                              ("share/doc/weft/examples/c/hello.c", "weft-doc"),
                              ("share/doc/weft/guide/clusters.md", "weft-doc"),
                              (f"{self.libdir}/weft/mpi/lib/libmpi_abi.so.1", "weft"),
                              (f"{self.libdir}/weft/mpi/bin/mpiexec", "weft"),
                              (f"{self.libdir}/weft/mpi/bin/mpicc", "weft-dev"),
                              (f"{self.libdir}/weft/mpi/lib/libmpi_abi.so", "weft-dev"),
                              (f"{self.libdir}/weft/mpi/include/mpi.h", "weft-dev"), ("bin/weft-mpicc", "weft-dev"),
                              (f"{self.libdir}/pkgconfig/weft-mpi.pc", "weft-dev"),
                              ("share/man/man1/weft-mpicxx.1.gz", "weft-dev"), ("share/man/man7/weft-mpi.7.gz", "weft-doc"),
                              (f"{self.libdir}/weft/mpi/share/man/man3/MPI_Send.3.gz", "weft-dev"),
                              (f"{self.libdir}/weft/mpi/share/man/man3/MPI_Send_c.3.gz", "weft-dev"),
                              ("share/doc/weft/guide/launchers.md", "weft-doc"), *self.optional()):
            self.assertEqual([p for p, files in self.files.items() if name in files], [package], name)

    def optional(self):
        """What takes libraries that ./dev package installs and another build may do without."""
        names = (f"{self.libdir}/libweft_ofi.so", f"{self.libdir}/libweft_placement.so", "libexec/weft/weft-bindings",
                 "libexec/weft/weft-where")
        return [(name, "weft") for name in names] if WHOLE else []

    def test_every_manual_page_is_compressed(self):
        pages = [name for files in self.files.values() for name in files if name.startswith("share/man/")]
        self.assertGreater(len(pages), 1990)
        self.assertEqual([name for name in pages if not name.endswith(".gz")], [])

    def test_no_file_is_in_two(self):
        for one, other in (("weft", "weft-dev"), ("weft", "weft-doc"), ("weft-dev", "weft-doc")):
            self.assertEqual(self.files[one] & self.files[other], set())

    def test_nothing_has_a_name_of_another_mpi(self):
        """All of MPI's names are in the folder of our own, which no path leads to unless the user says so."""
        folder = f"{self.libdir}/weft/mpi/"
        taken = re.compile(r"(^|/)(lib)?(mpi|pmpi|ompi)[^/]*$")
        names = {name for files in self.files.values() for name in files if not name.startswith("share/doc/")}
        self.assertEqual([name for name in names if taken.search(name) and not name.startswith(folder)], [])
        self.assertEqual((self.prefix / folder / "bin/mpiexec").resolve(), (self.prefix / "bin/oshrun.weft").resolve())

    def test_together_they_are_the_archive(self):
        names = {re.sub(f"^{re.escape(self.libdir)}/", "lib/", self.alternatives.get(name, name))
                 for files in self.files.values() for name in files}
        archive = {name.split("/", 1)[1] for name in command("tar", "tzf", only("weft-*.tar.gz")).splitlines()
                   if not name.endswith("/")}
        self.assertEqual({name for name in names if not DEBIAN_ONLY.match(name)}, archive)

    def test_what_open_mpi_has_too_is_an_alternative(self):
        theirs = {"bin/oshrun", "bin/oshcc", "bin/oshc++", "bin/oshcxx", "bin/oshfort", f"{self.libdir}/liboshmem.so",
                  *(f"share/man/man1/{name}.1.gz" for name in ("oshrun", "oshcc", "oshc++", "oshcxx", "oshfort"))}
        self.assertEqual(set(self.alternatives.values()), theirs)
        for package, main in (("weft", "oshrun"), ("weft-dev", "oshcc")):
            place = self.place / f"control of {package}"
            command("dpkg-deb", "--control", only(f"{package}_*.deb"), place)
            scripts = {name: (place / name).read_text() for name in ("preinst", "postinst", "prerm", "postrm")}
            self.assertEqual(len(set(scripts.values())), 1, "one script for all")
            names = re.search(r"^names='(.*)'", scripts["preinst"], re.MULTILINE).group(1).split()
            self.assertEqual(names[0], f"/usr/bin/{main}")
            self.assertEqual({name.removeprefix("/usr/") for name in names},
                             {link for file, link in self.alternatives.items() if file in self.files[package]})
            triggers = (place / "triggers").read_text().splitlines()
            self.assertEqual("activate-noawait ldconfig" in triggers, package == "weft")
            self.assertIn(f"interest-noawait /usr/bin/{main}.openmpi", triggers)
            self.assertEqual(sum(line.startswith("interest-noawait ") for line in triggers), len(names))

    def test_what_they_need(self):
        version = self.field("weft", "Version")
        self.assertRegex(self.field("weft", "Depends"), r"^libc6 \(>= [\d.]+\)")
        self.assertNotRegex(self.field("weft", "Depends"), r"libstdc\+\+|libgcc")
        self.assertIn(f"weft (= {version})", self.field("weft-dev", "Depends"))
        self.assertIn("c-compiler", self.field("weft-dev", "Depends"))
        self.assertEqual(self.field("weft-doc", "Depends"), "")
        self.assertEqual(self.field("weft-doc", "Architecture"), "all")
        for package in self.files:
            self.assertTrue(self.field(package, "Description").startswith("OpenSHMEM for Linux machines ("))
            self.assertIn(f"share/doc/{package}/copyright", self.files[package])

    def test_all_install_tests_pass(self):
        self.all_install_tests_pass()

    def test_lintian_finds_nothing(self):
        if not WHOLE:
            self.skipTest("only ./dev package does this")
        need("lintian")
        # The maintainer is whoever hands the packages out; ldconfig is how CPack does it.
        ours = ("bogus-mail-host,bogus-mail-host-in-debian-changelog,lacks-ldconfig-trigger,maintscript-calls-ldconfig")
        done = subprocess.run(["lintian", "--fail-on", "error,warning", "--suppress-tags", ours,
                               *map(str, sorted(PACKAGES.glob("*.deb")))], capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Archive(Package):
    @classmethod
    def unpack(cls):
        archive = only("weft-*.tar.gz")
        command("tar", "xzf", archive, "-C", cls.place)
        assert [p.name for p in cls.place.iterdir()] == [archive.name.removesuffix(".tar.gz")], "more than one folder"
        return next(cls.place.iterdir())

    def test_it_works(self):
        self.works()

    def test_links_stay_inside(self):
        for path in self.prefix.rglob("*"):
            if path.is_symlink():
                self.assertFalse(os.path.isabs(os.readlink(path)), path)
                self.assertTrue(path.resolve(strict=True).is_relative_to(self.prefix.resolve()), path)

    def test_all_install_tests_pass(self):
        self.all_install_tests_pass()


class Wheel(Package):
    @classmethod
    def unpack(cls):
        environment = cls.place / "environment"
        try:
            venv.create(environment, with_pip=True, symlinks=True)
        except subprocess.CalledProcessError:
            raise unittest.SkipTest("python3-venv is not there") from None
        cls.before = files_below(environment)
        cls.pip = (environment / "bin/python3", "-m", "pip", "--disable-pip-version-check", "--no-input")
        command(*cls.pip, "install", "--no-index", "--no-compile", only("weft-*.whl"))
        return environment

    def test_it_works(self):
        self.works()

    def test_it_is_all_that_the_archive_has(self):
        # A wheel has no links: of each library the name by which programs find it, and of the core's that is the whole one.
        names = {re.sub(r"(?<!_core)\.so\.(\d+)\..*", r".so.\1", name.split("/", 1)[1])
                 for name in command("tar", "tzf", only("weft-*.tar.gz")).splitlines() if not name.endswith("/")}
        names = {name for name in names if "share/man/man3/" not in name}
        ours = {name for name in files_below(self.prefix) - self.before if ".dist-info/" not in name}
        self.assertEqual(ours, names)

    def test_it_says_which_libc_it_needs(self):
        with zipfile.ZipFile(only("weft-*.whl")) as wheel:
            said = re.search(r"Requires-External: glibc \(>=([\d.]+)\)",
                             wheel.read(next(n for n in wheel.namelist() if n.endswith("METADATA"))).decode()).group(1)
        asked = command("objdump", "-T", self.prefix / "lib/libweft.so.0")
        newest = max(tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", asked))
        self.assertLessEqual(newest, tuple(map(int, said.split("."))))

    def test_another_user_of_the_environment_finds_no_second_library(self):
        """What the linker reads is a script, so that nobody can load the library under two names."""
        self.assertEqual((self.prefix / "lib/libweft.so").read_text(), "INPUT(libweft.so.0)\n")

    def test_all_install_tests_pass(self):
        # Layout is about all files below the prefix, and some here are Python's; there are no pages of functions.
        self.all_install_tests_pass("Gcc", "Clang", "Wrapper", "Fortran", "PkgConfig", "CMakePackage", "OnHosts",
                                    "Mpi.test_a_program_runs", "Mpi.test_whole_paths_and_links_do",
                                    "Mpi.test_pkg_config_knows_it", "Moved")

    def test_z_it_can_be_removed(self):
        """Last, by its name: leaves nothing but what was there before."""
        command(*self.pip, "uninstall", "--yes", "weft")
        left = {name for name in files_below(self.prefix) - self.before if "__pycache__" not in name}
        self.assertEqual(left, set())
        self.assertIsNone(shutil.which("oshrun", path=str(self.prefix / "bin")))


if __name__ == "__main__":
    sys.exit(install_test.main())
