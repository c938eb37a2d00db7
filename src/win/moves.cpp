#include "win/moves.hpp"

#include <algorithm>

#include "copy/copy.hpp"
#include "job/node.hpp"
#include "reach/neighbours.hpp"
#include "win/served.hpp"

namespace weft::win {
namespace {

// All addresses that a process can have: pieces are told by them.
constexpr reach::Place kEverywhere{0, std::uint64_t{1} << 62, 0};

enum class Does : bool { kPut, kGet };

void copy_pieces(const Move& move, Does does) noexcept {
  reach::Walk walk(reach::Direction::kWrite, {move.ours, move.our_count}, {kEverywhere, move.theirs, move.their_count});
  while (walk.left() > 0) {
    const reach::Stretch stretch = walk.stretch();
    auto* const there = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(stretch.address));
    does == Does::kPut ? copy::copy(there, stretch.ours, stretch.bytes)
                       : copy::copy(stretch.ours, there, stretch.bytes);
    walk.advance(stretch.bytes);
  }
}

void by_network(const Member& member, const Move& move, Does does) noexcept {
  transport::Transport& network = *job::node().network;
  const Far& far = move.far != nullptr ? *move.far : member.beyond().far;
  reach::Walk walk(reach::Direction::kWrite, {move.ours, move.our_count}, {kEverywhere, move.theirs, move.their_count});
  while (walk.left() > 0) {
    const reach::Stretch stretch = walk.stretch();
    const transport::Remote there{member.pe, far.key, stretch.address - far.base};
    does == Does::kPut ? network.put(there, stretch.ours, stretch.bytes, transport::Source::kStays, *far.moves)
                       : network.get(stretch.ours, there, stretch.bytes, *far.moves);
    walk.advance(stretch.bytes);
  }
}

// From where it was forbidden on.
reach::Moved by_agent(const Member& member, const Move& move, Does does, std::uint64_t done) noexcept {
  reach::Walk walk(reach::Direction::kWrite, {move.ours, move.our_count}, {kEverywhere, move.theirs, move.their_count});
  walk.advance(done);
  return move_by_agent(member, &walk, does == Does::kPut);
}

reach::Moved make(const Member& member, Way way, const Move& move, Does does) noexcept {
  if (way == Way::kNetwork) {
    by_network(member, move, does);
    return {};
  }
  const int me = job::node().local;
  if (way == Way::kMapped || member.number() == me) {
    copy_pieces(move, does);
    return {};
  }
  reach::Peer* const peer = reach::neighbours().peer(member.number(), member.pe);
  if (peer == nullptr) {
    return by_agent(member, move, does, 0);
  }
  const reach::Ours ours{move.ours, move.our_count};
  const reach::Theirs theirs{kEverywhere, move.theirs, move.their_count};
  const reach::Moved moved = does == Does::kPut ? peer->write(theirs, ours) : peer->read(ours, theirs);
  return moved.outcome == reach::Outcome::kForbidden ? by_agent(member, move, does, moved.bytes) : moved;
}

}  // namespace

reach::Moved put(const Member& member, Way way, const Move& move) noexcept {
  return make(member, way, move, Does::kPut);
}

reach::Moved get(const Member& member, Way way, const Move& move) noexcept {
  return make(member, way, move, Does::kGet);
}

void offer_memory() noexcept { (void)reach::neighbours().offer(); }

}  // namespace weft::win
