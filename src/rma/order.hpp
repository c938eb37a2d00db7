// Ordering and completion (OpenSHMEM 1.6, section 9.12) and the signal word of put-with-signal (9.8).
#pragma once

#include <cstdint>

#include "rma/network.hpp"

namespace weft::rma {

/// Earlier stores of this PE, and its puts and AMOs that are counted there, reach each PE before later ones.
void fence(const transport::Pending& pending = g_pending) noexcept;

/// Earlier stores of this PE, and its operations that are counted there, are complete and visible to all PEs.
void quiet(const transport::Pending& pending = g_pending) noexcept;

/// Stores or adds to the target's signal word, after everything this PE has delivered on the node before, and wakes it.
void raise_signal(std::uint64_t* signal, std::uint64_t value, int operation, Target target) noexcept;

/// The same, when the data has been delivered.
void put_signal(void* dest, const void* source, std::size_t bytes, bool reusable, std::uint64_t* signal,
                std::uint64_t value, int operation, Target target) noexcept;

}  // namespace weft::rma
