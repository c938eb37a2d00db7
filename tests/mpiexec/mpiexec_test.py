#!/usr/bin/env python3
"""oshrun by MPI's names: what it is called, what it takes, what ranks get, and which library of MPI they load.

usage: mpiexec_test.py [CASE]       WEFT_TEST_BUILD is the folder of the build
"""

import os
import shutil
import unittest

from prefix import LIBDIR, PROGRAM, Prefix, lines_of


class Names(Prefix):
    def test_messages_have_the_name_and_speak_of_ranks(self):
        for name in ("mpiexec", "mpirun"):
            self.says(f"{name}: rank 1 (pid ", name, "-n", "2", "/bin/sh", "-c", "exit $MPI_LOCALRANKID", code=1)
            self.says(f"{name}: -n 0: the number of ranks must be from 1 to", name, "-n", "0", "/bin/true", code=2)
        self.says("oshrun: PE 1 (pid ", "oshrun", "-n", "2", "/bin/sh", "-c", "exit $MPI_LOCALRANKID", code=1)
        self.assertTrue(self.run_command("mpiexec", "--help").stdout.startswith("usage: mpiexec -n N"))

    def test_a_number_need_not_be_given(self):
        self.assertEqual(self.lines("mpiexec", "/bin/sh", "-c", "echo $OMPI_COMM_WORLD_SIZE"), ["1"])
        self.says("oshrun: the number of PEs is missing", "oshrun", "/bin/true", code=2)

    def test_a_program_has_names_in_it(self):
        self.says("mpiexec: /oshrun/PE: no such file", "mpiexec", "/oshrun/PE", code=127)


class Options(Prefix):
    def test_parts_have_folders_paths_and_variables(self):
        for name in ("a", "b"):
            self.script(f"{name}/prog", f'echo {name} $(basename "$PWD") "${{X-none}}" $Y')
        self.assertEqual(self.lines("mpiexec", "-n", "2", "-wdir", "a", "-env", "X", "0", "-env", "X", "1", "./prog", ":", "-genv", "Y=2",
                                    "-wdir", "b", "-path", self.folder / "b", "prog"), ["a a 1 2", "a a 1 2", "b b none 2"])
        self.says("mpiexec: --wdir none: cannot go there: No such file", "mpiexec", "-wdir", "a", "./prog", ":", "-wdir", "none",
                  "./prog", code=1)

    def test_files_of_options(self):
        self.write("parts", "# two\n-n 1 /bin/echo 'a  b'\n-n 2 \\\n  /bin/echo c\n")
        self.assertEqual(self.lines("mpiexec", "-configfile", "parts"), ["a  b", "c", "c"])
        self.write("options", "-n 2 -env X 'y  z'")
        self.assertEqual(self.lines("mpiexec", "-file", "options", "/bin/sh", "-c", 'echo "$X"'), ["y  z"] * 2)

    def test_soft_and_tags(self):
        self.assertEqual(self.lines("mpiexec", "-n", "4", "-soft", "1:9:2", "-prepend-rank", "/bin/echo", "x"),
                         ["[0] x", "[1] x", "[2] x"])

    def test_what_means_nothing_here_is_said(self):
        self.says("mpiexec: --mca: it sets components of Open MPI", "mpiexec", "--mca", "btl", "self", "-n", "2", "x", code=2)
        self.assertEqual(self.lines("mpiexec", "--oversubscribe", "--allow-run-as-root", "-np", "1", "/bin/echo", "x"), ["x"])


class Environment(Prefix):
    def test_ranks_by_the_names_of_others(self):
        names = ("MPI_LOCALRANKID", "MPI_LOCALNRANKS", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                 "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_NODE_RANK")
        text = "echo " + " ".join(f"${name}" for name in names)
        for launcher in ("oshrun", "mpiexec"):
            self.assertEqual(self.lines(launcher, "-n", "2", "/bin/sh", "-c", text, OMPI_COMM_WORLD_RANK="7"),
                             ["0 2 0 2 0 2 0", "1 2 1 2 1 2 1"])

    def test_a_programs_own_variable_does_not_double_a_ranks(self):
        done = self.run_command("mpiexec", "-n", "1", "-env", "OMPI_COMM_WORLD_RANK", "7", "/usr/bin/env")
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("OMPI_COMM_WORLD_RANK=")],
                         ["OMPI_COMM_WORLD_RANK=0"])

    def test_nothing_that_names_another_launcher(self):
        done = self.run_command("mpiexec", "-n", "1", "/usr/bin/env")
        added = {line.split("=")[0] for line in done.stdout.splitlines()} - set(os.environ)
        self.assertEqual([name for name in added if name.startswith(("PMI", "OMPI_MCA", "PRTE", "HYDI", "HYDRA"))], [])


class Libraries(Prefix):
    def setUp(self):
        super().setUp()
        self.write("prog.c", PROGRAM)
        self.make_library(self.folder / "theirs", "libmpi_abi.so.1", "theirs")
        self.make_library(self.folder / "old", "libmpi.so.40", "old")

    def link(self, name, *flags, library="theirs/libmpi_abi.so.1"):
        self.compile("cc", f"-I{self.mpi}/include", "prog.c", library, "-o", name, *flags)
        return f"./{name}"

    def test_ours_is_first(self):
        prog = self.link("prog")
        for launcher in ("mpiexec", "mpirun", "oshrun"):
            self.assertEqual(self.lines(launcher, "-n", "3", prog), lines_of(3))
        self.assertEqual(self.lines("mpiexec", "-n", "2", prog, LD_LIBRARY_PATH=str(self.folder / "theirs")), lines_of(2))
        self.assertEqual(self.lines("mpiexec", "-n", "2", "-env", f"LD_LIBRARY_PATH={self.folder}/theirs", prog), lines_of(2))
        self.assertEqual(self.run_command(prog, LD_LIBRARY_PATH=str(self.folder / "theirs")).stdout,
                         "rank 0 of 1 by theirs\n")

    def test_only_for_programs_that_need_it(self):
        show = ["/bin/sh", "-c", "echo ${LD_LIBRARY_PATH-none}"]
        prog = self.link("prog")
        self.assertEqual(self.lines("mpiexec", "-n", "1", *show, ":", "-n", "1", prog), ["none", "rank 1 of 2 by ours"])
        self.assertEqual(self.lines("mpiexec", "-n", "1", *show, LD_LIBRARY_PATH="/x"), ["/x"])

    def test_what_was_there_comes_behind_it(self):
        self.make_library(self.folder / "more", "libmore.so", "more")
        prog = self.link("prog", "-Wl,--no-as-needed", "more/libmore.so")
        self.assertEqual(self.lines("mpiexec", "-n", "2", prog, LD_LIBRARY_PATH=f"{self.folder}/theirs:{self.folder}/more"),
                         lines_of(2))

    def test_behind_a_library(self):
        self.compile("cc", "-shared", "-fPIC", "-Dmain=run", f"-I{self.mpi}/include", "prog.c", "theirs/libmpi_abi.so.1", "-o",
                     "librun.so")
        self.write("main.c", "int run(int, char **); int main(int argc, char **argv) { return run(argc, argv); }")
        self.compile("cc", "main.c", "-L.", "-lrun", "-Wl,-rpath,$ORIGIN,-rpath-link,theirs", "-o", "main")
        self.assertEqual(self.lines("mpiexec", "-n", "2", "./main"), lines_of(2))

    def test_an_rpath_that_wins_is_told(self):
        prog = self.link("prog", f"-Wl,--disable-new-dtags,-rpath,{self.folder}/theirs")
        done = self.run_command("mpiexec", "-n", "2", prog)
        self.assertEqual(done.stderr, f"mpiexec: ./prog: its RPATH names {self.folder}/theirs/libmpi_abi.so.1, which wins over "
                         "Weft's; link it with -Wl,--enable-new-dtags, or take the RPATH out (chrpath -d)\n")
        self.assertEqual(sorted(done.stdout.splitlines()), lines_of(2, "theirs"))
        prog = self.link("new", f"-Wl,--enable-new-dtags,-rpath,{self.folder}/theirs")
        self.assertEqual(self.lines("mpiexec", "-n", "2", prog), lines_of(2))
        prog = self.link("same", f"-Wl,--disable-new-dtags,-rpath,{self.mpi}/lib")
        self.assertEqual(self.lines("mpiexec", "-n", "2", prog), lines_of(2))

    def test_a_program_of_another_mpi_is_none_of_ours(self):
        prog = self.link("prog", f"-Wl,-rpath,{self.folder}/old", library="old/libmpi.so.40")
        self.says("mpiexec: ./prog was built for another MPI (it needs libmpi.so.40) and would be 3 jobs of one rank here; build "
                  "it with weft-mpicc, or start it with that MPI's own mpiexec", "mpiexec", "-n", "3", prog, code=126)
        self.says("mpiexec: ./prog was built for another MPI", "mpiexec", "-n", "1", "/bin/true", ":", "-n", "1", prog, code=126)
        self.assertEqual(self.lines("mpiexec", "-n", "1", prog), lines_of(1, "old"))
        self.assertEqual(self.lines("oshrun", "-n", "2", prog), lines_of(2, "old"))

    def test_an_installation_without_mpi_changes_nothing(self):
        copy = self.folder / "plain/bin"
        copy.mkdir(parents=True)
        shutil.copy(self.prefix / "bin/oshrun", copy)
        prog = self.link("prog", f"-Wl,-rpath,{self.folder}/theirs")
        self.assertEqual(self.lines(copy / "oshrun", "-n", "2", prog), lines_of(2, "theirs"))


class OnHosts(Prefix):
    def setUp(self):
        super().setUp()
        # Hosts that are this machine by other names: as ssh does it, but for the network between them.
        self.ssh = self.script("ssh", 'while case $1 in -*) true;; *) false;; esac; do shift; done\nexport HOST=$1\nshift\n'
                               'exec /bin/sh -c "exec $*"')
        self.write("prog.c", PROGRAM)
        self.compile("mpicc", "prog.c", "-o", "prog")

    def test_each_rank_gets_the_library_and_its_numbers(self):
        self.assertEqual(self.lines("mpiexec", "--ssh", self.ssh, "-host", "a,b", "-n", "3", "./prog"), lines_of(3))
        text = "echo $HOST $OMPI_COMM_WORLD_RANK $MPI_LOCALRANKID $MPI_LOCALNRANKS $OMPI_COMM_WORLD_SIZE $X $(basename $PWD)"
        (self.folder / "c").mkdir()
        self.assertEqual(self.lines("mpiexec", "--ssh", self.ssh, "-n", "2", "-host", "a", "-env", "X=y", "/bin/sh", "-c", text,
                                    ":", "-n", "1", "-host", "b", "-wdir", "c", "/bin/sh", "-c", text),
                         ["a 0 0 2 3 y " + self.folder.name, "a 1 1 2 3 y " + self.folder.name, "b 2 0 1 3 c"])
        words = ("/bin/sh", "-c", text, ":", "-n", "1", "-host")
        self.assertEqual(self.lines("mpiexec", "--ssh", self.ssh, "-n", "1", "-host", "a", *words, "b", *words, "a", *words[:3]),
                         [f"a 0 0 2 3 {self.folder.name}", f"a 2 1 2 3 {self.folder.name}", f"b 1 0 1 3 {self.folder.name}"])

    def test_what_is_wrong_is_told_once(self):
        self.make_library(self.folder / "old", "libmpi.so.40", "old")
        self.compile("cc", f"-I{self.mpi}/include", "prog.c", "old/libmpi.so.40", "-o", "older")
        done = self.run_command("mpiexec", "--ssh", self.ssh, "-host", "a,b", "-n", "2", "./older", code=126)
        self.assertEqual(done.stderr.count("was built for another MPI"), 1, done.stderr)
        self.assertIn("mpiexec: host ", done.stderr)


if __name__ == "__main__":
    assert LIBDIR
    unittest.main()
