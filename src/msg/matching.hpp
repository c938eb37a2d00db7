// Which receive a message is for. Pure: it orders what it is given, and owns none of it.
//
// A message goes to the receive that was posted first of those that it fits, a receive gets the message that came first
// of those that fit it. Both are looked for by context and source; receives of any source, and messages for them, by
// context. With one receive posted, as blocking programs have it, no list is touched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "msg/envelope.hpp"
#include "msg/kept.hpp"
#include "msg/request.hpp"

namespace weft::msg {

struct Pattern {
  std::uint32_t context;
  std::int32_t source;
  std::int32_t tag;

  bool fits(const Envelope& envelope) const noexcept {
    return context == envelope.context && (source == kAnySource || source == envelope.source) &&
           (tag == kAnyTag || tag == envelope.tag);
  }
};

class Matching {
 public:
  static Pattern pattern_of(const Request& receive) noexcept { return {receive.context, receive.source, receive.tag}; }

  /// The receive that this message is for, which is posted no longer; null: none.
  Request* arrived(const Envelope& envelope) noexcept {
    if (only_ != nullptr) {
      Request* const receive = only_;
      if (!pattern_of(*receive).fits(envelope)) {
        return nullptr;
      }
      only_ = nullptr;
      return receive;
    }
    return posted_ == 0 ? nullptr : arrived_of_several(envelope);
  }
  /// What has arrived was none after all: the receive stands where it stood, if nothing has happened since.
  void put_back(Request& receive) noexcept;
  /// Behind all others.
  void post(Request& receive) noexcept {
    if (posted_ == 0 && only_ == nullptr) {
      only_ = &receive;
    } else {
      post_beside_others(receive);
    }
  }
  /// A receive that is posted is so no longer. False: it is not posted.
  bool withdraw(Request& receive) noexcept;
  bool none_posted() const noexcept { return only_ == nullptr && posted_ == 0; }

  /// Behind all others.
  void keep(Kept& message) noexcept;
  /// The first one that fits; null: none. It stays.
  Kept* find(const Pattern& pattern) const noexcept { return kept_ == 0 ? nullptr : find_among(pattern); }
  void remove(Kept& message) noexcept;
  std::size_t kept() const noexcept { return kept_; }
  /// Calls look(message) for messages until it returns false, those of one source and context in order.
  template <class Look>
  void each_kept(Look&& look) const noexcept {
    for (std::size_t k = 0; kept_ > 0 && k < kLists; ++k) {
      for (const Kept* message = messages_[k].first; message != nullptr; message = message->next) {
        if (!look(*message)) {
          return;
        }
      }
    }
  }
  /// In which of so many lists a message is, by what its envelope says.
  static constexpr std::size_t kLists = 256;  // a few for each of the hundred peers that a PE talks to
  static std::size_t list_of(std::uint32_t context, std::int32_t source) noexcept {
    // Multiplied by odd constants: neighbours in either number come to different lists.
    const std::uint32_t mixed = context * 0x9e3779b1U + static_cast<std::uint32_t>(source) * 0x85ebca77U;
    return mixed >> 24;
  }
  /// The last one there for which is_it(message) is true; null: none. It stays.
  template <class Is>
  Kept* last_in(std::size_t list, Is&& is_it) const noexcept {
    Kept* message = kept_ > 0 ? messages_[list % kLists].last : nullptr;
    while (message != nullptr && !is_it(*message)) {
      message = message->previous;
    }
    return message;
  }
  /// Takes out those for which wants(message) is true, and gives each to taken(message).
  template <class Wants, class Taken>
  void take_out_kept(Wants&& wants, Taken&& taken) noexcept {
    for (std::size_t k = 0; kept_ > 0 && k < kLists; ++k) {
      for (Kept* message = messages_[k].first; message != nullptr;) {
        Kept* const next = message->next;
        if (wants(*message)) {
          remove(*message);
          taken(*message);
        }
        message = next;
      }
    }
  }
  /// Any one; null: none is left.
  Kept* first() const noexcept;

 private:
  template <class T>
  struct Ends {
    T* first = nullptr;
    T* last = nullptr;
  };

  Request* arrived_of_several(const Envelope& envelope) noexcept;
  Kept* find_among(const Pattern& pattern) const noexcept;
  void post_beside_others(Request& receive) noexcept;
  void link(Request& receive) noexcept;
  void unlink(Ends<Request>& from, Request& receive) noexcept;

  Request* only_ = nullptr;     // the one that is posted, while it is the only one
  std::size_t posted_ = 0;      // in the lists
  std::size_t posted_any_ = 0;  // of these, of any source
  std::size_t kept_ = 0;
  std::uint64_t order_ = 0;
  // Of receives of any source the list is that of kAnySource.
  std::array<Ends<Request>, kLists> receives_{};
  std::array<Ends<Kept>, kLists> messages_{};
  std::array<Ends<Kept>, kLists> of_context_{};
};

}  // namespace weft::msg
