// The book of the shared memory: which bytes of it are in use. There is one for a job, in memory that the PEs of a node
// share, so it has no pointers, and numbers in it are looked at before they are used. It knows offsets only, makes no
// system calls, and never touches what it gives: book-keeping lies outside the pages that it is about.
//
// Blocks of more than half a kilobyte or so are runs of whole pages. Smaller ones are places in a page of their own
// size; such a page gives to one PE only, so that small things of two PEs do not share pages by accident.
//
// A guarded book is that of safe mode (closed.hpp): behind each run of whole pages lies one that is nobody's, a block
// ends where its last page does, as far as its alignment lets it, and what was given back is listed, for PEs that
// close it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dsm/protocol/diff.hpp"
#include "dsm/protocol/notices.hpp"

namespace weft::dsm {

// Which is of this room, and apart from it only so that it stands alone.
using namespace protocol;

class Arena {
 public:
  static constexpr std::uint64_t kNone = UINT64_MAX;
  static constexpr std::uint64_t kUnit = 16;
  static constexpr std::uint64_t kMostSmall = 1024;  // larger blocks are whole pages

  /// Why an address is not what was once given.
  enum class Freed : std::uint8_t { kDone, kWild, kInside, kTwice };

  struct Given {
    std::uint64_t offset = kNone;
    bool untouched = false;  // nobody has had these bytes before: they are still zero
  };

  /// A block that has to do with a place that is not in use: PE `pe` gave it back. -1: it is in use, and ends before
  /// the place. No such block: `begin` is kNone.
  struct Lost {
    std::uint64_t begin = kNone;
    std::uint64_t bytes = 0;
    int pe = -1;
  };

  /// Bytes that the book takes for so many pages and PEs.
  static std::uint64_t bytes_for(std::uint32_t pages, int pes) noexcept;
  /// In memory that is zero. One PE does so before any other looks.
  static Arena* make(void* at, std::uint32_t pages, int pes, bool guarded = false) noexcept;

  /// `alignment` is a power of two. Of kNone where nothing is large enough.
  Given allocate(std::uint64_t bytes, std::uint64_t alignment, int pe) noexcept;
  /// `pe` gives it back.
  Freed release(std::uint64_t offset, int pe) noexcept;
  /// Bytes that a block has room for; 0 where none begins.
  std::uint64_t room_of(std::uint64_t offset) noexcept;
  /// Bytes from there to the end of the block that they lie in, or of the page where blocks share that; 0: nothing is
  /// in use there.
  std::uint64_t room_behind(std::uint64_t offset) noexcept;
  /// Something in this page is in use.
  bool in_use(std::uint32_t page) const noexcept;
  /// The block around it, if it is one of whole pages, or the page.
  Run block_around(std::uint32_t page) noexcept;
  Lost lost_at(std::uint64_t offset) noexcept;

  /// Of a guarded book: how many runs of pages were given back, and which the one was, counted from 0 on. All pages,
  /// where that is forgotten: it is long ago.
  std::uint64_t returns() const noexcept;
  Run returned(std::uint64_t number) noexcept;

  std::uint64_t bytes_left() const noexcept;
  std::uint64_t bytes_in_use() const noexcept { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  enum class Kind : std::uint8_t { kFree = 0, kBlock = 1, kMore = 2, kSmall = 3, kGuard = 4 };
  static constexpr int kBins = 33;
  static constexpr int kClasses = 12;
  static constexpr std::uint32_t kReturns = 1024;  // that are not forgotten
  static constexpr std::uint64_t kHeadBytes = 256;

  // Of a page. `next` and `prev` count from 1; 0 is none. A page that is free tells of its last block: `lost`.
  struct PageNote {
    std::atomic<Kind> kind;  // read without the lock by in_use()
    std::uint8_t size_class;
    bool began;           // a block has begun here before: who frees it now, frees it twice
    bool has_room;        // a page of small places that is in its list
    std::uint32_t pages;  // of the run that begins here; at the end of a free run: of that
    std::uint32_t next;
    std::uint32_t prev;
    std::uint32_t used;   // places
    std::uint32_t pe;     // whose places they are; of a free page: who gave it back, from 1 on
    std::uint64_t bytes;  // of a block: asked for
    union {
      std::uint64_t taken[4];  // places, a bit each
      std::uint64_t begin;     // of a block, or of the last one of a free page: where it begins, in the range
    };
  };
  static_assert(sizeof(PageNote) == 64 && std::is_trivially_copyable_v<std::uint64_t>);

  class Guard;

  PageNote& note(std::uint32_t page) noexcept {
    if (page >= pages_) [[unlikely]] {
      spoilt();
    }
    return reinterpret_cast<PageNote*>(reinterpret_cast<std::byte*>(this) + kHeadBytes)[page];
  }
  const PageNote& note(std::uint32_t page) const noexcept { return const_cast<Arena*>(this)->note(page); }
  std::uint32_t& small_list(int pe, int size_class) noexcept;
  void put_free(std::uint32_t first, std::uint32_t pages) noexcept;
  void take_free(std::uint32_t first) noexcept;
  std::uint32_t find_free(std::uint32_t pages, std::uint32_t alignment, std::uint32_t* at) noexcept;
  std::uint64_t take_run(std::uint32_t pages, std::uint32_t alignment) noexcept;
  void give_run(std::uint32_t first, std::uint32_t pages, const Lost& block) noexcept;
  std::uint64_t* ring() noexcept;
  std::uint64_t take_place(int size_class, int pe) noexcept;
  Freed release_place(std::uint32_t page, std::uint32_t within, int pe) noexcept;
  void link_small(std::uint32_t page) noexcept;
  void unlink_small(std::uint32_t page) noexcept;
  [[noreturn]] static void spoilt() noexcept;

  std::atomic<std::uint32_t> lock_;
  std::uint32_t pages_;
  std::uint32_t pes_;
  std::uint32_t touched_;  // pages from here on were never given
  std::uint32_t guarded_;  // 1: it is; the pages behind each run
  std::atomic<std::uint64_t> returns_;
  std::atomic<std::uint64_t> used_bytes_;
  std::atomic<std::uint64_t> free_pages_;
  std::uint32_t bins_[kBins];  // free runs of 2^k pages and more, below 2^(k+1)
};

}  // namespace weft::dsm
