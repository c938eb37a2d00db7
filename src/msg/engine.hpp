// The state of messages in this process, and the parts that work on it. Nothing outside of this room includes this.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/options.hpp"
#include "copy/staged.hpp"
#include "job/node.hpp"
#include "msg/box.hpp"
#include "msg/costs.hpp"
#include "msg/expected.hpp"
#include "msg/hub.hpp"
#include "msg/list.hpp"
#include "msg/listener.hpp"
#include "msg/matching.hpp"
#include "msg/numbers.hpp"
#include "msg/pool.hpp"
#include "msg/queue.hpp"
#include "msg/request.hpp"
#include "reach/peer.hpp"
#include "reach/self.hpp"
#include "sync/doorbell.hpp"
#include "transport/transport.hpp"

namespace weft::msg {

/// What PEs of different nodes say beside messages: it fits a head.
struct Saying {
  transport::Kind kind;
  std::uint32_t ticket;    // the sender's number of the message
  std::uint32_t receiver;  // the receiver's
  std::uint32_t unused;
  std::uint64_t bytes;
  std::uint64_t piece;  // what is asked back: its context and source
};
static_assert(sizeof(Saying) <= transport::kMostHead);

/// What this PE knows of another one, or of itself. Made with the first message.
struct Peer {
  int pe = -1;
  int local = -1;  // -1: on another node
  // What goes there.
  bool closed = false;  // as last read
  std::uint32_t sent = 0;
  BoxWriter out;
  sync::Doorbell* bell = nullptr;
  Hub* hub = nullptr;
  BoxSpot out_spot = 0;
  std::size_t heads = 0;                       // sends whose receiver is to answer
  List waiting;                                // sends that there was no room for, in order
  std::uint64_t by_stage = 0;                  // sizes, by Costs::class_of(), of which it has last wanted two copies
  bool is_listed = false;                      // among those that have some
  std::array<Found, Costs::kClasses> found{};  // what it has found of messages that go both ways at a time
  // What comes.
  std::uint32_t expected = 1;
  bool skipped = false;
  std::uint64_t last_bytes = 0;     // of the last message that a receive took out of the box
  const void* last_into = nullptr;  // where the last message by two copies went, of which these are
  NextLines next_lines{nullptr, nullptr};
  BoxReader in;
  BoxSpot in_spot = 0;
  BoxSpot next_spot = 0;  // of the larger box that the sender is to move to
  // Nodes that have come before what is in the box, in order; with what was checked, as their sender may write there.
  struct Parked {
    QueueNode* node;
    Envelope envelope;
  };
  std::vector<Parked> parked;
  std::size_t parked_done = 0;
  // One copy.
  std::unique_ptr<reach::Peer> reach;
  // Of other nodes: bytes that may still go there before somebody wants them, and what of its own has been received
  // and it does not know of.
  std::uint64_t allowance = 0;
  std::uint64_t to_give_back = 0;
  std::vector<Saying> sayings;  // short ones that there was no room for
};

struct Engine {
  job::Node* node = nullptr;
  bool running = false;
  bool several = false;                // threads
  bool locked = false;                 // several threads, or the network's
  const Listener* listener = nullptr;  // beside what each call looks at
  int begun = 0;
  std::uint64_t limit = 0;      // of what has come unexpectedly
  std::uint64_t allowance = 0;  // of each PE of another node, of that
  std::uint64_t unexpected = 0;
  bool closed = false;
  Hub* hub = nullptr;
  std::uint64_t hub_offset = 0;
  std::uint32_t answers_seen = 0;
  std::size_t heads = 0;  // of all PEs
  Matching matching;
  std::vector<std::unique_ptr<Peer>> peers;  // by PE
  std::vector<Peer*> boxes;                  // those that have a box here
  std::vector<Peer*> with_waiting;           // those with sends that wait
  Pool pool;
  // Of messages that were withdrawn, and whose receivers may still look at them.
  struct Withdrawn {
    Ticket* ticket;
    Peer* peer;
  };
  std::vector<Withdrawn> withdrawn;
  std::uint64_t withdrawals_seen = 0;
  List answered;  // sends whose receiver is to answer, and counts it
  List watched;   // those whose answer is looked for in their tickets
  List copying;   // sends that bring their data by two copies
  List fetching;  // receives that get it so
  Costs costs;
  reach::Self self;
  base::SingleCopy single_copy = base::SingleCopy::kBest;
  transport::Transport* network = nullptr;
  Numbers sends_beyond;     // sends to other nodes that wait for their receivers
  Numbers receives_beyond;  // and receives from there that wait for data
  List sending;             // sends to other nodes whose data goes there
  std::vector<Peer*> with_sayings;
  // Of several threads that wait: one looks out for all, and so many sleep until it wakes them.
  std::atomic<bool> looked_out = false;
  int resting = 0;
  std::mutex mutex;  // of all of this, where `locked`
};
extern Engine g_engine;

/// Sends whose receivers are to answer, at most: each costs its receiver some memory. Few to a PE always go: one that
/// has very many from here may wait for what another one does with what comes from here.
inline constexpr std::size_t kMostHeads = 16384;
inline constexpr std::size_t kHeadsOfEach = 16;
inline bool has_room_for_head(const Peer& peer) noexcept {
  return g_engine.heads < kMostHeads || peer.heads < kHeadsOfEach;
}

/// For the length of a call, where others may call too.
class Guard {
 public:
  Guard() noexcept {
    if (g_engine.locked) [[unlikely]] {
      g_engine.mutex.lock();
    }
  }
  ~Guard() {
    if (g_engine.locked) [[unlikely]] {
      g_engine.mutex.unlock();
    }
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
};

/// All that follows is called under the guard.

// peers.cpp
Peer& peer_of(int pe) noexcept;
/// A line about what another PE has written into memory that is shared, and the end.
[[noreturn]] void damaged(const Peer& peer, const char* what) noexcept;
[[noreturn]] void damaged_queue() noexcept;
QueueNode* node_at(Spot spot) noexcept;
Ticket& ticket_of(const Peer& peer, std::uint32_t number) noexcept;

// outgoing.cpp
void begin_send(Request& request) noexcept;
void send_waiting() noexcept;
bool withdraw_send(Request& request) noexcept;
inline void ring(const Peer& peer) noexcept {
  // A sleeper that lies down at this moment is missed: its naps are short against its wait (sync/doorbell.hpp), and a
  // fence here would cost each message more than the message.
  sync::ring_unfenced(*peer.bell);
}

// incoming.cpp
bool poll_box(Peer& peer) noexcept;
/// What comes next is so many lines further on. False: it is not, or not in the box.
inline bool skip(Peer& peer, std::uint64_t lines) noexcept {
  if (peer.skipped || lines == 0 || lines > peer.in.to_end()) {
    return false;
  }
  peer.skipped = true;
  peer.in.take(static_cast<std::uint32_t>(lines));
  return true;
}
void poll_queue() noexcept;
/// A message is here: `data` is what it carries, or of a head the place of that.
void deliver(Peer& peer, const Envelope& envelope, const std::byte* data, Way way) noexcept;
/// Of a message that has just come, where somebody listens: `receive` is the one that waited for it, or null.
void tell_come(int pe, const Envelope& envelope, Way way, const Request* receive) noexcept;
Kept& keep(const Peer& peer, const Envelope& envelope, const std::byte* data, Way way) noexcept;
/// The message is this receive's.
void give(Request& receive, Kept& message) noexcept;
void drop(Kept& message) noexcept;
/// What of it the receive has room for, and its status.
inline std::uint64_t accept(Request& receive, const Peer& peer, const Envelope& envelope) noexcept {
  receive.status.source = envelope.source;
  receive.status.tag = envelope.tag;
  receive.status.pe = peer.pe;
  receive.status.signature = envelope.signature();
  receive.status.bytes = std::min(envelope.bytes, receive.data.bytes);
  if (envelope.bytes > receive.data.bytes) [[unlikely]] {
    receive.status.fault = Fault::kTruncated;
    receive.status.came = envelope.bytes;
  } else if (receive.signature != 0 && envelope.signature() != 0 && receive.signature != envelope.signature())
      [[unlikely]] {
    receive.status.fault = Fault::kWrongData;
  }
  return receive.status.bytes;
}
inline void put_in_place(const Request& receive, const std::byte* data, std::uint64_t bytes) noexcept {
  if (bytes == 0) {
    return;
  }
  if (receive.data.layout != nullptr) {
    receive.data.layout->unpack(receive.data.at, 0, data, bytes);
  } else if (bytes == 8) {  // the commonest, in line
    std::memcpy(receive.data.at, data, 8);
  } else {
    copy::copy(receive.data.at, data, bytes);
  }
}
void complete(Request& request) noexcept;
/// Something is there that threads of this PE may wait for.
inline void rouse() noexcept {
  if (!g_engine.several) [[likely]] {
    return;
  }
  if (g_engine.resting > 0) {
    // seq_cst: they see it, or are seen to sleep. Who looks out sleeps in short naps.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  sync::ring_unfenced(g_engine.node->value_bell(g_engine.node->local));
}

// fetch.cpp
/// `told`: where the data is, as the head says; null: its ticket does.
void fetch(Request& receive, Peer& peer, const Envelope& envelope, const ToldPlace* told) noexcept;
/// `found`: with kReceived, of messages of this size.
void answer(Peer& peer, const Envelope& envelope, Answer what, Found found = {}) noexcept;
/// Before its head goes: it is to bring its data to a stage without being asked, if that is what its receiver wants.
void prepare_unasked(Peer& peer, Request& send) noexcept;
/// Its head has gone: its receiver is to answer.
void await_answer(Request& send) noexcept;
void give_back_ticket(Request& send) noexcept;
List& of_awaited(const Request& send) noexcept;
void look_at_answers() noexcept;
void go_on_copying() noexcept;
void go_on_fetching() noexcept;

// describing.cpp
/// Where its data is, for a receiver that reads it. False: not now.
bool describe(Request& send, Ticket& ticket) noexcept;
/// All that belongs to its ticket, but not that itself.
void give_back_description(Request& send) noexcept;

// withdrawing.cpp: messages of this node that a sender takes back, until a receive has them
inline bool may_be_withdrawn(const Peer& peer, const Envelope& envelope) noexcept {
  return peer.local >= 0 && envelope.ticket != kNoTicket && !envelope.is_watched();
}
bool claim_ticket(Peer& peer, const Envelope& envelope) noexcept;
/// Before a receive has a message that was not taken yet. False: it was withdrawn, and is nobody's.
inline bool claim(Peer& peer, const Envelope& envelope) noexcept {
  return !may_be_withdrawn(peer, envelope) || claim_ticket(peer, envelope);
}
bool was_withdrawn(Peer& peer, const Envelope& envelope) noexcept;
/// A message of which this side has the head only, and that was withdrawn.
void let_go_of_withdrawn(Peer& peer, const Envelope& envelope) noexcept;
/// The first message that fits and is there; null: none. The second one is taken out of matching, and the sender cannot
/// withdraw it any more.
Kept* find_kept(const Pattern& pattern) noexcept;
Kept* take_kept(const Pattern& pattern) noexcept;
/// A send whose head has gone. False: its receiver has taken it.
bool withdraw_here(Request& send) noexcept;
void take_back_tickets() noexcept;
void drop_withdrawn() noexcept;

// beyond.cpp: other nodes
bool try_send_beyond(Peer& peer, Request& request) noexcept;
void fetch_beyond(Request& receive, Peer& peer, const Envelope& envelope) noexcept;
void answer_beyond(Request& receive, Peer& peer, const Envelope& envelope) noexcept;
void forget_beyond(Request& send) noexcept;
void add_kinds() noexcept;
void go_on_beyond() noexcept;

// asking_back.cpp
/// Asks its receiver's process to let it go, whose answer completes it.
void ask_back(Request& send) noexcept;

// progress.cpp
bool go_on() noexcept;
bool work_is_left() noexcept;

}  // namespace weft::msg
