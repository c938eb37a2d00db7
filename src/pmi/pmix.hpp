// PMIx, which Open MPI's launcher, PRRTE and Slurm speak. Its library is loaded only in a process that they have
// started.
#pragma once

#include "pmi/manager.hpp"

namespace weft::pmi {

/// Connects to the PMIx server that the environment names. The manager lives until the process ends.
base::Result<Manager*> open_pmix() noexcept;

/// Empty where PMIx can be used; else why it cannot.
base::Result<void> try_pmix() noexcept;

}  // namespace weft::pmi
