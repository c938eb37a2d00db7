// Atomic memory operations (OpenSHMEM 1.6, section 9.7): checked, and by the processor or by the network
// (rma/atomics.hpp).
//
// Contexts of SHMEM_TEAM_SHARED, and of teams split from it, are an atomicity domain of their own and always use the
// processor.
#pragma once

#include "rma/atomics.hpp"
#include "shmem/checks.hpp"

namespace weft::shmem::checked {

using rma::Op;
using rma::Target;

/// Where this processor may update the target's word; null where only the network may.
template <class T>
T* atomic_at(const T* address, const Target& target, const char* argument) noexcept {
  need_aligned(address, argument);
  void* at = peer(address, sizeof(T), target.pe, argument);
  return job::node().amo_by_network && !target.by_processor ? nullptr : static_cast<T*>(at);
}

template <Op op>
constexpr const char* kArgument = op == Op::kFetch ? "source" : "dest";

/// Returns what was there before.
template <Op op, class T>
T fetching(const T* address, Target target, T operand = {}, T cond = {}) noexcept {
  if (T* at = atomic_at(address, target, kArgument<op>); at != nullptr) [[likely]] {
    return rma::on_processor<op>(at, operand, cond);
  }
  return rma::fetch_by_network<op>(rma::remote(address, target.pe), operand, cond);
}

/// *fetched is set at the latest when the target's count says that all is complete.
template <Op op, class T>
void fetching_nbi(T* fetched, const T* address, Target target, T operand = {}, T cond = {}) noexcept {
  need_buffer(fetched, sizeof(T), "fetch");
  if (T* at = atomic_at(address, target, kArgument<op>); at != nullptr) [[likely]] {
    *fetched = rma::on_processor<op>(at, operand, cond);
  } else {
    rma::by_network<op>(fetched, rma::remote(address, target.pe), operand, cond, *target.pending);
  }
}

template <Op op, class T>
void updating(const T* address, Target target, T operand) noexcept {
  if (T* at = atomic_at(address, target, kArgument<op>); at != nullptr) [[likely]] {
    rma::update_on_processor<op>(at, operand);
  } else {
    rma::by_network<op>(static_cast<T*>(nullptr), rma::remote(address, target.pe), operand, T{}, *target.pending);
  }
}

}  // namespace weft::shmem::checked
