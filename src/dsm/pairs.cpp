#include "dsm/pairs.hpp"

#include <bit>
#include <cstring>

#include "dsm/elsewhere.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {
namespace {

__extension__ using Bits = unsigned __int128;

// One instruction, which all x86-64 processors since 2006 have, and clang makes calls of unless all code is for those.
// std::atomic would call libatomic, which may take a lock that other processes know nothing of, as the thread
// sanitizer's own form of it does.
Pair compare_swap(void* at, const Pair& expected, const Pair& value) noexcept {
#if defined(__x86_64__)
  Pair seen = expected;
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*static_cast<Bits*>(at)), "+a"(seen.first), "+d"(seen.second)
               : "b"(value.first), "c"(value.second)
               : "cc", "memory");
  return seen;
#else
  return std::bit_cast<Pair>(
      __sync_val_compare_and_swap(static_cast<Bits*>(at), std::bit_cast<Bits>(expected), std::bit_cast<Bits>(value)));
#endif
}

struct AtHome final : Operation {
  AtHome(std::uint64_t at, const PairOp& op) noexcept : offset(at), what(op) {}
  void carry_out(int home) noexcept override { now = left_by(what, before = at_home(home, what)); }
  void look(int home) noexcept override { now = at_home(home, {Op::kLoad, {}, {}}); }
  const void* found() const noexcept override { return &now; }

  Pair at_home(int home, const PairOp& op) const noexcept {
    const Part* const part = part_of(home);
    if (part == nullptr) {
      return operate_elsewhere(home, offset, op);
    }
    const Pair found = carry_out_pair(part->contents + offset, op);
    tell_home(*part, offset, op.op);
    return found;
  }

  std::uint64_t offset;
  PairOp what;
  Pair before;
  Pair now;
};

}  // namespace

Pair carry_out_pair(void* pair, const PairOp& what) noexcept {
  if (what.op == Op::kCompareSwap) {
    return compare_swap(pair, what.expected, what.operand);
  }
  // A load is a store of what is there: memory here may always be written.
  Pair seen = compare_swap(pair, {}, {});
  while (what.op != Op::kLoad) {
    const Pair before = compare_swap(pair, seen, what.operand);
    if (before == seen) {
      break;
    }
    seen = before;
  }
  return seen;
}

Pair operate_by_pages(std::uint64_t offset, const PairOp& what) noexcept {
  AtHome operation(offset, what);
  if (what.op == Op::kLoad) {
    return operation.at_home(g_pages->home_of(static_cast<std::uint32_t>(offset / kPageBytes)), what);
  }
  g_pages->operate(offset, sizeof(Pair), operation);
  return operation.before;
}

}  // namespace weft::dsm
