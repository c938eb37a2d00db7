// knem: a kernel module that copies to and from regions, which their process has made before, by cookie. It pins the
// pages of a region, so it comes last.
#pragma once

#include <cstdint>

#include "reach/card.hpp"
#include "reach/link.hpp"
#include "reach/reason.hpp"
#include "reach/systems.hpp"
#include "reach/walk.hpp"

namespace weft::reach {

/// The driver's interface, version 13.
namespace knem {
inline constexpr std::uint32_t kVersion = 13;
inline constexpr std::uint32_t kSuccess = 1;
struct Info {
  std::uint32_t version, features, ignored_flags, forced_flags;
};
struct Segment {
  std::uint64_t address, bytes;
};
struct Create {
  std::uint64_t segments;
  std::uint32_t n_segments, flags, protection, pad;
  std::uint64_t cookie;
};
struct Copy {
  std::uint64_t segments;
  std::uint32_t n_segments, write;
  std::uint64_t cookie, offset, bytes;
  std::uint32_t flags, status, status_index, pad;
};
static_assert(sizeof(Info) == 16 && sizeof(Segment) == 16 && sizeof(Create) == 32 && sizeof(Copy) == 56);
extern const unsigned long kGetInfo, kCreateRegion, kDestroyRegion, kCopy;
}  // namespace knem

class Knem {
 public:
  Reason open(const Systems& systems) noexcept;
  void close() noexcept;
  /// A region for others to read, and to write if `writable`. 0: it could not be made.
  std::uint64_t show(std::uint64_t address, std::uint64_t bytes, bool writable) const noexcept;
  void take_back(std::uint64_t cookie) const noexcept;
  /// 0, or errno.
  int copy(knem::Copy* what) const noexcept;

 private:
  int device_ = -1;
  int (*control_)(int device, unsigned long command, void* argument) = nullptr;
};

class KnemLink {
 public:
  Reason open(const Knem& own, const Card& card) noexcept;
  Moved move(Walk& walk) noexcept;
  Reason refusal(int error) const noexcept;
  void forget(std::uint64_t, std::uint64_t) noexcept {}
  void close() noexcept {}

 private:
  Moved stopped(const Walk& walk, int error) const noexcept;

  const Knem* own_ = nullptr;
  const Card* card_ = nullptr;
};
static_assert(LinkTo<KnemLink, Knem>);

}  // namespace weft::reach
