#include "omp/program/atomics.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/lines.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/pairs.hpp"
#include "dsm/state.hpp"
#include "dsm/words.hpp"
#include "module/module.hpp"
#include "omp/far/far.hpp"
#include "omp/program/statics.hpp"
#include "omp/rewrite/rewrite.hpp"

namespace weft::omp::program {
namespace {

using dsm::Op;
using rewrite::Kind;
using rewrite::Operation;

// What keeps its data to its process, and what does not work on the program's words: the C library and what comes with
// compilers. libatomic is no such library: it works on words that the program names.
constexpr std::array<std::string_view, 22> kStays = {
    "ld-linux", "ld64.so", "ld-2",     "libc.so",   "libc-2",      "libpthread",  "libdl.",  "librt.",
    "libm.so",  "libmvec", "libgcc_s", "libstdc++", "libgfortran", "libquadmath", "libgomp", "libomp",
    "libiomp",  "libweft", "libnss",   "libZydis",  "libZycore",   "libm-2"};

// Of what is no single word: one at a time, of all processes. In shared memory.
constinit std::uint64_t g_lock = dsm::kNowhere;

bool stays(std::string_view library) noexcept {
  return std::any_of(kStays.begin(), kStays.end(), [&](std::string_view each) { return library.starts_with(each); });
}

Op op_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::kAdd: return Op::kAdd;
    case Kind::kAnd: return Op::kAnd;
    case Kind::kOr: return Op::kOr;
    case Kind::kXor: return Op::kXor;
    case Kind::kSwap: return Op::kSwap;
    default: return Op::kCompareSwap;
  }
}

std::uint64_t negate(const Operation& what, std::uint64_t offset) noexcept {
  std::uint64_t seen = dsm::operate(what.word, offset, {Op::kLoad, what.size});
  for (;;) {
    const std::uint64_t before = dsm::operate(what.word, offset, {Op::kCompareSwap, what.size, 0 - seen, seen});
    if (before == seen) {
      return before;
    }
    seen = before;
  }
}

std::uint64_t result_of(const Operation& what) noexcept {
  const std::uint64_t before = what.before.low;
  switch (what.kind) {
    case Kind::kAdd: return before + what.operand.low;
    case Kind::kAnd: return before & what.operand.low;
    case Kind::kOr: return before | what.operand.low;
    case Kind::kXor: return before ^ what.operand.low;
    case Kind::kNegate: return 0 - before;
    default: return what.operand.low;
  }
}

// Words that lie across others, by loads and stores.
void operate_under_lock(Operation& what) noexcept {
  dsm::take_lock(g_lock);
  std::memcpy(&what.before, what.word, what.size);
  if (what.kind != Kind::kCompareSwap ||
      (what.before.low == what.expected.low && what.before.high == what.expected.high)) {
    const rewrite::Value after = {result_of(what), what.operand.high};
    std::memcpy(what.word, &after, what.size);
  }
  (void)dsm::give_lock_back(g_lock);
}

void operate_on_pair(Operation& what, std::uint64_t offset) noexcept {
  const auto before = dsm::operate_pair(what.word, offset,
                                        {what.kind == Kind::kSwap ? Op::kSwap : Op::kCompareSwap,
                                         {what.operand.low, what.operand.high},
                                         {what.expected.low, what.expected.high}});
  what.before = {before.first, before.second};
}

// The instructions order all that is around them, whatever the program has asked for: it cannot be seen in them.
bool carry(Operation& what) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(what.word);
  const bool across = what.size > 1 && address % what.size != 0;
  // Memory that is watched is shared; else the instruction is carried out where it stands.
  std::uint64_t offset = 0;
  if (!across && what.kind != Kind::kFence) {
    offset = dsm::offset_of_operand(what.word, what.size);
    if (offset == dsm::kNowhere) {
      return false;
    }
  }
  if (!dsm::is_released()) {
    dsm::release(far::others_wait() ? dsm::kOweAll : dsm::kOweNobody);
  }
  if (across) {
    operate_under_lock(what);
  } else if (what.size == sizeof(dsm::Pair)) {
    operate_on_pair(what, offset);
  } else if (what.kind == Kind::kNegate) {
    what.before.low = negate(what, offset);
  } else if (what.kind != Kind::kFence) {
    what.before.low =
        dsm::operate(what.word, offset, {op_of(what.kind), what.size, what.operand.low, what.expected.low});
  }
  // Of this process's threads among each other.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!dsm::is_acquired()) {
    dsm::acquire();
  }
  return true;
}

}  // namespace

base::Result<void> carry_atomics() noexcept {
  g_lock = dsm::offset_of_lock(dsm::from(0, dsm::g.me == 0 ? dsm::allocate_zeros(sizeof(dsm::LockWords)) : nullptr));
  if (g_lock == dsm::kNowhere) {
    return base::Error::make("no shared memory is left for the program; raise WEFT_SHARED_SIZE");
  }
  const auto decode = module::function_of(sites::kLibrary, sites::kFunction);
  const auto done = rewrite::rewrite(
      {.decode = decode ? reinterpret_cast<sites::Decode*>(*decode) : nullptr, .carry = carry, .stays = stays});
  if (!done) {
    return base::Error::make(
        "the program cannot run on several machines, as its atomic instructions cannot be carried out there: %s%s%s; "
        "start it on one",
        done.error().text(), decode ? "" : ": ", decode ? "" : decode.error().text());
  }
  base::debug("OpenMP: atomic instructions: %d are calls, %d traps; %d functions of libraries are not understood",
              done->jumps, done->traps, done->unclear);
  if (!rewrite::watch(dsm::g.base, dsm::g.base + dsm::g.bytes) || !each_shared_static(rewrite::watch)) {
    return base::Error::make("the program's data is in more parts than atomic instructions can be looked for in");
  }
  return {};
}

}  // namespace weft::omp::program
