// Ordering and completion (OpenSHMEM 1.6, section 9.12) and the signal word of put-with-signal (9.8).
#pragma once

#include <cstdint>

namespace weft::rma {

/// Earlier stores, puts and AMOs of this PE reach each PE before later ones.
void fence() noexcept;

/// Earlier operations of this PE are complete and visible to all PEs.
void quiet() noexcept;

/// Stores or adds to pe's signal word, after everything this PE has delivered before, and wakes pe.
void raise_signal(std::uint64_t* signal, std::uint64_t value, int operation, int pe) noexcept;

}  // namespace weft::rma
