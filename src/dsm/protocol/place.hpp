// Whether a page is at home at a PE, as that PE knows it: one word for each page in the PE's part, which all who come
// to the page at home there change, each time as a whole. So a page moves between two uses of it and never during one,
// and who comes too late hears where it has gone.
//
// From one PE to another it goes on ways that lead forward in time: who follows them comes to its home.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace weft::dsm::protocol {

enum class Found : std::uint8_t { kHere, kGone, kWait };

// Why nobody may take the page: the program may write it, which is at home here; or it stays for good, as somebody has
// mapped or pinned it, has carried out an operation on a word of it or taken a lock there, which may go on for long.
inline constexpr std::uint8_t kHot = 1;
inline constexpr std::uint8_t kFixed = 2;

// What others have stored: what they had changed in copies; or by operations on words.
inline constexpr std::uint16_t kChanges = 1;
inline constexpr std::uint16_t kWord = 2;

// Aligned as the one word it is: clang goes by the type, not by the atomic around it, and would call a library for
// less.
struct alignas(std::uint64_t) Place {
  std::uint16_t users = 0;   // others who read or change the contents here now
  std::uint16_t stored = 0;  // kChanges, kWord: others have stored something since it was looked at
  std::uint16_t to = 0;      // the PE that has taken the page from here, from 1 on; 0: it is here, or never was
  std::uint8_t closed = 0;   // 1: it is being taken from here, or is on its way here
  std::uint8_t stays = 0;    // kHot, kFixed

  constexpr Found found() const noexcept { return closed != 0 ? Found::kWait : to != 0 ? Found::kGone : Found::kHere; }

  // What may become of it. False: nothing, as the page is not here, or may not go.
  constexpr bool enter() noexcept {
    users = static_cast<std::uint16_t>(users + (found() == Found::kHere ? 1 : 0));
    return found() == Found::kHere;
  }
  constexpr bool leave() noexcept {
    --users;
    return true;
  }
  constexpr bool leave_stored() noexcept {
    stored |= kChanges;
    return leave();
  }
  // Behind the operation, of a page that stays.
  constexpr bool store_word() noexcept {
    stored |= kWord;
    return true;
  }
  constexpr bool see() noexcept {
    stored = 0;
    return true;
  }
  constexpr bool heat() noexcept { return keep(kHot); }
  constexpr bool fix() noexcept { return keep(kFixed); }
  constexpr bool cool() noexcept {
    stays &= static_cast<std::uint8_t>(~kHot);
    return true;
  }

  // A PE that takes the page closes its own place, then the home's, takes the contents, opens its own, and only then is
  // it gone from where it was.
  constexpr bool expect() noexcept {
    closed = 1;
    return true;
  }
  constexpr bool close() noexcept {
    const bool may = found() == Found::kHere && users == 0 && stays == 0;
    closed = may ? 1 : closed;
    return may;
  }
  constexpr bool open() noexcept {
    *this = {0, 0, 0, 0, kHot};
    return true;
  }
  constexpr bool pass_on(int pe) noexcept {
    *this = {0, 0, static_cast<std::uint16_t>(pe + 1), 0, 0};
    return true;
  }
  constexpr bool stay_away() noexcept {
    closed = 0;
    return true;
  }

  friend bool operator==(const Place&, const Place&) = default;

 private:
  constexpr bool keep(std::uint8_t why) noexcept {
    stays |= found() == Found::kHere ? why : std::uint8_t{0};
    return found() == Found::kHere;
  }
};
static_assert(sizeof(Place) == 8 && std::is_trivially_copyable_v<Place> &&
              std::has_unique_object_representations_v<Place>);

/// Those of a PE's part. All zero at first.
class Places {
 public:
  static constexpr std::uint64_t bytes_for(std::uint32_t pages) noexcept {
    return sizeof(Place) * std::uint64_t{pages};
  }
  Places() = default;
  explicit Places(void* at) noexcept : places_(static_cast<std::atomic<Place>*>(at)) {}

  Place look(std::uint32_t page) const noexcept { return places_[page].load(std::memory_order_acquire); }
  void set(std::uint32_t page, Place place) const noexcept { places_[page].store(place, std::memory_order_release); }
  /// One of the changes above. False: it may not be. `before`: what it was. Acquire and release: who comes in finds
  /// what those have left there who went out before, and who takes a page finds what all have.
  template <class Change>
  bool change(std::uint32_t page, Change&& change, Place* before = nullptr) const noexcept {
    Place was = look(page);
    for (;;) {
      Place after = was;
      const bool may = std::invoke(change, after);
      if (!may || after == was ||
          places_[page].compare_exchange_weak(was, after, std::memory_order_acq_rel, std::memory_order_acquire)) {
        if (before != nullptr) *before = was;
        return may;
      }
    }
  }

 private:
  std::atomic<Place>* places_ = nullptr;
};
static_assert(std::atomic<Place>::is_always_lock_free && sizeof(std::atomic<Place>) == sizeof(Place));

}  // namespace weft::dsm::protocol
