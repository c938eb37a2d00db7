// What a thread tells people that waits for another PE's part in shared memory (boot::Waiting::kPages): once the wait
// has outlasted its spinning.
#pragma once

#include <atomic>
#include <cstdint>

#include "dsm/state.hpp"
#include "job/notes.hpp"

namespace weft::dsm {

/// What is asked of another PE, and about which place in the range.
struct About {
  boot::OfPages what = boot::OfPages::kContents;
  std::uint64_t offset = kNowhere;
};
/// As one number, and back.
constexpr std::uint64_t number_of(const About& about) noexcept {
  return (about.offset == kNowhere ? 0 : about.offset + 1) << 8 | static_cast<std::uint64_t>(about.what);
}
constexpr About about_of(std::uint64_t number) noexcept {
  return {static_cast<boot::OfPages>(number & 0xff), number >> 8 == 0 ? kNowhere : (number >> 8) - 1};
}

/// Where the program sees that place.
std::uintptr_t address_of(std::uint64_t offset) noexcept;

/// By which a lock in shared memory is known to people.
constexpr boot::Place place_of_lock(std::uint64_t offset) noexcept { return (offset + 1) | boot::kInShared; }

/// As long as it lives, what this thread waits for is for an access of the program.
class ForAccess {
 public:
  ForAccess(std::uintptr_t at, std::uintptr_t instruction) noexcept;
  ForAccess(const ForAccess&) = delete;
  ForAccess& operator=(const ForAccess&) = delete;
  ~ForAccess();

 private:
  std::uintptr_t at_before_;
  std::uintptr_t instruction_before_;
};
/// This thread is none of the program's.
void goes_on_beside() noexcept;

/// Stands in for sync::WaitNote: of one question, or of several under way, whose answers make `left` go down.
class PagesNote {
 public:
  PagesNote(int pe, About about) noexcept : pe_(pe), about_(about) {}
  explicit PagesNote(const std::atomic<std::uint32_t>& left) noexcept : left_(&left) {}

  int begin(std::uint64_t detail = 0) const noexcept;
  void looked(int place, std::uint64_t waited_ns) const noexcept;
  void end(int place) const noexcept;

 private:
  int pe_ = -1;
  About about_{};
  const std::atomic<std::uint32_t>* left_ = nullptr;
};

}  // namespace weft::dsm
