// Put with signal (OpenSHMEM 1.6, section 9.8).
#pragma once

#include <cstdint>

#include "rma/order.hpp"
#include "shmem/checks.hpp"

namespace weft::shmem::checked {

/// Stores or adds to the target's signal word, after everything this PE has delivered on the node before, and wakes it.
void raise_signal(std::uint64_t* signal, std::uint64_t value, int operation, rma::Target target) noexcept;

/// The same, when the data has been delivered.
void put_signal(void* dest, const void* source, std::size_t bytes, bool reusable, std::uint64_t* signal,
                std::uint64_t value, int operation, rma::Target target) noexcept;

}  // namespace weft::shmem::checked
