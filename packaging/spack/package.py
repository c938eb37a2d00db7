# A recipe for Spack: copy this file to packages/weft/package.py of a repository of yours, `spack repo add` that, and
# `spack install weft`.

from spack.package import *


class Weft(CMakePackage):
    """Weft runs OpenSHMEM 1.6 and MPI programs on Linux machines, one or several. It needs no kernel module and no daemon."""

    homepage = "http://openshmem.org"
    # Where the sources come from is up to who builds: `spack dev-build weft` in a clone, or a `git` of yours here.
    license("BSD-3-Clause")

    version("0.1.0")

    variant("hwloc", default=True, description="WEFT_NUMA: place memory by hwloc")
    variant("libfabric", default=True, description="networks faster than TCP")
    variant("libsodium", default=True, description="jobs on several hosts by TCP")
    variant("pmix", default=True, description="be started by mpirun and srun --mpi=pmix")
    variant("libdw", default=True, description="lines of source in reports")
    variant("zydis", default=True, description="atomic instructions of OpenMP programs over several machines")
    variant("fortran", default=True, description="the Fortran module shmem")
    variant("mpi", default=True, description="MPI by the standard binary interface")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("libfabric", when="+libfabric")
    depends_on("libsodium", when="+libsodium")
    depends_on("pmix", when="+pmix")
    depends_on("elfutils", when="+libdw")
    depends_on("zydis@4:", when="+zydis")

    # Of MPI 5.0 what mpi.h has; of its functions those that weft-mpi(7) lists.
    provides("mpi", when="+mpi")

    conflicts("platform=darwin", msg="Weft is for Linux")
    conflicts("platform=windows", msg="Weft is for Linux")
    conflicts("%gcc@:11", msg="Weft is C++20")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("WEFT_MPI", "mpi"),
            self.define("WEFT_TESTS", False),
            self.define("WEFT_BENCH", False),
            self.define("WEFT_EXAMPLES", False),
        ]

    def setup_run_environment(self, env):
        env.set("SHMEM_ROOT", self.prefix)

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.set("OSHCC", self.prefix.bin.oshcc)
        if "+mpi" in self.spec:
            env.set("MPICC", self.prefix.bin.join("weft-mpicc"))
            env.set("MPICXX", self.prefix.bin.join("weft-mpicxx"))
