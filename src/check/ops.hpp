// Kinds of routines that several of the checks ask for.
#pragma once

#include "api/ops.hpp"

namespace weft::check {

/// Reductions and scans that return when they are complete.
constexpr bool is_blocking_reduction(api::Op op) noexcept {
  using api::Op;
  switch (op) {
    case Op::reduce_and:
    case Op::reduce_or:
    case Op::reduce_xor:
    case Op::reduce_max:
    case Op::reduce_min:
    case Op::reduce_sum:
    case Op::reduce_prod:
    case Op::sum_inscan:
    case Op::sum_exscan: return true;
    default: return false;
  }
}

/// Reductions that give a request.
constexpr bool is_reduction_request(api::Op op) noexcept {
  using api::Op;
  switch (op) {
    case Op::reduce_and_nb:
    case Op::reduce_or_nb:
    case Op::reduce_xor_nb:
    case Op::reduce_max_nb:
    case Op::reduce_min_nb:
    case Op::reduce_sum_nb:
    case Op::reduce_prod_nb: return true;
    default: return false;
  }
}

constexpr bool is_reduction(api::Op op) noexcept { return is_blocking_reduction(op) || is_reduction_request(op); }

}  // namespace weft::check
