// In place of pmix.cpp where Weft is built without the headers of PMIx.
#include "pmi/pmix.hpp"

namespace weft::pmi {

base::Result<void> try_pmix() noexcept {
  return base::Error::make(
      "this Weft was built without PMIx; build it where its headers are (libpmix-dev in Debian), or use oshrun or a "
      "launcher that speaks PMI-1 (srun --mpi=pmi2, MPICH's mpiexec)");
}

base::Result<Manager*> open_pmix() noexcept { return try_pmix().error(); }

}  // namespace weft::pmi
