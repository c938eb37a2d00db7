#include "omp/program/mappings.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "base/lines.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"
#include "omp/program/heap.hpp"
#include "omp/program/real.hpp"
#include "omp/program/statics.hpp"
#include "os/mapping.hpp"
#include "os/where.hpp"

namespace weft::omp::program {
namespace {

// Pages that are mapped, of a block that goes back when none of it is any more.
struct Piece {
  std::uintptr_t lo;
  std::uintptr_t hi;
  void* block;
};
// In shared memory, as any process may unmap what another one has mapped. Sorted by address: the pieces of a block are
// next to each other.
struct Book {
  dsm::LockWords lock;
  Piece* pieces;
  std::size_t count;
  std::size_t room;
};
constinit Book* g_book = nullptr;

class Guard {
 public:
  Guard() noexcept { dsm::take_lock(dsm::offset_of_lock(&g_book->lock)); }
  ~Guard() { (void)dsm::give_lock_back(dsm::offset_of_lock(&g_book->lock)); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
};

// For one piece more. The book is locked, here and below.
bool make_room() noexcept {
  constexpr std::size_t kFirst = 64;
  Book& book = *g_book;
  if (book.count < book.room) {
    return true;
  }
  const std::size_t room = std::max(kFirst, 2 * book.room);
  auto* const pieces = static_cast<Piece*>(dsm::allocate_zeros(room * sizeof(Piece)));
  if (pieces == nullptr) {
    return false;
  }
  std::copy_n(book.pieces, book.count, pieces);
  (void)dsm::release_block(book.pieces);
  book.pieces = pieces;
  book.room = room;
  return true;
}

// The first one that ends behind `at`.
std::size_t find(std::uintptr_t at) noexcept {
  const Piece* const first = g_book->pieces;
  const Piece* const found =
      std::partition_point(first, first + g_book->count, [at](const Piece& piece) { return piece.hi <= at; });
  return static_cast<std::size_t>(found - first);
}

void insert(std::size_t k, const Piece& piece) noexcept {
  Piece* const place = g_book->pieces + k;
  std::copy_backward(place, g_book->pieces + g_book->count, g_book->pieces + g_book->count + 1);
  *place = piece;
  ++g_book->count;
}

void erase(std::size_t k) noexcept {
  Piece* const place = g_book->pieces + k;
  void* const block = place->block;
  std::copy(place + 1, g_book->pieces + g_book->count, place);
  --g_book->count;
  const bool has_others = (k > 0 && place[-1].block == block) || (k < g_book->count && place->block == block);
  if (!has_others) {
    (void)dsm::release_block(block);
  }
}

void* map(std::size_t bytes) noexcept {
  const std::size_t room = os::round_up(bytes, os::kPage);
  void* const block = bytes <= dsm::g.bytes ? dsm::allocate_zeros(room, os::kPage) : nullptr;
  if (block != nullptr) {
    const Guard guard;
    if (make_room()) {
      const auto lo = reinterpret_cast<std::uintptr_t>(block);
      insert(find(lo), {lo, lo + room, block});
      return block;
    }
    (void)dsm::release_block(block);
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

// What is not mapped stays as it is.
bool unmap(std::uintptr_t lo, std::uintptr_t hi) noexcept {
  const Guard guard;
  if (!make_room()) {
    errno = ENOMEM;
    return false;
  }
  for (std::size_t k = find(lo); k < g_book->count && g_book->pieces[k].lo < hi;) {
    Piece& piece = g_book->pieces[k];
    if (piece.lo >= lo && piece.hi <= hi) {
      erase(k);
      continue;
    }
    if (piece.lo < lo && piece.hi > hi) {
      insert(k + 1, {hi, piece.hi, piece.block});
      piece.hi = lo;
      break;
    }
    if (piece.lo < lo) {
      piece.hi = lo;
    } else {
      piece.lo = hi;
    }
    ++k;
  }
  return true;
}

bool is_mapped(std::uintptr_t lo, std::uintptr_t hi) noexcept {
  const Guard guard;
  const std::size_t k = find(lo);
  return k < g_book->count && g_book->pieces[k].lo <= lo && g_book->pieces[k].hi >= hi;
}

// Wherever it may be, to read and write, and not addresses that are kept for later: those are more than there is.
bool is_plain(const void* wish, std::size_t bytes, int access, int flags) noexcept {
  constexpr int kKnown = MAP_PRIVATE | MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE;
  return g_book != nullptr && wish == nullptr && bytes > 0 && bytes <= dsm::g.bytes / 2 &&
         access == (PROT_READ | PROT_WRITE) && (flags & MAP_ANONYMOUS) != 0 && (flags & ~kKnown) == 0;
}

// Weft itself moves what is shared.
bool is_ours(const void* at, const void* caller) noexcept {
  return g_book != nullptr && dsm::g.base != 0 && dsm::holds(at, 1) && shares_with(caller);
}

// As well what malloc gives, stacks and static data.
bool is_shared(const void* at, const void* caller) noexcept {
  return shares_with(caller) && (dsm::holds(at, 1) || is_shared_static(at));
}

// Null: that is not a range of pages.
std::uintptr_t end_of(const void* at, std::size_t bytes) noexcept {
  const auto lo = reinterpret_cast<std::uintptr_t>(at);
  if (lo % os::kPage != 0 || bytes == 0 || bytes > dsm::g.bytes) {
    errno = EINVAL;
    return 0;
  }
  return lo + os::round_up(bytes, os::kPage);
}

// As the manual page says; other places and copies are refused as where the kernel does not have them.
void* remap(void* at, std::size_t bytes, std::size_t wanted, int flags) noexcept {
  const auto lo = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t hi = end_of(at, bytes);
  if (hi == 0 || wanted == 0 || (flags & ~MREMAP_MAYMOVE) != 0) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  if (!is_mapped(lo, hi)) {
    errno = EFAULT;
    return MAP_FAILED;
  }
  if (wanted <= hi - lo) {
    const std::uintptr_t end = end_of(at, wanted);
    return end == hi || unmap(end, hi) ? at : MAP_FAILED;
  }
  if (flags != MREMAP_MAYMOVE) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const moved = map(wanted);
  if (moved != MAP_FAILED) {
    std::memcpy(moved, at, hi - lo);
    (void)unmap(lo, hi);
  }
  return moved;
}

// What cannot be done to memory that all processes share; each kind is told once.
struct Refusal {
  const char* call;
  const char* remedy;
  std::atomic<bool> told = false;
};
// By pages the fault handler itself changes access, and would wait for ever for a page that another one has closed; and
// in one memory it would be closed for one process only.
constinit Refusal g_access{"mprotect",
                           "leave it so, or take memory of one process: what mmap gives with PROT_NONE, and mprotect "
                           "opens"};
// The place would be another thing in this process alone.
constinit Refusal g_place{
    "mmap",
    "map without MAP_FIXED, or, to have zeros there, anonymous memory to read and write over what "
    "mmap has given"};
constinit Refusal g_advice{"madvise", "write zeros where they are wanted"};

int refuse(Refusal& refusal, const char* wish, unsigned number, const void* at, const void* caller) noexcept {
  if (!refusal.told.exchange(true, std::memory_order_relaxed)) {  // relaxed: nothing else is told by it
    static constinit std::mutex mutex;
    const std::scoped_lock lock(mutex);
    static constinit char place[256];  // not in the stack, which is shared memory, too: the kernel writes it
    const bool known = os::tell_place(reinterpret_cast<std::uintptr_t>(caller), place, sizeof place);
    base::say(refusal.call,
              "%s 0x%x of %p was refused%s%s: all processes of the program share that memory, to read and to write; %s",
              wish, number, at, known ? " in " : "", known ? place : "", refusal.remedy);
  }
  errno = ENOTSUP;
  return -1;
}

// For all processes; whose memory is one gives it back to the system, too.
void clear(std::uintptr_t lo, std::uintptr_t hi) noexcept {
  static auto* const call = real<decltype(::madvise)>("madvise");
  auto* const at = reinterpret_cast<void*>(lo);
  if (dsm::g.way != dsm::Way::kMemory || call(at, hi - lo, MADV_REMOVE) != 0) {
    std::memset(at, 0, hi - lo);
  }
}

// A mapping there, instead of what is there, would take shared memory from this process.
bool replaces_shared(const void* wish, std::size_t bytes, int flags, const void* caller) noexcept {
  const auto lo = reinterpret_cast<std::uintptr_t>(wish);
  if ((flags & MAP_FIXED) == 0 || g_book == nullptr || bytes == 0 || bytes > UINTPTR_MAX - lo) {
    return false;
  }
  const bool is_in_range = lo < dsm::g.base + dsm::g.bytes && lo + bytes > dsm::g.base;
  return (is_in_range || is_shared_static(wish) || is_shared_static(static_cast<const char*>(wish) + bytes - 1)) &&
         shares_with(caller);
}

// Fresh pages in the place of those that the program has mapped are zeros to read and write: allocators take pages anew
// so.
void* map_over(void* wish, std::size_t bytes, int access, int flags, const void* caller) noexcept {
  const auto lo = reinterpret_cast<std::uintptr_t>(wish);
  if (is_plain(nullptr, bytes, access, flags & ~MAP_FIXED) && lo % os::kPage == 0) {
    const std::uintptr_t hi = lo + os::round_up(bytes, os::kPage);
    if (is_mapped(lo, hi)) {
      clear(lo, hi);
      return wish;
    }
  }
  (void)refuse(g_place, "a mapping with flags", static_cast<unsigned>(flags), wish, caller);
  return MAP_FAILED;
}

// What is no more than a hint changes nothing.
int advise(void* at, std::size_t bytes, int advice, const void* caller) noexcept {
  const auto lo = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t hi = lo + os::round_up(bytes, os::kPage);
  if (lo % os::kPage != 0 || bytes > dsm::g.bytes) {
    errno = EINVAL;
    return -1;
  }
  if (bytes == 0 || (advice != MADV_DONTNEED && advice != MADV_REMOVE)) {
    static auto* const call = real<decltype(::madvise)>("madvise");
    return call(at, 0, advice);  // knows which there are
  }
  if (!dsm::holds(at, hi - lo)) {
    return refuse(g_advice, "advice", static_cast<unsigned>(advice), at, caller);
  }
  clear(lo, hi);
  return 0;
}

}  // namespace

void begin_mappings() noexcept {
  g_book = static_cast<Book*>(dsm::from(0, job::node().me == 0 ? dsm::allocate_zeros(sizeof(Book)) : nullptr));
}

}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" {

void* mmap(void* wish, std::size_t bytes, int access, int flags, int fd, off_t offset) noexcept {
  using namespace weft::omp::program;
  if (is_plain(wish, bytes, access, flags) && shares_with(__builtin_return_address(0))) {
    return map(bytes);
  }
  if (replaces_shared(wish, bytes, flags, __builtin_return_address(0))) {
    return map_over(wish, bytes, access, flags, __builtin_return_address(0));
  }
  static auto* const call = real<decltype(::mmap)>("mmap");
  return call(wish, bytes, access, flags, fd, offset);
}
void* mmap64(void* wish, std::size_t bytes, int access, int flags, int fd, off64_t offset) noexcept {
  using namespace weft::omp::program;
  if (is_plain(wish, bytes, access, flags) && shares_with(__builtin_return_address(0))) {
    return map(bytes);
  }
  if (replaces_shared(wish, bytes, flags, __builtin_return_address(0))) {
    return map_over(wish, bytes, access, flags, __builtin_return_address(0));
  }
  static auto* const call = real<decltype(::mmap64)>("mmap64");
  return call(wish, bytes, access, flags, fd, offset);
}
int munmap(void* at, std::size_t bytes) noexcept {
  using namespace weft::omp::program;
  if (is_ours(at, __builtin_return_address(0))) {
    const std::uintptr_t end = end_of(at, bytes);
    return end != 0 && unmap(reinterpret_cast<std::uintptr_t>(at), end) ? 0 : -1;
  }
  static auto* const call = real<decltype(::munmap)>("munmap");
  return call(at, bytes);
}
// NOLINTNEXTLINE(cert-dcl50-cpp): as the C library declares it.
void* mremap(void* at, std::size_t bytes, std::size_t wanted, int flags, ...) noexcept {
  using namespace weft::omp::program;
  va_list more;
  va_start(more, flags);
  void* const place = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  const void* const caller = __builtin_return_address(0);
  if (!is_ours(at, caller)) {
    if (replaces_shared(place, wanted, (flags & MREMAP_FIXED) != 0 ? MAP_FIXED : 0, caller)) {
      (void)refuse(g_place, "a mapping moved with flags", static_cast<unsigned>(flags), place, caller);
      return MAP_FAILED;
    }
    static auto* const call = real<decltype(::mremap)>("mremap");
    return call(at, bytes, wanted, flags, place);
  }
  return remap(at, bytes, wanted, flags);
}

int mprotect(void* at, std::size_t bytes, int access) noexcept {
  using namespace weft::omp::program;
  const void* const caller = __builtin_return_address(0);
  if (!is_shared(at, caller)) {
    static auto* const call = real<decltype(::mprotect)>("mprotect");
    return call(at, bytes, access);
  }
  if (reinterpret_cast<std::uintptr_t>(at) % weft::os::kPage != 0) {
    errno = EINVAL;
    return -1;
  }
  return bytes == 0 || access == (PROT_READ | PROT_WRITE)
             ? 0
             : refuse(g_access, "access", static_cast<unsigned>(access), at, caller);
}

int madvise(void* at, std::size_t bytes, int advice) noexcept {
  using namespace weft::omp::program;
  const void* const caller = __builtin_return_address(0);
  if (!is_shared(at, caller)) {
    static auto* const call = real<decltype(::madvise)>("madvise");
    return call(at, bytes, advice);
  }
  return advise(at, bytes, advice, caller);
}

}  // extern "C"
#pragma GCC visibility pop
