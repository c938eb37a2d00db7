// xpmem: a kernel module by which a process attaches another one's memory and then copies it like its own. Its
// interface is that of libxpmem, which is loaded where it is; neither is needed to build.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "reach/card.hpp"
#include "reach/link.hpp"
#include "reach/reason.hpp"
#include "reach/systems.hpp"
#include "reach/walk.hpp"

namespace weft::reach {

/// As libxpmem declares them; its struct of an address goes by value.
struct XpmemAddress {
  std::int64_t access;
  off_t offset;
};
struct XpmemCalls {
  std::int64_t (*make)(void* at, std::size_t bytes, int permit_kind, void* permit) = nullptr;
  int (*remove)(std::int64_t segment) = nullptr;
  std::int64_t (*get)(std::int64_t segment, int flags, int permit_kind, void* permit) = nullptr;
  int (*release)(std::int64_t access) = nullptr;
  void* (*attach)(XpmemAddress address, std::size_t bytes, void* at) = nullptr;
  int (*detach)(void* at) = nullptr;
};

class Xpmem {
 public:
  Reason open(const Systems& systems) noexcept;
  void close() noexcept;
  std::uint64_t segment() const noexcept { return static_cast<std::uint64_t>(segment_); }
  const XpmemCalls& calls() const noexcept { return calls_; }

 private:
  XpmemCalls calls_;
  std::int64_t segment_ = 0;  // of this process's memory; 0: none
};

class XpmemLink {
 public:
  /// An attachment is one aligned piece of this size. A peer has at most so many, in which the one goes that was not
  /// used for longest: 256 MiB of addresses, and an entry of the kernel's list of mappings each.
  static constexpr std::uint64_t kPieceBytes = std::uint64_t{2} << 20;
  static constexpr int kPieces = 128;

  Reason open(const Xpmem& own, const Card& card) noexcept;
  Moved move(Walk& walk) noexcept;
  Reason refusal(int error) const noexcept;
  void forget(std::uint64_t address, std::uint64_t bytes) noexcept;
  void close() noexcept;
  int attached() noexcept;

 private:
  struct Attached {
    std::uint64_t piece = 0;  // its number in the peer's memory
    std::byte* at = nullptr;  // null: this entry is free
    std::uint64_t used = 0;   // when last, in copies
    int users = 0;            // copies under way
    bool stale = false;       // goes with its last user
  };

  Attached* use(std::uint64_t piece, int* error) noexcept;
  void leave(Attached& entry, bool stale) noexcept;
  Attached* free_entry() noexcept;
  void detach(Attached& entry) noexcept;
  Outcome copy(Direction direction, const Stretch& at, std::byte* there) const noexcept;

  const Xpmem* own_ = nullptr;
  const Card* card_ = nullptr;
  std::int64_t access_ = 0;
  std::mutex mutex_;  // of what follows
  std::uint64_t copies_ = 0;
  Attached attached_[kPieces];
};
static_assert(LinkTo<XpmemLink, Xpmem>);

}  // namespace weft::reach
