// Messages of the pretended network, and lost connections.
#include <algorithm>
#include <cstring>

#include "network.hpp"

namespace weft::pretend {

using transport::Answerer;
using transport::Handler;
using transport::kMostAnswer;
using transport::kMostHead;
using transport::Message;
using transport::Owed;
using transport::Pending;
using transport::Told;

namespace {
constexpr std::uint64_t taken_since(std::uint32_t drops, std::uint64_t messages) noexcept {
  return (std::uint64_t{drops} << 32) + messages;
}
}  // namespace

class Network::Replier final : public Answerer {
 public:
  Replier(Network& network, Incoming& incoming) noexcept : network_(network), incoming_(incoming) {}

  bool answer(const Message& what) noexcept override {
    if (is_over() || what.bytes > kMostAnswer || what.head_bytes > kMostHead) {
      return false;
    }
    incoming_.answered = true;
    const std::scoped_lock lock(network_.mutex_);
    network_.post(incoming_.arrival.pe, kAnswers, what, true, nullptr);
    return true;
  }
  Owed* keep() noexcept override {
    const int pe = incoming_.arrival.pe;
    Owed* owed = is_over() ? nullptr : network_.LateAnswers::keep(pe, network_.peer(pe).drops);
    incoming_.answered = incoming_.answered || owed != nullptr;
    return owed;
  }

 private:
  bool is_over() const noexcept { return incoming_.arrival.is_answer || incoming_.answered; }

  Network& network_;
  Incoming& incoming_;
};

// --- what this PE says -----------------------------------------------------------------------------------------------

Told Network::tell(int pe, const Message& what, Pending& pending) noexcept {
  const std::scoped_lock lock(mutex_);
  Peer& to = peer(pe);
  const std::uint64_t before = taken_since(to.drops, 0);
  // What the other one has taken of an earlier connection is not of this one.
  const std::uint64_t taken = std::max(way(setup_.me, pe).taken.load(std::memory_order_acquire), before) - before;
  const std::uint64_t most = std::min(setup_.most_told, transport::kMostTold);
  if (to.told - taken >= most || (manner_.again != 0 && happens(manner_.again))) {
    return Told::kAgain;
  }
  const bool copies = what.bytes == 0 || happens(2);
  post(pe, kTold, what, copies, copies ? nullptr : &pending);
  return copies ? Told::kDone : Told::kPosted;
}

void Network::post(int pe, Lane lane, const Message& what, bool copies, Pending* pending) noexcept {
  Peer& to = peer(pe);
  Outgoing& outgoing = to.outgoing.emplace_back();
  outgoing.lane = lane;
  outgoing.what = what;
  if (what.head_bytes > 0) {
    std::memcpy(outgoing.head, what.head, what.head_bytes);
  }
  if (copies && what.bytes > 0) {
    const auto* data = static_cast<const std::byte*>(what.data);
    outgoing.copy.assign(data, data + what.bytes);
    outgoing.what.data = outgoing.copy.data();
  }
  outgoing.number = lane == kTold ? to.told++ : 0;
  outgoing.count = pending == nullptr ? nullptr : pending->begin();
}

void Network::send_late(int pe, std::uint64_t connection, const Message& what) noexcept {
  const std::scoped_lock lock(mutex_);
  if (peer(pe).drops == connection) {
    post(pe, kAnswers, what, true, nullptr);
  }
}

void Network::no_memory_for_answer(int pe) noexcept { setup_.failed("an answer", pe, "no memory"); }

bool Network::send_some(int pe) noexcept {
  bool has_done = false;
  std::list<Outgoing>& all = peer(pe).outgoing;
  for (auto at = all.begin(); at != all.end();) {
    if (!happens(manner_.delay) || !send_piece(pe, *at)) {
      ++at;
      continue;
    }
    has_done = true;
    if (at->sent < at->what.bytes) {
      ++at;
      continue;
    }
    if (at->count != nullptr) {
      at->count->end();
    }
    at = all.erase(at);
  }
  if (has_done) {
    wire_.ring(pe);
  }
  return has_done;
}

// The head, or more data. False: there is no room for it.
bool Network::send_piece(int pe, Outgoing& outgoing) noexcept {
  if (outgoing.entry == nullptr) {
    Entry* const entries = way(setup_.me, pe).entries[outgoing.lane];
    Entry* const free = std::find_if(entries, entries + transport::kMostTold,
                                     [](const Entry& entry) { return !entry.is_here.load(std::memory_order_acquire); });
    if (free == entries + transport::kMostTold) {
      return false;
    }
    outgoing.entry = free;
    free->drops = peer(pe).drops;
    free->kind = outgoing.what.kind;
    free->head_bytes = static_cast<std::uint8_t>(outgoing.what.head_bytes);
    free->number = outgoing.number;
    free->bytes = outgoing.what.bytes;
    std::memcpy(free->head, outgoing.head, outgoing.what.head_bytes);
    free->piece_bytes.store(0, std::memory_order_relaxed);
    free->is_here.store(true, std::memory_order_release);
    return true;
  }
  // Acquire: the receiver has read what was there.
  if (outgoing.entry->piece_bytes.load(std::memory_order_acquire) != 0) {
    return false;
  }
  const std::uint64_t most = happens(2) ? kPiece : kPiece / 7;
  const auto part = static_cast<std::uint32_t>(std::min(outgoing.what.bytes - outgoing.sent, most));
  std::memcpy(outgoing.entry->piece, static_cast<const std::byte*>(outgoing.what.data) + outgoing.sent, part);
  outgoing.entry->piece_bytes.store(part, std::memory_order_release);
  outgoing.sent += part;
  return true;
}

// --- what it is told -------------------------------------------------------------------------------------------------

// From any entry on, so that answers and the data of messages come in any order.
bool Network::receive_some(int pe) noexcept {
  constexpr unsigned kAll = kLanes * transport::kMostTold;
  bool has_done = false;
  std::unique_lock lock(mutex_);
  const auto first = static_cast<unsigned>(random_() % kAll);
  lock.unlock();
  for (unsigned k = 0; k < kAll; ++k) {
    const unsigned number = (first + k) % kAll;
    const Lane lane = number < transport::kMostTold ? kTold : kAnswers;
    Entry& entry = way(pe, setup_.me).entries[lane][number % transport::kMostTold];
    Incoming& incoming = peer(pe).incoming[lane][number % transport::kMostTold];
    if (!entry.is_here.load(std::memory_order_acquire)) {
      continue;
    }
    if (entry.drops < peer(pe).drops) {
      entry.is_here.store(false, std::memory_order_release);  // of a connection that is lost
    } else if (entry.drops == peer(pe).drops && flips(manner_.delay)) {
      has_done =
          (incoming.handler == nullptr ? place(pe, lane, entry, incoming) : receive(pe, lane, entry, incoming)) ||
          has_done;
    }
  }
  return has_done;
}

bool Network::place(int pe, Lane lane, Entry& entry, Incoming& incoming) noexcept {
  if (lane == kTold && entry.number != peer(pe).next_told) {
    return false;
  }
  const Handler* handler = setup_.kinds == nullptr ? nullptr : setup_.kinds->find(entry.kind);
  if (handler == nullptr) {
    if (setup_.refused != nullptr) {
      setup_.refused(pe, "tells what nobody here has a handler for");
    }
    return false;
  }
  peer(pe).next_told += lane == kTold ? 1 : 0;
  incoming = {handler, {pe, entry.kind, lane == kAnswers, entry.head_bytes, entry.bytes, {}, {}}, 0, false};
  std::memcpy(incoming.arrival.head, entry.head, entry.head_bytes);
  Replier replier(*this, incoming);
  incoming.arrival.landing = handler->place(handler->self, incoming.arrival, replier);
  // A message without data arrives as it is placed; answers have no order at all.
  return lane == kTold && entry.bytes == 0 ? receive(pe, lane, entry, incoming) : true;
}

bool Network::receive(int pe, Lane lane, Entry& entry, Incoming& incoming) noexcept {
  if (incoming.came < entry.bytes) {
    const std::uint32_t part = entry.piece_bytes.load(std::memory_order_acquire);
    if (part == 0) {
      return false;
    }
    if (incoming.arrival.landing.at != nullptr) {
      std::memcpy(static_cast<std::byte*>(incoming.arrival.landing.at) + incoming.came, entry.piece, part);
    }
    incoming.came += part;
    entry.piece_bytes.store(0, std::memory_order_release);
    wire_.ring(pe);
    return true;
  }
  Replier replier(*this, incoming);
  incoming.handler->arrived(incoming.handler->self, incoming.arrival, replier);
  incoming.handler = nullptr;
  entry.is_here.store(false, std::memory_order_release);
  if (lane == kTold) {
    std::atomic<std::uint64_t>& taken = way(pe, setup_.me).taken;
    const std::uint64_t before = taken_since(peer(pe).drops, 0);
    taken.store(std::max(taken.load(std::memory_order_relaxed), before) + 1, std::memory_order_release);
  }
  wire_.ring(pe);
  return true;
}

// --- lost connections ------------------------------------------------------------------------------------------------

void Network::drop(int pe) noexcept {
  wire_.drops_of(setup_.me, pe).fetch_add(1, std::memory_order_acq_rel);
  wire_.ring(pe);
  wire_.ring(setup_.me);
}

// What the contract says of it: who has something under way fails, what was placed is lost, and the next operation
// finds a new connection.
void Network::look_for_drop(int pe) noexcept {
  Peer& other = peer(pe);
  const std::uint32_t drops = wire_.drops_of(setup_.me, pe).load(std::memory_order_acquire);
  if (drops == other.drops) {
    return;
  }
  const char* under_way = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    other.drops = drops;
    other.told = other.next_told = 0;
    const bool tells = std::any_of(other.outgoing.begin(), other.outgoing.end(),
                                   [](const Outgoing& outgoing) { return outgoing.lane == kTold; });
    under_way = !other.operations.empty() ? other.operations.front().name : tells ? "a message" : nullptr;
    other.operations.clear();
    other.outgoing.clear();
  }
  if (under_way != nullptr) {
    setup_.failed(under_way, pe, "the connection is lost");
  }
  for (auto& lane : other.incoming) {
    for (Incoming& incoming : lane) {
      const Handler* handler = std::exchange(incoming.handler, nullptr);
      if (handler != nullptr && handler->lost != nullptr) {
        handler->lost(handler->self, incoming.arrival);
      }
    }
  }
  if (setup_.gone != nullptr) {
    setup_.gone(pe);
  }
}

}  // namespace weft::pretend
