// Messages that have come and messages that are waited for. Those of one sender with one tag meet in order.
#pragma once

#include <cstddef>

#include "transport/transport.hpp"

namespace weft::transport::tcp {

class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  /// One message, from when its head has come until it is received. `to` is where its data goes.
  struct Letter {
    Letter* next;
    int pe;
    Tag tag;
    std::size_t bytes;
    std::byte* to;
    Pending::Count* count;  // of who waits for it; null: nobody does yet
    std::byte* wanted_at;   // where that one wants it, if it came first
    bool complete;
  };

  /// Who waits. False: no memory, or the message that came has another length (`came` says which then, else 0).
  bool receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending, std::size_t* came) noexcept;
  /// The head of a message is here. Null as above; `wanted` says the length that was expected then.
  Letter* begin(int pe, Tag tag, std::size_t bytes, std::size_t* wanted) noexcept;
  /// And now its data, all of it.
  void end(Letter* letter) noexcept;

 private:
  struct List {
    Letter* first = nullptr;
    void add(Letter* letter) noexcept;
    /// The first of that kind, if `pe` has one.
    Letter* find(int pe, Tag tag) const noexcept;
    void take_out(Letter* letter) noexcept;
  };
  List waits_;  // wanted, and not here
  List here_;   // here, or coming, and not wanted yet
};

}  // namespace weft::transport::tcp
