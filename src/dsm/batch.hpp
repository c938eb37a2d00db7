// What goes to homes and comes from there: at once where the home is on this node, else by questions (questions.hpp)
// that are under way together. A home that is not what is known here any more says where the page has gone.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "dsm/homes.hpp"
#include "dsm/parts.hpp"
#include "dsm/protocol/diff.hpp"
#include "dsm/protocol/notices.hpp"
#include "dsm/pushes.hpp"
#include "dsm/state.hpp"
#include "transport/questions.hpp"
#include "transport/transport.hpp"

namespace weft::dsm {

/// Calls use(part, pe) while the page, which has a home, is at home at that PE of this node and nobody takes it from
/// there. Then -1; else the PE of another node where it is at home, as far as is known here.
template <class Use>
int visit(std::uint32_t page, Use&& use, bool stores = false) noexcept {
  for (;;) {
    const int home = known_home(page);
    const Part* const part = part_of(home);
    if (part == nullptr) {
      return home;
    }
    Place before;
    if (part->places.change(page, &Place::enter, &before)) {
      use(*part, home);
      part->places.change(page, stores ? &Place::leave_stored : &Place::leave);
      return -1;
    }
    if (before.found() == Found::kGone) {
      learn_home(page, before.to);
    } else {
      ::sched_yield();
    }
  }
}

/// Contents of pages at home here, for who is sent them with what is announced.
class Sent {
 public:
  /// The page as it is announced, of which all is announced that changes behind that; else null: then what is there is
  /// sent, and has been fetched. `by_twin`: the twin may be that.
  virtual const std::byte* announced(std::uint32_t page, bool by_twin) noexcept = 0;

 protected:
  ~Sent() = default;
};

class Batch {
 public:
  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  /// `into` gets the contents of the pages, which have homes and are marked there before. Those that are announced
  /// again are to come by themselves (pushes.hpp), or not, or the first of them is.
  enum class Next : std::uint8_t { kAsked, kPushed, kFirstPushed };
  /// `is_new`: `into` is what this PE has of the pages, and most likely has no memory yet.
  void fetch(std::uint32_t first, std::uint32_t pages, std::byte* into, Next next = Next::kAsked,
             bool is_new = false) noexcept;
  /// Changes of a page go home. What they are is copied.
  void diff(std::uint32_t page, const std::byte* from, const Changes& changes) noexcept;
  /// To the PEs of other nodes that are not owed it (owed.hpp); for the round-th time. To all of them goes what they
  /// have subscribed to, by `pushes`.
  void announce(const std::vector<Run>& runs, std::uint64_t round, int owed_to, Batch& pushes, Sent& sent) noexcept;
  /// Pages of a home on another node are to be at home here: a bit for each that it has given, whose contents come one
  /// behind the other, and one for each that it keeps for good. At most kPagesOfMessage.
  void take(int pe, std::uint32_t first, std::uint32_t pages, std::byte* into, transport::Reply* given) noexcept;
  /// All of that is done, whoever was home.
  void wait() noexcept;

 private:
  struct Wanted {
    std::uint32_t first;
    std::uint32_t pages;
    std::byte* into;
    Next next;
    transport::Reply reply{};
  };
  // Of the changes that go to one PE in one message.
  struct Parcel {
    int pe;
    std::uint32_t pages = 0;
    std::vector<std::byte> data{};
    std::vector<std::uint16_t> gone{};  // of each page: where it has gone
    transport::Reply reply{};
  };
  static Next next_behind(std::uint32_t pages, Next next) noexcept;
  void ask_for(int pe, std::uint32_t first, std::uint32_t pages, std::byte* into, Next next) noexcept;
  // Pages in a row that go to one PE in one message.
  struct Pushed {
    int pe;
    ToPush first;
    std::vector<std::byte> contents{};
    transport::Reply reply{};
  };
  void push(int pe, std::span<const Run> runs, std::uint64_t round, Sent& sent) noexcept;
  static bool put_page(const ToPush& page, Sent& sent, Pushed& into) noexcept;
  static void note_refused(const Pushed& pushed) noexcept;
  void pack(int pe, std::uint32_t page, std::span<const std::byte> coded) noexcept;
  void send_full(int pe) noexcept;
  void send(Parcel& parcel) noexcept;
  bool go_on(const Wanted& wanted) noexcept;
  bool go_on(const Parcel& parcel) noexcept;

  std::atomic<std::uint32_t> left_ = 0;
  transport::Pending pending_;
  // Lists, as questions hold what is in them, and as they take no memory while there is nothing in them.
  std::list<Wanted> wanted_;
  std::list<Parcel> parcels_;  // kept until all is done; the last one of a PE may still grow
  std::list<Pushed> pushed_;   // kept as well
  std::vector<std::uint64_t> runs_;
};

}  // namespace weft::dsm
