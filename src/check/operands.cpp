#include "check/operands.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "check/agreement.hpp"
#include "check/blocks.hpp"
#include "check/handles.hpp"
#include "check/objects.hpp"
#include "check/ops.hpp"
#include "check/tool.hpp"

namespace weft::check {
namespace {

using api::Op;

struct Operand {
  const char* name = nullptr;
  std::uintptr_t at = 0;
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

// No call has more than these: target, source, signal, fetched value; status, indices and values of a wait.
class Operands {
 public:
  void add(const char* name, const void* at, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > 0 && at != nullptr) {
      all_[number_++] = {name, reinterpret_cast<std::uintptr_t>(at), bytes, alignment};
    }
  }
  const Operand* begin() const noexcept { return all_.data(); }
  const Operand* end() const noexcept { return all_.data() + number_; }

 private:
  std::array<Operand, 8> all_;
  std::size_t number_ = 0;
};

// Of more than any number nothing: libweft.so says that clearly.
std::size_t times(std::size_t a, std::size_t b) noexcept {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

// From the first element to behind the last of `count` blocks.
std::size_t extent(std::size_t count, std::ptrdiff_t stride, std::size_t block, std::size_t element) noexcept {
  if (count == 0 || stride < 0) {
    return 0;
  }
  return times(times(count - 1, static_cast<std::size_t>(stride)) + block, element);
}

// Of long double and complex numbers half their size; void pointers to bytes have none.
std::size_t natural(std::size_t element) noexcept { return element > 8 ? 8 : element == 0 ? 1 : element; }

// False: the call is of another kind. The same for those below.
bool add_transfer(const Invocation& call, Operands* all) noexcept {
  const std::size_t bytes = times(call.count, call.element);
  const std::size_t aligned = natural(call.element);
  switch (call.op) {
    case Op::put:
    case Op::put_nbi:
    case Op::put_signal:
    case Op::put_signal_nbi:
    case Op::get:
    case Op::get_nbi:
      all->add("dest", call.dest, bytes, aligned);
      all->add("source", call.source, bytes, aligned);
      all->add("sig_addr", call.signal, sizeof(std::uint64_t), sizeof(std::uint64_t));
      return true;
    case Op::p: all->add("dest", call.dest, call.element, aligned); return true;
    case Op::g: all->add("source", call.source, call.element, aligned); return true;
    case Op::iput:
    case Op::iget:
    case Op::ibput:
    case Op::ibget: {
      const std::size_t block = call.op == Op::iput || call.op == Op::iget ? 1 : call.block;
      all->add("dest", call.dest, extent(call.count, call.dest_stride, block, call.element), aligned);
      all->add("source", call.source, extent(call.count, call.source_stride, block, call.element), aligned);
      return true;
    }
    default: return false;
  }
}

// One element of this PE or another one. The old names that are not typed mean a long.
bool add_word(const Invocation& call, Operands* all) noexcept {
  const std::size_t element = call.element == 0 ? sizeof(long) : call.element;
  switch (call.op) {
    case Op::atomic_fetch:
    case Op::atomic_fetch_nbi: all->add("source", call.source, element, element); return true;
    case Op::atomic_set:
    case Op::atomic_swap:
    case Op::atomic_compare_swap:
    case Op::atomic_fetch_inc:
    case Op::atomic_inc:
    case Op::atomic_fetch_add:
    case Op::atomic_add:
    case Op::atomic_fetch_and:
    case Op::atomic_and:
    case Op::atomic_fetch_or:
    case Op::atomic_or:
    case Op::atomic_fetch_xor:
    case Op::atomic_xor:
    case Op::atomic_swap_nbi:
    case Op::atomic_compare_swap_nbi:
    case Op::atomic_fetch_inc_nbi:
    case Op::atomic_fetch_add_nbi:
    case Op::atomic_fetch_and_nbi:
    case Op::atomic_fetch_or_nbi:
    case Op::atomic_fetch_xor_nbi: all->add("dest", call.dest, element, element); return true;
    case Op::signal_add:
    case Op::signal_set:
    case Op::signal_fetch:
    case Op::signal_wait_until:
      all->add("sig_addr", call.signal, sizeof(std::uint64_t), sizeof(std::uint64_t));
      return true;
    case Op::set_lock:
    case Op::test_lock:
    case Op::clear_lock: all->add("lock", call.dest, sizeof(long), sizeof(long)); return true;
    case Op::wait:
    case Op::wait_until:
    case Op::test: all->add("ivar", call.dest, element, element); return true;
    default: return false;
  }
}

bool add_wait(const Invocation& call, Operands* all) noexcept {
  switch (call.op) {
    case Op::wait_until_some:
    case Op::wait_until_some_vector:
    case Op::test_some:
    case Op::test_some_vector:
    case Op::wait_until_all:
    case Op::wait_until_all_vector:
    case Op::wait_until_any:
    case Op::wait_until_any_vector:
    case Op::test_all:
    case Op::test_all_vector:
    case Op::test_any:
    case Op::test_any_vector: break;
    default: return false;
  }
  const std::size_t bytes = times(call.count, call.element);
  all->add("ivars", call.dest, bytes, natural(call.element));
  all->add("status", call.status, times(call.count, sizeof(int)), alignof(int));
  all->add("indices", call.indices, times(call.count, sizeof(std::size_t)), alignof(std::size_t));
  all->add("cmp_values", call.values, bytes, natural(call.element));
  return true;
}

// How many of `count` elements a collective has in dest and in source: of one block or of one for each member.
struct Share {
  std::size_t dest;
  std::size_t source;
};
std::optional<Share> blocks_of(Op op, std::size_t members) noexcept {
  switch (op) {
    case Op::fcollect: return Share{members, 1};
    case Op::alltoall:
    case Op::alltoall_nb:
    case Op::alltoalls: return Share{members, members};
    case Op::collect:  // the others' share of dest is known afterwards
    case Op::broadcast:
    case Op::broadcast_nb: return Share{1, 1};
    default: return is_reduction(op) ? std::optional<Share>(Share{1, 1}) : std::nullopt;
  }
}

void add_collective(const Invocation& call, Operands* all) noexcept {
  const int members = call.psync != nullptr ? call.size : call.team != nullptr ? members_of(call.team).size : 1;
  const auto blocks = blocks_of(call.op, static_cast<std::size_t>(members));
  if (!blocks) {
    return;
  }
  // Only alltoalls has strides.
  const std::ptrdiff_t dst = call.op == Op::alltoalls ? call.dest_stride : 1;
  const std::ptrdiff_t sst = call.op == Op::alltoalls ? call.source_stride : 1;
  const std::size_t aligned = natural(call.element);
  all->add("dest", call.dest, extent(times(call.count, blocks->dest), dst, 1, call.element), aligned);
  all->add("source", call.source, extent(times(call.count, blocks->source), sst, 1, call.element), aligned);
}

Operands operands_of(const Invocation& call) noexcept {
  Operands all;
  if (!add_transfer(call, &all) && !add_word(call, &all) && !add_wait(call, &all)) {
    add_collective(call, &all);
  }
  return all;
}

// "dest, 80 bytes at 0x7f12...".
std::string named(const Operand& operand) {
  return text("%s, %zu bytes at 0x%zx,", operand.name, operand.bytes, operand.at);
}

void check_in_heap(const Operand& operand) noexcept {
  const auto block = blocks().around(operand.at);
  if (!block) {
    const auto before = blocks().before(operand.at);
    std::vector<std::string> context;
    if (before) {
      context.push_back(text("%zu bytes before it ends ", operand.at - before->end()) + described(*before));
    }
    report(named(operand) + " lies in no block of the symmetric heap: it was never allocated, or freed long ago",
           context);
    return;
  }
  const std::size_t offset = operand.at - block->at;
  if (block->is_freed) {
    report(named(operand) + text(" is freed memory: byte %zu of ", offset) + described(*block),
           {"it was freed by " + told(block->freed)});
    return;
  }
  if (offset >= block->bytes) {
    report(named(operand) + text(" begins %zu bytes behind the end of ", offset - block->bytes) + described(*block));
    return;
  }
  if (operand.bytes > block->bytes - offset) {
    report(named(operand) + text(" runs %zu bytes past the end of ", operand.bytes - (block->bytes - offset)) +
           described(*block));
  }
}

void check_in_statics(const Operand& operand) noexcept {
  const auto object = object_around(operand.at);
  if (object && operand.bytes > object->hi - operand.at) {
    report(named(operand) + text(" runs %zu bytes past the end of the variable %s, which has %zu bytes",
                                 operand.bytes - (object->hi - operand.at), object->name.c_str(),
                                 object->hi - object->lo));
  }
}

// What is in neither is libweft.so's to report, or private and anybody's.
void check_range(const Operand& operand, const weft_support_ranges& ranges) noexcept {
  if (operand.bytes > static_cast<std::size_t>(PTRDIFF_MAX)) {
    report(text("%s would have %zu bytes, more than any memory; is the number of elements negative?", operand.name,
                operand.bytes));
  } else if (operand.at >= ranges.heap_lo && operand.at < ranges.heap_hi) {
    check_in_heap(operand);
  } else if (operand.at >= ranges.statics_lo && operand.at < ranges.statics_hi) {
    check_in_statics(operand);
  }
}

void check_alignment(const Operand& operand) noexcept {
  if (operand.at % operand.alignment != 0) {
    report(
        text("%s, 0x%zx, is not aligned: it must be a multiple of %zu", operand.name, operand.at, operand.alignment));
  }
}

// Whether the call reads and writes both in this PE's own memory.
bool on_this_pe(const Invocation& call) noexcept {
  switch (call.op) {
    case Op::put:
    case Op::put_nbi:
    case Op::put_signal:
    case Op::put_signal_nbi:
    case Op::get:
    case Op::get_nbi: return world_pe(call.ctx, call.pe) == me();
    case Op::alltoalls: return false;  // elements of the one may lie between those of the other
    default: return call.psync != nullptr || call.team != nullptr;
  }
}

bool in_place_allowed(Op op) noexcept {
  // Of a transfer to itself nothing comes; reductions and scans work in place.
  switch (op) {
    case Op::fcollect:
    case Op::collect:
    case Op::alltoall:
    case Op::alltoall_nb: return false;
    default: return true;
  }
}

bool is_broadcast(Op op) noexcept { return op == Op::broadcast || op == Op::broadcast_nb; }

// So many programs do it, and with so many libraries it works, that it ends no job. One PE tells.
void note_broadcast_in_place(const Invocation& call, std::uintptr_t at) {
  const SetOfPes set =
      call.psync != nullptr ? SetOfPes{0, call.start, 1 << (call.stride & 31), call.size} : members_of(call.team);
  if (me() == set.start + call.root * set.stride) {
    note_here(text(
        "dest and source are both 0x%zx; that works here, and the standard allows it for reductions and scans only",
        at));
  }
}

void check_overlap(const Invocation& call, const Operands& all) noexcept {
  const Operand* dest = nullptr;
  const Operand* source = nullptr;
  const Operand* signal = nullptr;
  for (const Operand& operand : all) {
    const std::string_view name = operand.name;
    (name == "dest" ? dest : name == "source" ? source : signal) = &operand;
  }
  const auto meet = [](const Operand& a, const Operand& b) { return a.at < b.at + b.bytes && b.at < a.at + a.bytes; };
  if (dest != nullptr && source != nullptr && on_this_pe(call) && meet(*dest, *source)) {
    if (dest->at != source->at) {
      report(text("dest, 0x%zx, and source, 0x%zx, of %zu bytes overlap", dest->at, source->at, source->bytes));
    } else if (is_broadcast(call.op)) {
      note_broadcast_in_place(call, dest->at);
    } else if (!in_place_allowed(call.op)) {
      report(text("dest and source are both 0x%zx; only reductions and scans work in place", dest->at));
    }
  }
  if (call.signal != nullptr && dest != nullptr && signal != nullptr && meet(*dest, *signal)) {
    report(text("sig_addr, 0x%zx, lies in dest, %zu bytes at 0x%zx; the signal must be elsewhere", signal->at,
                dest->bytes, dest->at));
  }
}

}  // namespace

void check_operands(const Invocation& call) noexcept {
  const Operands all = operands_of(call);
  if (all.begin() == all.end()) {
    return;
  }
  const weft_support_ranges ranges = memory();
  for (const Operand& operand : all) {
    check_range(operand, ranges);
    check_alignment(operand);
  }
  check_overlap(call, all);
}

void check_collected(const Invocation& call) noexcept {
  const std::size_t elements = collected(call);
  if (call.dest != nullptr && elements > 0) {
    check_range({"dest", reinterpret_cast<std::uintptr_t>(call.dest), times(elements, call.element), 1}, memory());
  }
}

void check_psync(const Invocation& call) noexcept {
  if (call.psync == nullptr) {
    return;
  }
  const auto* words = static_cast<const volatile long*>(call.psync);
  const weft_support_ranges ranges = memory();
  const auto at = reinterpret_cast<std::uintptr_t>(call.psync);
  check_range({"pSync", at, SHMEM_SYNC_SIZE * sizeof(long), 1}, ranges);
  const bool symmetric =
      (at >= ranges.heap_lo && at < ranges.heap_hi) || (at >= ranges.statics_lo && at < ranges.statics_hi);
  for (std::size_t k = 0; symmetric && k < SHMEM_SYNC_SIZE; ++k) {
    // A member that has come to this call may write to pSync already.
    if (const long value = words[k]; value != SHMEM_SYNC_VALUE && first_to_come(call)) {
      report(
          text("pSync[%zu] is %ld: it is in use or was never set; fill it with SHMEM_SYNC_VALUE before its first call",
               k, value));
      return;
    }
  }
}

}  // namespace weft::check
