#!/usr/bin/env python3
"""How each launcher is told to run a program on N PEs, spread over hosts: evenly in blocks of consecutive numbers, but for
those that are named for what they do instead."""

from hosts import Unavailable, find
import slurm


class Launcher:
    """On a host, `words(...)` is to be executed in the environment `environment`."""

    packages = {}  # what must be there, and Debian's package that has it
    runner = []    # more words for the runner of its tests

    def __init__(self, hosts):
        for tool, package in self.packages.items():
            if not find(tool):
                raise Unavailable(f"{tool} is not there (Debian's package {package})")
        self.environment = {}

    def code(self, code):
        """What to expect of it where oshrun passes on the code of the PE that has ended the job."""
        return code

    def words(self, test, names):
        """The command before the program of a test, from suite.py."""
        raise NotImplementedError

    def places(self, pes, names):
        """The host of each PE."""
        share = -(-pes // len(names))
        return [names[pe // share] for pe in range(pes)]


def cyclic(_, pes, names):
    """Places of PE after PE on the next host: those of one host are not neighbours."""
    return [names[pe % len(names)] for pe in range(pes)]


class Oshrun(Launcher):
    def words(self, test, names):
        passed_on = [word for name in test.environment for word in ("--env", name)]  # its own alone go by themselves
        # All hosts share this machine's processors, and what is busy is not dead; that is what faults_test.py is about.
        return [test.oshrun, "-n", str(test.pes), "--link-timeout", "30", *passed_on, "--hosts", ",".join(names)]


class OshrunCyclic(Oshrun):
    """PE after PE on the next host: those of one host are not neighbours."""

    def words(self, test, names):
        words = super().words(test, names)
        return [*words[:1], "--map-by", "node", *words[1:]]

    places = cyclic


class Srun(Launcher):
    packages = slurm.PACKAGES
    protocol = None

    def __init__(self, hosts):
        super().__init__(hosts)
        self.environment = slurm.start(hosts)

    def code(self, code):
        """The highest one of all PEs, and those that it has killed have 137."""
        return code if code == "0" else "nonzero"

    def words(self, test, names):
        return [find("srun"), f"--mpi={self.protocol}", "-n", str(test.pes), "-w", ",".join(names), "-N", str(len(names)),
                f"--ntasks-per-node={-(-test.pes // len(names))}"]


class SrunPmix(Srun):
    protocol = "pmix"


class SrunPmi2(Srun):
    protocol = "pmi2"


class SrunCyclic(SrunPmix):
    def words(self, test, names):
        return [*super().words(test, names), "-m", "cyclic"]

    places = cyclic


class Mpirun(Launcher):
    """Open MPI's."""

    packages = {"mpirun.openmpi": "openmpi-bin"}

    def words(self, test, names):
        slots = -(-test.pes // len(names))
        passed_on = [word for name in test.environment for word in ("-x", name)]
        return [find("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self",
                *passed_on, "--host", ",".join(f"{name}:{slots}" for name in names), "-n", str(test.pes)]


class MpirunCyclic(Mpirun):
    def words(self, test, names):
        words = super().words(test, names)
        return [*words[:1], "--map-by", "node", *words[1:]]

    places = cyclic


class Mpiexec(Launcher):
    """MPICH's."""

    packages = {"mpiexec.hydra": "mpich"}
    runner = ["--stdin", "open"]  # it dies of SIGPIPE now and then when its input ends while a short program does

    def code(self, code):
        """It has its own for signals."""
        return "nonzero" if code.isdigit() and int(code) > 128 else code

    def words(self, test, names):
        return [find("mpiexec.hydra"), "-launcher", "ssh", "-hosts", ",".join(names), "-ppn",
                str(-(-test.pes // len(names))), "-n", str(test.pes)]


class MpiexecCyclic(Mpiexec):
    """One PE on each host, and again from the first one on."""

    def words(self, test, names):
        words = super().words(test, names)
        words[words.index("-ppn") + 1] = "1"
        return words

    places = cyclic


class MpiexecMixed(Mpiexec):
    """Hosts by turns with more and more PEs: those of one host have numbers without a rule."""

    @staticmethod
    def shares(pes, names):
        """(host, PEs) of each turn."""
        shares = []
        while pes > 0:
            share = min(pes, 1 + len(shares) // len(names))
            shares.append((names[len(shares) % len(names)], share))
            pes -= share
        return shares

    def words(self, test, names):
        words = super().words(test, names)
        place = words.index("-ppn")
        words[words.index("-hosts") + 1] = ",".join(f"{name}:{share}" for name, share in self.shares(test.pes, names))
        return words[:place] + words[place + 2:]

    def places(self, pes, names):
        return [name for name, share in self.shares(pes, names) for _ in range(share)]


LAUNCHERS = {"oshrun": Oshrun, "oshrun-cyclic": OshrunCyclic, "srun-pmix": SrunPmix, "srun-pmi2": SrunPmi2,
             "srun-cyclic": SrunCyclic, "mpirun": Mpirun, "mpirun-cyclic": MpirunCyclic, "mpiexec": Mpiexec,
             "mpiexec-cyclic": MpiexecCyclic, "mpiexec-mixed": MpiexecMixed}
