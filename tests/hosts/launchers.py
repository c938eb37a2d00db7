#!/usr/bin/env python3
"""How each launcher is told to run a program on N PEs, spread evenly over hosts in blocks of consecutive numbers."""

from hosts import Unavailable, find
import slurm


class Launcher:
    """On a host, `words(...)` is to be executed in the environment `environment`."""

    packages = {}  # what must be there, and Debian's package that has it

    def __init__(self, hosts):
        for tool, package in self.packages.items():
            if not find(tool):
                raise Unavailable(f"{tool} is not there (Debian's package {package})")
        self.environment = {}

    def words(self, test, names):
        """The command before the program of a test, from suite.py."""
        raise NotImplementedError


class Oshrun(Launcher):
    def words(self, test, names):
        return [test.oshrun, "-n", str(test.pes), "--hosts", ",".join(names)]


class Srun(Launcher):
    packages = slurm.PACKAGES
    protocol = None

    def __init__(self, hosts):
        super().__init__(hosts)
        self.environment = slurm.start(hosts)

    def words(self, test, names):
        return [find("srun"), f"--mpi={self.protocol}", "-n", str(test.pes), "-w", ",".join(names), "-N", str(len(names)),
                f"--ntasks-per-node={-(-test.pes // len(names))}"]


class SrunPmix(Srun):
    protocol = "pmix"


class SrunPmi2(Srun):
    protocol = "pmi2"


class Mpirun(Launcher):
    """Open MPI's."""

    packages = {"mpirun.openmpi": "openmpi-bin"}

    def words(self, test, names):
        slots = -(-test.pes // len(names))
        passed_on = [word for name in test.environment for word in ("-x", name)]
        return [find("mpirun.openmpi"), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self",
                *passed_on, "--host", ",".join(f"{name}:{slots}" for name in names), "-n", str(test.pes)]


class Mpiexec(Launcher):
    """MPICH's."""

    packages = {"mpiexec.hydra": "mpich"}

    def words(self, test, names):
        return [find("mpiexec.hydra"), "-launcher", "ssh", "-hosts", ",".join(names), "-ppn",
                str(-(-test.pes // len(names))), "-n", str(test.pes)]


LAUNCHERS = {"oshrun": Oshrun, "srun-pmix": SrunPmix, "srun-pmi2": SrunPmi2, "mpirun": Mpirun, "mpiexec": Mpiexec}
