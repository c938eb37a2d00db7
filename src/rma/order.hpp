// Ordering and completion, and the word of a put with a signal.
#pragma once

#include <cstdint>

#include "rma/target.hpp"

namespace weft::rma {

/// Earlier stores of this PE, and its puts and AMOs that are counted there, reach each PE before later ones.
void fence(const transport::Pending& pending = g_pending) noexcept;

/// Earlier stores of this PE, and its operations that are counted there, are complete and visible to all PEs.
void quiet(const transport::Pending& pending = g_pending) noexcept;

/// Stores into the word of a PE of this node, or adds to it, after everything this PE has delivered on the node before,
/// and wakes that PE.
inline void signal(std::uint64_t* word, std::uint64_t value, transport::Op operation, int pe) noexcept {
  // Release: the data first. seq_cst, so that it is also the fence ring() asks for.
  if (operation == transport::Op::kSet) {
    __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
  }
  const job::Node& node = job::node();
  sync::ring(node.value_bell(node.here(pe)));
}

}  // namespace weft::rma
