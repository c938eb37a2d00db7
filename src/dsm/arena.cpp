#include "dsm/arena.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "base/lines.hpp"

namespace weft::dsm {
namespace {

constexpr std::uint16_t kSizes[] = {16, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};

int class_of(std::uint64_t bytes) noexcept {
  int k = 0;
  while (kSizes[k] < bytes) {
    ++k;
  }
  return k;
}

std::uint32_t places_of(int size_class) noexcept { return kPageBytes / kSizes[size_class]; }

}  // namespace

// PEs, and their threads, come one at a time. Whoever has it makes a few steps and no system call, so a short wait is
// the rule; who lost the processor meanwhile is waited for by yielding.
class Arena::Guard {
 public:
  explicit Guard(std::atomic<std::uint32_t>& lock) noexcept : lock_(lock) {
    // Acquire: what the one before has written is seen.
    for (int tries = 0; lock_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      while (lock_.load(std::memory_order_relaxed) != 0) {
        if (++tries % 64 == 0) {
          ::sched_yield();
        }
      }
    }
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  // Release: pairs with the acquire of the next one.
  ~Guard() { lock_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t>& lock_;
};

void Arena::spoilt() noexcept {
  base::fail(nullptr, "the book of the shared memory is spoilt; does the program write where it should not?");
}

std::uint64_t Arena::bytes_for(std::uint32_t pages, int pes) noexcept {
  static_assert(sizeof(Arena) <= kHeadBytes);
  const std::uint64_t lists = static_cast<std::uint64_t>(pes) * kClasses * sizeof(std::uint32_t);
  return kHeadBytes + static_cast<std::uint64_t>(pages) * sizeof(PageNote) + (lists + 63) / 64 * 64 +
         kReturns * sizeof(std::uint64_t);
}

Arena* Arena::make(void* at, std::uint32_t pages, int pes, bool guarded) noexcept {
  Arena* const arena = ::new (at) Arena;
  arena->pages_ = pages;
  arena->pes_ = static_cast<std::uint32_t>(pes);
  arena->touched_ = 0;
  arena->guarded_ = guarded ? 1 : 0;
  arena->returns_.store(0, std::memory_order_relaxed);
  arena->used_bytes_.store(0, std::memory_order_relaxed);
  arena->free_pages_.store(0, std::memory_order_relaxed);
  std::fill(std::begin(arena->bins_), std::end(arena->bins_), 0);
  arena->lock_.store(0, std::memory_order_relaxed);
  arena->put_free(0, pages);
  return arena;
}

std::uint32_t& Arena::small_list(int pe, int size_class) noexcept {
  auto* const lists = reinterpret_cast<std::uint32_t*>(reinterpret_cast<std::byte*>(this) + kHeadBytes +
                                                       static_cast<std::uint64_t>(pages_) * sizeof(PageNote));
  return lists[static_cast<std::uint32_t>(pe) % pes_ * kClasses + static_cast<std::uint32_t>(size_class)];
}

void Arena::link_small(std::uint32_t page) noexcept {
  PageNote& here = note(page);
  std::uint32_t& head = small_list(static_cast<int>(here.pe), here.size_class);
  here.prev = 0;
  here.next = head;
  here.has_room = true;
  if (head != 0) {
    note(head - 1).prev = page + 1;
  }
  head = page + 1;
}

void Arena::unlink_small(std::uint32_t page) noexcept {
  PageNote& here = note(page);
  (here.prev != 0 ? note(here.prev - 1).next : small_list(static_cast<int>(here.pe), here.size_class)) = here.next;
  if (here.next != 0) {
    note(here.next - 1).prev = here.prev;
  }
  here.has_room = false;
}

std::uint64_t Arena::take_place(int size_class, int pe) noexcept {
  std::uint32_t link = small_list(pe, size_class);
  if (link == 0) {
    const std::uint64_t made = take_run(1, 1);
    if (made == kNone) {
      return kNone;
    }
    const auto page = static_cast<std::uint32_t>(made);
    PageNote& here = note(page);
    here.size_class = static_cast<std::uint8_t>(size_class);
    here.pe = static_cast<std::uint32_t>(pe);
    here.used = 0;
    std::fill(std::begin(here.taken), std::end(here.taken), 0);
    here.kind.store(Kind::kSmall, std::memory_order_relaxed);
    touched_ = std::max(touched_, page + 1);
    link_small(page);
    link = page + 1;
  }
  const std::uint32_t page = link - 1;
  PageNote& here = note(page);
  const std::uint32_t places = places_of(size_class);
  for (std::uint32_t word = 0; word < 4; ++word) {
    const auto bit = static_cast<std::uint32_t>(std::countr_one(here.taken[word]));
    const std::uint32_t place = word * 64 + bit;
    if (bit < 64 && place < places) {
      here.taken[word] |= std::uint64_t{1} << bit;
      if (++here.used == places) {
        unlink_small(page);
      }
      return static_cast<std::uint64_t>(page) * kPageBytes + place * kSizes[size_class];
    }
  }
  spoilt();
}

Arena::Given Arena::allocate(std::uint64_t bytes, std::uint64_t alignment, int pe) noexcept {
  bytes = std::max<std::uint64_t>(bytes, 1);
  if (bytes > static_cast<std::uint64_t>(pages_) * kPageBytes ||
      alignment > static_cast<std::uint64_t>(pages_) * kPageBytes) {
    return {};
  }
  const Guard guard(lock_);
  // A place of a size that is a power of two lies at a multiple of it.
  const std::uint64_t small = alignment <= kUnit ? bytes : std::max(std::bit_ceil(bytes), alignment);
  static_assert(kSizes[kClasses - 1] == kMostSmall);
  if (small <= kMostSmall) {
    const int size_class = class_of(small);
    const std::uint64_t offset = take_place(size_class, pe);
    if (offset != kNone) {
      used_bytes_.fetch_add(kSizes[size_class], std::memory_order_relaxed);
    }
    return {offset, false};
  }
  const auto pages = static_cast<std::uint32_t>((bytes + kPageBytes - 1) / kPageBytes);
  const std::uint64_t first =
      take_run(pages + guarded_, static_cast<std::uint32_t>(std::max<std::uint64_t>(alignment / kPageBytes, 1)));
  if (first == kNone) {
    return {};
  }
  const auto begin = static_cast<std::uint32_t>(first);
  for (std::uint32_t page = begin + 1; page < begin + pages; ++page) {
    note(page).kind.store(Kind::kMore, std::memory_order_relaxed);
    note(page).began = false;
  }
  if (guarded_ != 0) {
    PageNote& behind = note(begin + pages);
    behind.kind.store(Kind::kGuard, std::memory_order_relaxed);
    behind.began = false;
  }
  PageNote& here = note(begin);
  const std::uint64_t unit = std::max(alignment, kUnit);
  here.begin = first * kPageBytes + (guarded_ != 0 ? (pages * kPageBytes - bytes) / unit * unit : 0);
  here.pages = pages;
  here.bytes = bytes;
  here.began = true;
  here.kind.store(Kind::kBlock, std::memory_order_relaxed);
  const bool untouched = begin >= touched_;
  touched_ = std::max(touched_, begin + pages);
  used_bytes_.fetch_add(static_cast<std::uint64_t>(pages) * kPageBytes, std::memory_order_relaxed);
  return {here.begin, untouched};
}

Arena::Freed Arena::release_place(std::uint32_t page, std::uint32_t within, int pe) noexcept {
  PageNote& here = note(page);
  if (here.size_class >= kClasses) [[unlikely]] {
    spoilt();
  }
  const std::uint32_t size = kSizes[here.size_class];
  const std::uint32_t place = within / size;
  if (place >= places_of(here.size_class)) {
    return Freed::kWild;
  }
  const std::uint64_t bit = std::uint64_t{1} << place % 64;
  const bool taken = (here.taken[place / 64] & bit) != 0;
  if (within % size != 0) {
    return taken ? Freed::kInside : Freed::kWild;
  }
  if (!taken) {
    return Freed::kTwice;
  }
  here.taken[place / 64] &= ~bit;
  used_bytes_.fetch_sub(size, std::memory_order_relaxed);
  if (--here.used == 0) {
    if (here.has_room) {
      unlink_small(page);
    }
    here.began = true;  // at least its first place
    give_run(page, 1, {std::uint64_t{page} * kPageBytes + within, size, pe});
  } else if (!here.has_room) {
    link_small(page);
  }
  return Freed::kDone;
}

Arena::Freed Arena::release(std::uint64_t offset, int pe) noexcept {
  if (offset / kPageBytes >= pages_) {
    return Freed::kWild;
  }
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  const auto within = static_cast<std::uint32_t>(offset % kPageBytes);
  const Guard guard(lock_);
  PageNote& here = note(page);
  switch (here.kind.load(std::memory_order_relaxed)) {
    case Kind::kSmall: return release_place(page, within, pe);
    case Kind::kMore: return Freed::kInside;
    case Kind::kGuard: return Freed::kWild;
    case Kind::kFree: return here.began && (within == 0 || offset == here.begin) ? Freed::kTwice : Freed::kWild;
    case Kind::kBlock: break;
  }
  if (offset != here.begin) {
    return offset > here.begin ? Freed::kInside : Freed::kWild;
  }
  const std::uint32_t pages = here.pages;
  if (pages == 0 || pages > pages_ - page) [[unlikely]] {
    spoilt();
  }
  used_bytes_.fetch_sub(static_cast<std::uint64_t>(pages) * kPageBytes, std::memory_order_relaxed);
  give_run(page, pages + guarded_, {here.begin, here.bytes, pe});
  return Freed::kDone;
}

std::uint64_t Arena::room_of(std::uint64_t offset) noexcept {
  if (offset / kPageBytes >= pages_) {
    return 0;
  }
  const auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  const auto within = static_cast<std::uint32_t>(offset % kPageBytes);
  const Guard guard(lock_);
  const PageNote& here = note(page);
  const Kind kind = here.kind.load(std::memory_order_relaxed);
  if (kind == Kind::kBlock && offset == here.begin) {
    return static_cast<std::uint64_t>(here.pages) * kPageBytes - within;
  }
  if (kind != Kind::kSmall || here.size_class >= kClasses) {
    return 0;
  }
  const std::uint32_t size = kSizes[here.size_class];
  const std::uint32_t place = within / size;
  const bool begins =
      within % size == 0 && place < places_of(here.size_class) && (here.taken[place / 64] >> place % 64 & 1) != 0;
  return begins ? size : 0;
}

std::uint64_t Arena::room_behind(std::uint64_t offset) noexcept {
  if (offset / kPageBytes >= pages_) {
    return 0;
  }
  auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  const Guard guard(lock_);
  if (note(page).kind.load(std::memory_order_relaxed) == Kind::kSmall) {
    return kPageBytes - offset % kPageBytes;
  }
  while (page > 0 && note(page).kind.load(std::memory_order_relaxed) == Kind::kMore) {
    --page;
  }
  const PageNote& first = note(page);
  const std::uint64_t end = (std::uint64_t{page} + first.pages) * kPageBytes;
  return first.kind.load(std::memory_order_relaxed) == Kind::kBlock && end > offset && offset >= first.begin
             ? end - offset
             : 0;
}

// Relaxed: who is told of an address has been told by what orders more.
bool Arena::in_use(std::uint32_t page) const noexcept {
  if (page >= pages_) {
    return false;
  }
  const Kind kind = note(page).kind.load(std::memory_order_relaxed);
  return kind != Kind::kFree && kind != Kind::kGuard;
}

Run Arena::block_around(std::uint32_t page) noexcept {
  const Guard guard(lock_);
  std::uint32_t first = page;
  while (first > 0 && note(first).kind.load(std::memory_order_relaxed) == Kind::kMore) {
    --first;
  }
  const PageNote& here = note(first);
  const bool block = here.kind.load(std::memory_order_relaxed) == Kind::kBlock && here.pages <= pages_ - first;
  return block ? Run{first, here.pages} : Run{page, 1};
}

// The nearest block before it where the place was never given, or is there to be nobody's.
Arena::Lost Arena::lost_at(std::uint64_t offset) noexcept {
  if (offset / kPageBytes >= pages_) {
    return {};
  }
  auto page = static_cast<std::uint32_t>(offset / kPageBytes);
  const Guard guard(lock_);
  const auto kind_of = [&](std::uint32_t at) { return note(at).kind.load(std::memory_order_relaxed); };
  if (const PageNote& here = note(page); kind_of(page) == Kind::kFree && here.pe != 0) {
    return {here.begin, here.bytes, static_cast<int>(here.pe) - 1};
  }
  while (page > 0 && kind_of(page) != Kind::kBlock && kind_of(page) != Kind::kSmall) {
    --page;
  }
  const PageNote& last = note(page);
  if (kind_of(page) == Kind::kBlock) {
    return {last.begin, last.bytes, -1};
  }
  if (kind_of(page) != Kind::kSmall || last.size_class >= kClasses) {
    return {};
  }
  for (std::uint32_t place = places_of(last.size_class); place-- > 0;) {
    if ((last.taken[place / 64] >> place % 64 & 1) != 0) {
      const std::uint64_t size = kSizes[last.size_class];
      return {std::uint64_t{page} * kPageBytes + place * size, size, -1};
    }
  }
  return {};
}

// Acquire: pairs with give_run().
std::uint64_t Arena::returns() const noexcept { return returns_.load(std::memory_order_acquire); }

Run Arena::returned(std::uint64_t number) noexcept {
  const Guard guard(lock_);
  if (number + kReturns <= returns_.load(std::memory_order_relaxed)) {
    return {0, pages_};
  }
  const std::uint64_t run = ring()[number % kReturns];
  return {static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(run >> 32)};
}

std::uint64_t Arena::bytes_left() const noexcept { return free_pages_.load(std::memory_order_relaxed) * kPageBytes; }

}  // namespace weft::dsm
