#include "dsm/words.hpp"

#include <atomic>
#include <bit>

#include "dsm/elsewhere.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"

namespace weft::dsm {
namespace {

// Relaxed throughout: these operations order nothing else.
constexpr auto kRelaxed = std::memory_order_relaxed;

template <class T>
std::uint64_t on(void* at, const WordOp& what) noexcept {
  const std::atomic_ref<T> word(*static_cast<T*>(at));
  const auto operand = static_cast<T>(what.operand);
  switch (what.op) {
    case Op::kLoad: return word.load(kRelaxed);
    case Op::kStore: word.store(operand, kRelaxed); return 0;
    case Op::kSwap: return word.exchange(operand, kRelaxed);
    case Op::kCompareSwap: {
      auto seen = static_cast<T>(what.expected);
      word.compare_exchange_strong(seen, operand, kRelaxed);
      return seen;
    }
    case Op::kAdd: return word.fetch_add(operand, kRelaxed);
    case Op::kAnd: return word.fetch_and(operand, kRelaxed);
    case Op::kOr: return word.fetch_or(operand, kRelaxed);
    case Op::kXor: return word.fetch_xor(operand, kRelaxed);
    case Op::kAddReal: break;
  }
  return 0;
}

template <class Real, class Bits>
std::uint64_t add(void* at, std::uint64_t operand) noexcept {
  const std::atomic_ref<Bits> word(*static_cast<Bits*>(at));
  Bits seen = word.load(kRelaxed);
  while (!word.compare_exchange_weak(
      seen, std::bit_cast<Bits>(std::bit_cast<Real>(seen) + std::bit_cast<Real>(static_cast<Bits>(operand))),
      kRelaxed)) {
  }
  return seen;
}

struct AtHome final : Operation {
  AtHome(std::uint64_t at, const WordOp& op) noexcept : offset(at), what(op) {}
  void carry_out(int home) noexcept override { done = at_home(home, what); }
  void look(int home) noexcept override { done.now = at_home(home, {Op::kLoad, what.bytes}).before; }
  const void* found() const noexcept override { return &done.now; }

  Operated at_home(int home, const WordOp& op) const noexcept {
    const Part* const part = part_of(home);
    if (part == nullptr) {
      return operate_elsewhere(home, offset, op);
    }
    const std::uint64_t before = dsm::carry_out(part->contents + offset, op);
    tell_home(*part, offset, op.op);
    return {before, dsm::carry_out(part->contents + offset, {Op::kLoad, op.bytes})};
  }

  std::uint64_t offset;
  WordOp what;
  Operated done{};
};

}  // namespace

void tell_home(const Part& home, std::uint64_t offset, Op op) noexcept {
  if (op != Op::kLoad) {
    home.places.change(static_cast<std::uint32_t>(offset / kPageBytes), &Place::store_word);
  }
}

std::uint64_t carry_out(void* word, const WordOp& what) noexcept {
  if (what.op == Op::kAddReal) {
    return what.bytes == 4 ? add<float, std::uint32_t>(word, what.operand)
                           : add<double, std::uint64_t>(word, what.operand);
  }
  switch (what.bytes) {
    case 1: return on<std::uint8_t>(word, what);
    case 2: return on<std::uint16_t>(word, what);
    case 4: return on<std::uint32_t>(word, what);
    default: return on<std::uint64_t>(word, what);
  }
}

std::uint64_t operate_by_pages(std::uint64_t offset, const WordOp& what) noexcept {
  AtHome operation(offset, what);
  if (what.op == Op::kLoad) {
    return operation.at_home(g_pages->home_of(static_cast<std::uint32_t>(offset / kPageBytes)), what).before;
  }
  g_pages->operate(offset, what.bytes, operation);
  return operation.done.before;
}

std::uint64_t look_by_pages(std::uint64_t offset, std::uint8_t bytes) noexcept {
  AtHome operation(offset, {Op::kLoad, bytes});
  g_pages->operate(offset, bytes, operation, true);
  return operation.done.before;
}

bool is_held_back(std::uint64_t offset, std::uint8_t bytes) noexcept { return g_pages->is_held_back(offset, bytes); }

}  // namespace weft::dsm
