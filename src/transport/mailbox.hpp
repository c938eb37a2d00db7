// Messages of one sender that have come, and that are waited for. Those with one tag meet in order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace weft::transport {

class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  /// One message, from when its head has come until it is received. `to` is where its data goes.
  struct Letter {
    Letter* next;
    Tag tag;
    std::uint64_t bytes;
    std::uint64_t offer;  // its number; 0: it came with its data
    std::byte* to;
    Pending::Count* count;  // of who waits for it; null: nobody does yet
    std::byte* wanted_at;   // where that one wants it, if it came first
    bool complete;
  };

  /// What becomes of a message and of who waits for it.
  enum class Met : std::uint8_t {
    kNotYet,       // the other one is not there
    kHere,         // and so is the data, or it is about to come
    kOffered,      // and the data is wanted now: `offer`
    kOtherLength,  // `bytes` says which
    kNoMemory,
  };
  struct Meeting {
    Met met;
    std::uint64_t bytes = 0;
    std::uint64_t offer = 0;
    Letter* letter = nullptr;  // of begin(): where the data that follows goes
  };

  /// Somebody waits.
  Meeting receive(Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept;
  /// The head of a message is here, and its data follows; or only an offer, which has a number.
  Meeting begin(Tag tag, std::uint64_t bytes, std::uint64_t offer) noexcept;
  /// The data of an offer follows that was wanted. Null: none was, of that number and length.
  Letter* begin_wanted(std::uint64_t offer, std::uint64_t bytes) noexcept;
  /// And now its data, all of it.
  void end(Letter* letter) noexcept;
  /// The rest of its data will never come.
  void abandon(Letter* letter) noexcept;

 private:
  struct List {
    Letter* first = nullptr;
    Letter** end = &first;
    void add(Letter* letter) noexcept;
    /// The first of that tag, if there is one.
    Letter* find(Tag tag) const noexcept;
    void take_out(Letter* letter) noexcept;
  };
  List waits_;   // wanted, and not here
  List here_;    // here, coming or offered, and not wanted yet
  List wanted_;  // offered and wanted, and not here
};

}  // namespace weft::transport
