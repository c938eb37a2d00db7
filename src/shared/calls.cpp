// The routines of include/weft/shared.h.
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "api/shared/calls.hpp"
#include "base/lines.hpp"
#include "dsm/advice.hpp"
#include "dsm/closed.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/pairs.hpp"
#include "dsm/requests.hpp"
#include "dsm/state.hpp"
#include "dsm/words.hpp"
#include "job/node.hpp"
#include "shared/control.hpp"
#include "weft/shared.h"

// What a call returns to names what the program does behind it.
#define WEFT_SITE weft::dsm::site_of(__builtin_return_address(0))

// Notes which routine this thread is in, and that shared memory is there.
#define ENTER(routine)                                                                                                 \
  weft::job::enter(static_cast<weft::job::CallNumber>(weft::api::shared::Call::routine), __builtin_return_address(0)); \
  weft::shared::need_begun()

namespace {
constexpr weft::dsm::Pair pair_of(const weft_shared_pair_t& value) noexcept { return {value.first, value.second}; }
constexpr weft_shared_pair_t told(const weft::dsm::Pair& pair) noexcept { return {pair.first, pair.second}; }

void* noted(void* block, std::size_t bytes, const void* site) noexcept {
  weft::dsm::note_block(block, bytes, site);
  return block;
}

// What room dsm takes for granted is looked at here, and what it returns is said here.

std::uint64_t operate(const void* word, const weft::dsm::WordOp& what) noexcept {
  const std::uint64_t offset = weft::dsm::offset_of_operand(word, what.bytes);
  if (offset == weft::dsm::kNowhere) {
    weft::base::fail(
        weft::job::current_call(),
        "word: %p is not the address of a word in shared memory; it lies at a multiple of its size in memory "
        "from weft_shared_malloc and the like",
        word);
  }
  weft::dsm::need_used("word", word);
  return weft::dsm::operate(word, offset, what);
}

weft::dsm::Pair operate(const void* pair, const weft::dsm::PairOp& what) noexcept {
  const std::uint64_t offset = weft::dsm::offset_of_operand(pair, sizeof(weft::dsm::Pair));
  if (offset == weft::dsm::kNowhere) {
    weft::base::fail(
        weft::job::current_call(),
        "pair: %p is not the address of a pair in shared memory; it lies at a multiple of 16 in memory from "
        "weft_shared_malloc and the like",
        pair);
  }
  weft::dsm::need_used("pair", pair);
  return weft::dsm::operate_pair(pair, offset, what);
}

[[noreturn, gnu::cold]] void fail_no_lock(const void* lock) noexcept {
  weft::base::fail(
      weft::job::current_call(),
      "lock: %p does not lie in shared memory; a lock is a weft_shared_lock_t in memory from weft_shared_malloc "
      "and the like",
      lock);
}

std::uint64_t checked(const weft_shared_lock_t* lock) noexcept {
  const std::uint64_t offset = weft::dsm::offset_of_lock(lock);
  if (offset == weft::dsm::kNowhere) {
    fail_no_lock(lock);
  }
  weft::dsm::need_used("lock", lock);
  return offset;
}

[[noreturn, gnu::cold]] void fail_not_held(const void* lock, std::uint32_t holder) noexcept {
  if (holder == weft::dsm::kNobody) {
    weft::base::fail("weft_shared_unlock", "lock: nobody holds the lock at %p; take it before", lock);
  }
  weft::base::fail("weft_shared_unlock", "lock: PE %u holds the lock at %p; who takes a lock gives it back", holder - 1,
                   lock);
}

[[noreturn]] void fail_no_request() noexcept {
  weft::base::fail(
      weft::job::current_call(),
      "request: nothing is under way by it; weft_shared_lock_begin begins one, and it is over when its lock "
      "is taken");
}

void need_shared(const void* address, std::size_t bytes) noexcept {
  if (!weft::dsm::lies_in_range(address, bytes)) {
    weft::base::fail(weft::job::current_call(), "address: %zu bytes at %p do not lie in shared memory", bytes, address);
  }
}

void need_within_block(const void* address, std::size_t bytes) noexcept {
  const std::uint64_t room = weft::dsm::room_of_rest(address);
  if (room == 0) {
    weft::base::fail(weft::job::current_call(), "address: nothing is in use at %p; was the block given back?", address);
  }
  if (bytes > room) {
    weft::base::fail(
        weft::job::current_call(),
        "bytes: %zu from %p on run over the end of the block there, which is %llu bytes away; map each block by "
        "itself",
        bytes, address, static_cast<unsigned long long>(room));
  }
}

void need_block(const void* block, weft::dsm::Arena::Freed freed, const char* wild) noexcept {
  using Freed = weft::dsm::Arena::Freed;
  if (freed == Freed::kDone) {
    return;
  }
  const char* const what = freed == Freed::kWild     ? wild
                           : freed == Freed::kInside ? "lies inside a block of shared memory, not at its beginning"
                                                     : "was given back already";
  weft::base::fail(weft::job::current_call(), "%p %s; give back what weft_shared_malloc and the like have given, once",
                   block, what);
}
}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void weft_shared_init(void) {
  weft::job::enter(static_cast<weft::job::CallNumber>(weft::api::shared::Call::weft_shared_init),
                   __builtin_return_address(0));
  weft::shared::begin();
}

void weft_shared_finalize(void) {
  ENTER(weft_shared_finalize);
  weft::shared::end();
}

int weft_shared_my_pe(void) {
  ENTER(weft_shared_my_pe);
  return weft::job::node().me;
}

int weft_shared_n_pes(void) {
  ENTER(weft_shared_n_pes);
  return weft::job::node().n_pes;
}

void* weft_shared_malloc(size_t bytes) {
  ENTER(weft_shared_malloc);
  return noted(weft::dsm::allocate(bytes, alignof(std::max_align_t)), bytes, __builtin_return_address(0));
}

void* weft_shared_calloc(size_t count, size_t bytes) {
  ENTER(weft_shared_calloc);
  std::size_t all = 0;
  all = __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all;
  return noted(weft::dsm::allocate_zeros(all), all, __builtin_return_address(0));
}

void* weft_shared_realloc(void* block, size_t bytes) {
  ENTER(weft_shared_realloc);
  void* moved = nullptr;
  need_block(block, weft::dsm::reallocate(block, bytes, &moved), "is no block of shared memory, or not its beginning");
  return noted(moved, bytes, __builtin_return_address(0));
}

void* weft_shared_aligned_alloc(size_t alignment, size_t bytes) {
  ENTER(weft_shared_aligned_alloc);
  if (!std::has_single_bit(alignment)) {
    weft::base::fail("weft_shared_aligned_alloc", "alignment: %zu is no power of two", alignment);
  }
  return noted(weft::dsm::allocate(bytes, alignment), bytes, __builtin_return_address(0));
}

void weft_shared_free(void* block) {
  ENTER(weft_shared_free);
  need_block(block, weft::dsm::release_block(block), "is no block of shared memory");
}

void* weft_shared_from(int pe, void* pointer) {
  ENTER(weft_shared_from);
  if (pe < 0 || pe >= weft::job::node().n_pes) {
    weft::base::fail("weft_shared_from", "pe: there is no PE %d; they are 0 to %d", pe, weft::job::node().n_pes - 1);
  }
  return weft::dsm::from(pe, pointer);
}

void weft_shared_barrier(void) {
  ENTER(weft_shared_barrier);
  weft::dsm::barrier(WEFT_SITE);
}

void weft_shared_acquire(void) {
  ENTER(weft_shared_acquire);
  weft::dsm::acquire(WEFT_SITE);
}

void weft_shared_release(void) {
  ENTER(weft_shared_release);
  weft::dsm::release();
}

void weft_shared_map(void* address, size_t bytes, size_t piece, int from, int pes) {
  ENTER(weft_shared_map);
  const int n = weft::job::node().n_pes;
  if (from < 0 || pes < 1 || from >= n || pes > n - from) {
    weft::base::fail("weft_shared_map", "from, pes: there are no %d PEs from number %d on; the last one is %d", pes,
                     from, n - 1);
  }
  if (piece == 0) {
    weft::base::fail("weft_shared_map",
                     "piece: is 0; it is how many bytes are at home at one PE before the next one's");
  }
  need_shared(address, bytes);
  need_within_block(address, bytes);
  weft::dsm::map_homes(address, bytes, piece, from, pes);
}

void weft_shared_prefetch(const void* address, size_t bytes) {
  ENTER(weft_shared_prefetch);
  need_shared(address, bytes);
  weft::dsm::prefetch(address, bytes);
}

void weft_shared_broadcast(const void* address, size_t bytes) {
  ENTER(weft_shared_broadcast);
  need_shared(address, bytes);
  weft::dsm::broadcast(address, bytes);
}

void weft_shared_protocol(const void* address, size_t bytes, int protocol) {
  ENTER(weft_shared_protocol);
  if (protocol < WEFT_SHARED_LEARNED || protocol > WEFT_SHARED_UPDATE) {
    weft::base::fail("weft_shared_protocol",
                     "protocol: is %d; it is WEFT_SHARED_LEARNED, WEFT_SHARED_INVALIDATE or WEFT_SHARED_UPDATE",
                     protocol);
  }
  need_shared(address, bytes);
  weft::dsm::renew_by(address, bytes, static_cast<weft::dsm::protocol::Renewal>(protocol));
}

void weft_shared_stats(weft_shared_stats_t* stats) {
  ENTER(weft_shared_stats);
  const weft::dsm::Told told = weft::dsm::told();
  *stats = {told.faults, told.fetched,   told.prefetched, told.refreshed, told.twins,
            told.sent,   told.announced, told.dropped,    told.evicted,   told.copies};
}

void weft_shared_lock(weft_shared_lock_t* lock) {
  ENTER(weft_shared_lock);
  weft::dsm::take_lock(checked(lock), WEFT_SITE);
}

int weft_shared_trylock(weft_shared_lock_t* lock) {
  ENTER(weft_shared_trylock);
  return weft::dsm::try_lock(checked(lock), WEFT_SITE) ? 1 : 0;
}

void weft_shared_unlock(weft_shared_lock_t* lock) {
  ENTER(weft_shared_unlock);
  if (const std::uint32_t holder = weft::dsm::give_lock_back(checked(lock)); holder != 0) {
    fail_not_held(lock, holder);
  }
}

void weft_shared_lock_begin(weft_shared_lock_t* lock, weft_shared_request_t* request) {
  ENTER(weft_shared_lock_begin);
  const std::uint64_t number = weft::dsm::begin_lock(checked(lock));
  if (number == 0) {
    weft::base::fail("weft_shared_lock_begin",
                     "%zu requests for locks are under way, as many as a PE may have; wait for some",
                     weft::dsm::kMostRequests);
  }
  request->weft_number = number;
}

int weft_shared_lock_test(weft_shared_request_t* request) {
  ENTER(weft_shared_lock_test);
  const weft::dsm::Tested tested = weft::dsm::test_lock(request->weft_number);
  if (tested == weft::dsm::Tested::kNone) {
    fail_no_request();
  }
  if (tested == weft::dsm::Tested::kNotYet) {
    return 0;
  }
  request->weft_number = 0;
  return 1;
}

void weft_shared_lock_wait(weft_shared_request_t* request) {
  ENTER(weft_shared_lock_wait);
  if (!weft::dsm::wait_for_lock(request->weft_number)) {
    fail_no_request();
  }
  request->weft_number = 0;
}

#define CHANGE(T, name, routine, what)                                                  \
  T weft_shared_##name##_##routine(T* word, T value) {                                  \
    ENTER(weft_shared_##name##_##routine);                                              \
    return static_cast<T>(operate(word, weft::dsm::WordOp{what, sizeof(T), value, 0})); \
  }
#define WORD(T, name)                                                                                                 \
  T weft_shared_##name##_load(const T* word) {                                                                        \
    ENTER(weft_shared_##name##_load);                                                                                 \
    return static_cast<T>(operate(word, weft::dsm::WordOp{weft::dsm::Op::kLoad, sizeof(T), 0, 0}));                   \
  }                                                                                                                   \
  void weft_shared_##name##_store(T* word, T value) {                                                                 \
    ENTER(weft_shared_##name##_store);                                                                                \
    operate(word, weft::dsm::WordOp{weft::dsm::Op::kStore, sizeof(T), value, 0});                                     \
  }                                                                                                                   \
  T weft_shared_##name##_compare_swap(T* word, T expected, T value) {                                                 \
    ENTER(weft_shared_##name##_compare_swap);                                                                         \
    return static_cast<T>(operate(word, weft::dsm::WordOp{weft::dsm::Op::kCompareSwap, sizeof(T), value, expected})); \
  }                                                                                                                   \
  CHANGE(T, name, swap, weft::dsm::Op::kSwap)                                                                         \
  CHANGE(T, name, fetch_add, weft::dsm::Op::kAdd)                                                                     \
  CHANGE(T, name, fetch_and, weft::dsm::Op::kAnd)                                                                     \
  CHANGE(T, name, fetch_or, weft::dsm::Op::kOr)                                                                       \
  CHANGE(T, name, fetch_xor, weft::dsm::Op::kXor)
WORD(uint8_t, uint8)
WORD(uint16_t, uint16)
WORD(uint32_t, uint32)
WORD(uint64_t, uint64)

float weft_shared_float_fetch_add(float* word, float value) {
  ENTER(weft_shared_float_fetch_add);
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      operate(word, weft::dsm::WordOp{weft::dsm::Op::kAddReal, sizeof value, std::bit_cast<std::uint32_t>(value), 0})));
}

double weft_shared_double_fetch_add(double* word, double value) {
  ENTER(weft_shared_double_fetch_add);
  return std::bit_cast<double>(
      operate(word, weft::dsm::WordOp{weft::dsm::Op::kAddReal, sizeof value, std::bit_cast<std::uint64_t>(value), 0}));
}

weft_shared_pair_t weft_shared_pair_load(const weft_shared_pair_t* word) {
  ENTER(weft_shared_pair_load);
  return told(operate(word, weft::dsm::PairOp{weft::dsm::Op::kLoad, {}, {}}));
}

void weft_shared_pair_store(weft_shared_pair_t* word, weft_shared_pair_t value) {
  ENTER(weft_shared_pair_store);
  (void)operate(word, weft::dsm::PairOp{weft::dsm::Op::kStore, pair_of(value), {}});
}

weft_shared_pair_t weft_shared_pair_swap(weft_shared_pair_t* word, weft_shared_pair_t value) {
  ENTER(weft_shared_pair_swap);
  return told(operate(word, weft::dsm::PairOp{weft::dsm::Op::kSwap, pair_of(value), {}}));
}

weft_shared_pair_t weft_shared_pair_compare_swap(weft_shared_pair_t* word, weft_shared_pair_t expected,
                                                 weft_shared_pair_t value) {
  ENTER(weft_shared_pair_compare_swap);
  return told(operate(word, weft::dsm::PairOp{weft::dsm::Op::kCompareSwap, pair_of(value), pair_of(expected)}));
}

}  // extern "C"
#pragma GCC visibility pop
