// A network that keeps the contract of transport/transport.hpp and not one word more, for tests of who stands on it. By
// a seed it delays whatever may be late, turns round whatever has no order, lets data come piece by piece, reads what
// is not to be changed as late as it may, says kAgain, and loses connections.
//
// What a PE does with the memory of another one needs that one to let the network go on, as over TCP.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "transport/late.hpp"
#include "transport/transport.hpp"
#include "wire.hpp"

namespace weft::pretend {

/// The same seed makes the same choices, as far as threads and processes are the same.
struct Manner {
  std::uint64_t seed = 1;
  bool keeps_order = false;
  int delay = 2;  // of what may happen now, one in so many does; 1: all
  int again = 4;  // one tell() in so many finds no room; 0: none without a reason
  int drops = 0;  // at one progress() in so many a connection is lost; 0: never
};

class Network final : public transport::Transport, private transport::LateAnswers {
 public:
  Network(Wire& wire, const transport::Setup& setup, const Manner& manner);

  const char* name() const noexcept override { return "pretended"; }
  bool amo_cpu_coherent() const noexcept override { return true; }
  std::size_t inject_bytes() const noexcept override { return 0; }
  std::size_t copy_bytes() const noexcept override { return 0; }
  base::Result<void> copy_up_to(std::size_t /*bytes*/) noexcept override { return {}; }
  base::Result<void> open(boot::PeerCard* /*own*/) noexcept override { return {}; }
  void close() noexcept override;
  base::Result<transport::RegionKey> lend(const transport::Memory& memory) noexcept override;
  void take_back(const transport::RegionKey& key) noexcept override;
  void put(const transport::Remote& to, const void* from, std::size_t bytes, transport::Source source,
           transport::Pending& pending) noexcept override;
  void get(void* to, const transport::Remote& from, std::size_t bytes, transport::Pending& pending) noexcept override;
  void atomic(const transport::Remote& at, const transport::Atomic& what, void* fetched,
              transport::Pending& pending) noexcept override;
  void put_then(const transport::Remote& to, const void* from, std::size_t bytes, bool reusable,
                const transport::Remote& signal, const transport::Atomic& what,
                transport::Pending& pending) noexcept override;
  bool keeps_order() const noexcept override { return manner_.keeps_order; }
  transport::Told tell(int pe, const transport::Message& what, transport::Pending& pending) noexcept override;
  void progress() noexcept override;
  bool sleep(int timeout_ms) noexcept override;

  /// The connection with that PE is lost, for both.
  void drop(int pe) noexcept;

 private:
  /// With another PE's memory.
  struct Operation {
    const char* name;
    transport::Remote place;
    std::vector<std::byte> copy;
    const std::byte* from = nullptr;  // of a put
    std::byte* to = nullptr;          // of a get
    std::size_t bytes = 0;
    std::size_t done = 0;
    bool has_atomic = false;
    transport::Remote at;
    transport::Atomic what;
    void* fetched = nullptr;
    std::uint64_t due = 0;  // when the other PE has let the network go on so often
    transport::Pending::Count* count = nullptr;
    bool is_get() const noexcept { return to != nullptr; }
  };
  /// What this PE tells or answers, until all of it is on the wire.
  struct Outgoing {
    Lane lane;
    transport::Message what;
    std::vector<std::byte> copy;
    std::byte head[transport::kMostHead];
    std::uint64_t number = 0;
    std::uint64_t sent = 0;
    Entry* entry = nullptr;
    transport::Pending::Count* count = nullptr;
  };
  /// What comes, between its place and its arrival.
  struct Incoming {
    const transport::Handler* handler = nullptr;  // null: nothing
    transport::Arrival arrival;
    std::uint64_t came = 0;
    bool answered = false;
  };
  struct Peer {
    std::uint32_t drops = 0;  // that this PE knows of
    std::list<Operation> operations;
    std::list<Outgoing> outgoing;
    std::uint64_t told = 0;
    std::uint64_t next_told = 0;
    Incoming incoming[kLanes][transport::kMostTold];
  };
  class Replier;

  // With the mutex.
  bool happens(int one_in) noexcept { return one_in <= 1 || random_() % static_cast<unsigned>(one_in) == 0; }
  Peer& peer(int pe) noexcept { return peers_[static_cast<std::size_t>(pe)]; }
  Way& way(int from, int to) noexcept { return wire_.ways[from][to]; }
  Operation& begin(const char* name, const transport::Remote& place, transport::Pending& pending) noexcept;
  void post(int pe, Lane lane, const transport::Message& what, bool copies, transport::Pending* pending) noexcept;
  /// True: something was done.
  bool send_some(int pe) noexcept;
  bool send_piece(int pe, Outgoing& outgoing) noexcept;

  // In a turn, without the mutex.
  bool operate(int pe) noexcept;
  /// A part of it. True: it is complete, or has failed.
  bool go_on_with(Operation& operation) noexcept;
  std::byte* reach(const transport::Remote& place, std::size_t bytes) noexcept;
  bool receive_some(int pe) noexcept;
  bool place(int pe, Lane lane, Entry& entry, Incoming& incoming) noexcept;
  bool receive(int pe, Lane lane, Entry& entry, Incoming& incoming) noexcept;
  void look_for_drop(int pe) noexcept;
  bool flips(int one_in) noexcept;
  bool has_something() noexcept;

  void send_late(int pe, std::uint64_t connection, const transport::Message& what) noexcept override;
  void no_memory_for_answer(int pe) noexcept override;

  Wire& wire_;
  transport::Setup setup_;
  Manner manner_;
  std::mutex progress_mutex_;
  std::mutex mutex_;  // of what follows, but for what comes
  std::mt19937_64 random_;
  std::vector<Peer> peers_;
  std::uint64_t last_key_;
  std::atomic<std::uint32_t> seen_ = 0;  // of the bell
};

}  // namespace weft::pretend
