// What a recording begins with, by the interface whose call opens it.
#pragma once

#include "profile/session.hpp"

namespace weft::profile {

Beginning shmem_beginning(const char* folder, int pe, int n_pes, const Moment& moment) noexcept;
Beginning mpi_beginning(const char* folder, int pe, int n_pes, const Moment& moment) noexcept;

}  // namespace weft::profile
