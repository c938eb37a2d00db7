// Another process's memory, by whichever way is permitted.
//
// Which one is found out at the first use in each direction: by reading the word that the card names, which tells
// whether it is the process that wrote the card, and by writing one beside it. What was found is remembered; a way that
// is refused later is left, and the next one goes on where it stopped.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "reach/card.hpp"
#include "reach/cma.hpp"
#include "reach/knem.hpp"
#include "reach/reason.hpp"
#include "reach/self.hpp"
#include "reach/walk.hpp"
#include "reach/way.hpp"
#include "reach/xpmem.hpp"

namespace weft::reach {

/// Any thread may copy, several at a time.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(); }

  /// `number` names it in messages. The card is copied now, and checked when it is used; `self` is open and stays.
  void meet(const Self& self, const Card& card, int number) noexcept;
  /// While no copy is under way.
  void close() noexcept;

  /// Zero bytes are always done. A range that does not lie in its place is unmapped.
  Moved read(void* to, const Place& from, std::uint64_t offset, std::uint64_t bytes) noexcept;
  Moved write(const Place& to, std::uint64_t offset, const void* from, std::uint64_t bytes) noexcept;
  /// As many bytes as both lists have, in the order of both.
  Moved read(const Ours& to, const Theirs& from) noexcept;
  Moved write(const Theirs& to, const Ours& from) noexcept;

  /// The way that is used in this direction, or kNoWay; finds it out if it is not known yet.
  int way(Direction direction) noexcept;
  /// Why not by this one: kNotTried where a better one is permitted.
  Reason reason(Way way, Direction direction) noexcept;

  /// Its memory there is another one now, or none: what is attached of it is let go.
  void forget(const Place& place) noexcept;

 private:
  static constexpr int kUnknown = -2;

  Moved move(Walk& walk) noexcept;
  Moved move_by(Way way, Walk& walk) noexcept;
  void refuse(Way way, Direction direction, int error) noexcept;
  int choose(Direction direction) noexcept;
  Reason try_out(Way way, Direction direction) noexcept;
  Reason open(Way way) noexcept;
  Reason refusal(Way way, int error) noexcept;
  void tell(Direction direction, int chosen) noexcept;

  const Self* self_ = nullptr;
  Card card_{};
  int number_ = -1;
  XpmemLink xpmem_;
  CmaLink cma_;
  KnemLink knem_;
  std::atomic<int> way_[kDirections] = {kUnknown, kUnknown};
  std::mutex mutex_;  // of what follows
  bool opened_[kWays] = {};
  Reason reasons_[kDirections][kWays];
};

}  // namespace weft::reach
