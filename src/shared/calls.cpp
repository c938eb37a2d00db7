// The routines of include/weft/shared.h.
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "api/shared/calls.hpp"
#include "base/lines.hpp"
#include "dsm/advice.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/pairs.hpp"
#include "dsm/requests.hpp"
#include "dsm/words.hpp"
#include "job/node.hpp"
#include "shared/control.hpp"
#include "weft/shared.h"

// Notes which routine this thread is in, and that shared memory is there.
#define ENTER(routine)                                                                                                 \
  weft::job::enter(static_cast<weft::job::CallNumber>(weft::api::shared::Call::routine), __builtin_return_address(0)); \
  weft::shared::need_begun()

namespace {
constexpr weft::dsm::Pair pair_of(const weft_shared_pair_t& value) noexcept { return {value.first, value.second}; }
constexpr weft_shared_pair_t told(const weft::dsm::Pair& pair) noexcept { return {pair.first, pair.second}; }
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
  return weft::dsm::allocate(bytes, alignof(std::max_align_t));
}

void* weft_shared_calloc(size_t count, size_t bytes) {
  ENTER(weft_shared_calloc);
  std::size_t all = 0;
  return weft::dsm::allocate_zeros(__builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all);
}

void* weft_shared_realloc(void* block, size_t bytes) {
  ENTER(weft_shared_realloc);
  return weft::dsm::reallocate(block, bytes);
}

void* weft_shared_aligned_alloc(size_t alignment, size_t bytes) {
  ENTER(weft_shared_aligned_alloc);
  if (!std::has_single_bit(alignment)) {
    weft::base::fail("weft_shared_aligned_alloc", "alignment: %zu is no power of two", alignment);
  }
  return weft::dsm::allocate(bytes, alignment);
}

void weft_shared_free(void* block) {
  ENTER(weft_shared_free);
  weft::dsm::release_block(block);
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
  weft::dsm::barrier();
}

void weft_shared_acquire(void) {
  ENTER(weft_shared_acquire);
  weft::dsm::acquire();
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
  weft::dsm::map_homes(address, bytes, piece, from, pes);
}

void weft_shared_prefetch(const void* address, size_t bytes) {
  ENTER(weft_shared_prefetch);
  weft::dsm::prefetch(address, bytes);
}

void weft_shared_broadcast(const void* address, size_t bytes) {
  ENTER(weft_shared_broadcast);
  weft::dsm::broadcast(address, bytes);
}

void weft_shared_protocol(const void* address, size_t bytes, int protocol) {
  ENTER(weft_shared_protocol);
  if (protocol < WEFT_SHARED_LEARNED || protocol > WEFT_SHARED_UPDATE) {
    weft::base::fail("weft_shared_protocol",
                     "protocol: is %d; it is WEFT_SHARED_LEARNED, WEFT_SHARED_INVALIDATE or WEFT_SHARED_UPDATE",
                     protocol);
  }
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
  weft::dsm::take_lock(reinterpret_cast<weft::dsm::LockWords*>(lock));
}

int weft_shared_trylock(weft_shared_lock_t* lock) {
  ENTER(weft_shared_trylock);
  return weft::dsm::try_lock(reinterpret_cast<weft::dsm::LockWords*>(lock)) ? 1 : 0;
}

void weft_shared_unlock(weft_shared_lock_t* lock) {
  ENTER(weft_shared_unlock);
  weft::dsm::give_lock_back(reinterpret_cast<weft::dsm::LockWords*>(lock));
}

void weft_shared_lock_begin(weft_shared_lock_t* lock, weft_shared_request_t* request) {
  ENTER(weft_shared_lock_begin);
  request->weft_number = weft::dsm::begin_lock(reinterpret_cast<weft::dsm::LockWords*>(lock));
}

int weft_shared_lock_test(weft_shared_request_t* request) {
  ENTER(weft_shared_lock_test);
  if (!weft::dsm::test_lock(request->weft_number)) {
    return 0;
  }
  request->weft_number = 0;
  return 1;
}

void weft_shared_lock_wait(weft_shared_request_t* request) {
  ENTER(weft_shared_lock_wait);
  weft::dsm::wait_for_lock(request->weft_number);
  request->weft_number = 0;
}

#define CHANGE(T, name, routine, what)                                            \
  T weft_shared_##name##_##routine(T* word, T value) {                            \
    ENTER(weft_shared_##name##_##routine);                                        \
    return static_cast<T>(weft::dsm::operate(word, {what, sizeof(T), value, 0})); \
  }
#define WORD(T, name)                                                                                           \
  T weft_shared_##name##_load(const T* word) {                                                                  \
    ENTER(weft_shared_##name##_load);                                                                           \
    return static_cast<T>(weft::dsm::operate(word, {weft::dsm::Op::kLoad, sizeof(T), 0, 0}));                   \
  }                                                                                                             \
  void weft_shared_##name##_store(T* word, T value) {                                                           \
    ENTER(weft_shared_##name##_store);                                                                          \
    weft::dsm::operate(word, {weft::dsm::Op::kStore, sizeof(T), value, 0});                                     \
  }                                                                                                             \
  T weft_shared_##name##_compare_swap(T* word, T expected, T value) {                                           \
    ENTER(weft_shared_##name##_compare_swap);                                                                   \
    return static_cast<T>(weft::dsm::operate(word, {weft::dsm::Op::kCompareSwap, sizeof(T), value, expected})); \
  }                                                                                                             \
  CHANGE(T, name, swap, weft::dsm::Op::kSwap)                                                                   \
  CHANGE(T, name, fetch_add, weft::dsm::Op::kAdd)                                                               \
  CHANGE(T, name, fetch_and, weft::dsm::Op::kAnd)                                                               \
  CHANGE(T, name, fetch_or, weft::dsm::Op::kOr)                                                                 \
  CHANGE(T, name, fetch_xor, weft::dsm::Op::kXor)
WORD(uint8_t, uint8)
WORD(uint16_t, uint16)
WORD(uint32_t, uint32)
WORD(uint64_t, uint64)

float weft_shared_float_fetch_add(float* word, float value) {
  ENTER(weft_shared_float_fetch_add);
  return std::bit_cast<float>(static_cast<std::uint32_t>(
      weft::dsm::operate(word, {weft::dsm::Op::kAddReal, sizeof value, std::bit_cast<std::uint32_t>(value), 0})));
}

double weft_shared_double_fetch_add(double* word, double value) {
  ENTER(weft_shared_double_fetch_add);
  return std::bit_cast<double>(
      weft::dsm::operate(word, {weft::dsm::Op::kAddReal, sizeof value, std::bit_cast<std::uint64_t>(value), 0}));
}

weft_shared_pair_t weft_shared_pair_load(const weft_shared_pair_t* word) {
  ENTER(weft_shared_pair_load);
  return told(weft::dsm::operate_pair(word, {weft::dsm::Op::kLoad, {}, {}}));
}

void weft_shared_pair_store(weft_shared_pair_t* word, weft_shared_pair_t value) {
  ENTER(weft_shared_pair_store);
  (void)weft::dsm::operate_pair(word, {weft::dsm::Op::kStore, pair_of(value), {}});
}

weft_shared_pair_t weft_shared_pair_swap(weft_shared_pair_t* word, weft_shared_pair_t value) {
  ENTER(weft_shared_pair_swap);
  return told(weft::dsm::operate_pair(word, {weft::dsm::Op::kSwap, pair_of(value), {}}));
}

weft_shared_pair_t weft_shared_pair_compare_swap(weft_shared_pair_t* word, weft_shared_pair_t expected,
                                                 weft_shared_pair_t value) {
  ENTER(weft_shared_pair_compare_swap);
  return told(weft::dsm::operate_pair(word, {weft::dsm::Op::kCompareSwap, pair_of(value), pair_of(expected)}));
}

}  // extern "C"
#pragma GCC visibility pop
