// Messages that a receiver waits for: by sender and tag, of a length that it knows. What collectives say to each other
// between nodes. It stands on tell() alone, so it is the same over every network.
//
// Messages whose data has come and that nobody waits for are bounded by what each sender may have at each receiver
// (allowance.hpp). What is larger, or finds that used up, is offered, and sent when the receiver wants it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "transport/mailbox.hpp"
#include "transport/transport.hpp"

namespace weft::transport {

class TaggedMessages {
 public:
  TaggedMessages() = default;
  TaggedMessages(const TaggedMessages&) = delete;
  TaggedMessages& operator=(const TaggedMessages&) = delete;

  /// Complete when `from` may be changed.
  virtual void send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& pending) noexcept = 0;
  /// Messages have the length that the receiver expects.
  virtual void receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept = 0;

 protected:
  ~TaggedMessages() = default;
};

class Tagged final : public TaggedMessages {
 public:
  static constexpr Kind kKind = 0;

  constexpr Tagged() = default;
  ~Tagged();

  /// Over this network from now on, which may be opened and closed meanwhile. Once. False: no memory.
  bool begin(Transport& network, const Setup& setup, Kinds& kinds) noexcept;
  void send(int pe, Tag tag, const void* from, std::size_t bytes, Pending& pending) noexcept override;
  void receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept override;
  /// Tells what there was no room for. To be called whenever the network has gone on.
  void go_on() noexcept {
    // Relaxed: who has put something there calls this itself when it waits.
    if (waiting_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      tell_waiting();
    }
  }

 private:
  enum class What : std::uint32_t { kMessage, kOffer, kWanted, kWantedData, kTaken };
  struct Head {
    std::uint64_t tag;
    std::uint64_t bytes;
    std::uint64_t number;  // of an offer; of kTaken: what there is room for again
    What what;
    std::uint32_t unused;
  };
  static_assert(sizeof(Head) == 32 && sizeof(Head) <= kMostHead);

  /// A message of this PE's that the other one does not want yet.
  struct Offer {
    Offer* next;
    std::uint64_t number;
    const void* from;
    std::uint64_t bytes;
    Pending* pending;
    Pending::Count* count;
  };
  /// What there was no room for.
  struct Waiting {
    Waiting* next;
    Head head;
    const void* data;
    std::uint64_t bytes;
    Pending* pending;
    Pending::Count* count;  // null: nobody waits
  };
  struct Peer {
    ~Peer();
    // Of all that follows. Handlers take it, and tell() is called under it (transport.hpp).
    std::mutex mutex;
    std::uint64_t allowance = 0;  // left for messages to it that nobody waits for
    Offer* offers = nullptr;
    std::uint64_t last_offer = 0;
    Waiting* first_waiting = nullptr;
    Waiting** end_waiting = &first_waiting;
    // Of its messages.
    std::uint64_t unexpected = 0;   // cost of what has come and nobody waits for
    std::uint32_t offers_here = 0;  // that nobody wants yet
    std::uint64_t taken = 0;        // cost of what was received and it does not know of
    Mailbox mailbox;
  };

  static Landing place(void* self, const Arrival& arrival, Answerer& answerer) noexcept;
  static void arrived(void* self, const Arrival& arrival, Answerer& answerer) noexcept;
  static void lost(void* self, const Arrival& arrival) noexcept;
  Landing place_message(Peer& peer, const Arrival& arrival, const Head& head, Answerer& answerer) noexcept;
  Landing place_offer(Peer& peer, const Arrival& arrival, const Head& head, Answerer& answerer) noexcept;
  Landing place_wanted_data(Peer& peer, const Arrival& arrival, const Head& head) noexcept;
  void send_wanted(Peer& peer, int pe, std::uint64_t number) noexcept;
  /// What of the cost is to be told to the sender now, or 0.
  std::uint64_t give_back(Peer& peer, std::uint64_t cost) const noexcept;

  /// Null: no memory, and that was told.
  Peer* peer_of(int pe) noexcept;
  /// The same, of whom something has come or was sent already.
  Peer* known(int pe) const noexcept {
    // Acquire: pairs with peer_of(), and what was made is whole.
    return peers_[static_cast<std::size_t>(pe)].load(std::memory_order_acquire);
  }
  /// With the peer's mutex.
  void say(Peer& peer, int pe, const Head& head, const void* data, std::uint64_t bytes, Pending* pending) noexcept;
  Told tell(int pe, const Head& head, const void* data, std::uint64_t bytes, Pending& pending) noexcept;
  void tell_waiting() noexcept;
  void refuse(int pe, const char* why) noexcept;
  void fail_receipt(int pe, Mailbox::Met why, std::uint64_t came, std::uint64_t wanted) noexcept;

  Transport* network_ = nullptr;
  Setup setup_{};
  std::uint64_t allowance_ = 0;
  // By PE, null until the first message, then it stays.
  std::unique_ptr<std::atomic<Peer*>[]> peers_;
  std::size_t pes_ = 0;
  Pending nobodys_;  // counts what nobody waits for
  std::atomic<std::uint64_t> waiting_ = 0;
};

/// That of this process.
Tagged& tagged() noexcept;

}  // namespace weft::transport
