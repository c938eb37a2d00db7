// Where the data of a message lies that its receiver fetches: what the sender tells of it in the ticket, and how the
// receiver reads that.
#include <algorithm>
#include <cstring>

#include "msg/fetch.hpp"

namespace weft::msg {
namespace {

Engine& g = g_engine;

// What the sender has told of where the data lies, read once: it may change what it likes.
struct Told {
  reach::Place place{};
  std::size_t count = 0;
  reach::Range ranges[kMostRanges];
};

bool read_description(Peer& peer, const Ticket& ticket, std::uint64_t bytes, Told* told) noexcept {
  told->place = place_told(peer, ticket.place);
  if (told->place.bytes == 0) {
    return false;
  }
  const std::uint32_t count = ticket.n_ranges;
  const std::uint64_t at = ticket.ranges;
  if (count == 0) {
    check_pieces(peer, ticket, at, 0, nullptr);
    told->ranges[0] = {0, bytes};
    told->count = 1;
    return true;
  }
  if (count > kMostRanges || at % alignof(reach::Range) != 0 || !g.node->own.holds(at, count * sizeof(reach::Range))) {
    damaged(peer, "a list of pieces is not in its area");
  }
  std::memcpy(told->ranges, g.node->own.at(peer.local, at), count * sizeof(reach::Range));
  check_pieces(peer, ticket, at, count, told->ranges);
  told->count = count;
  return true;
}

// This side's pieces; 0: there are too many of them, or too small ones.
std::size_t own_pieces(const Request& receive, reach::Piece* into) noexcept {
  if (receive.data.layout == nullptr) {
    into[0] = {receive.data.at, static_cast<std::size_t>(receive.wanted)};
    return 1;
  }
  Stretch listed[kMostRanges];
  const std::size_t count = receive.data.layout->list(receive.data.at, 0, receive.wanted, listed, kMostRanges);
  std::uint64_t all = 0;
  for (std::size_t k = 0; k < count; ++k) {
    into[k] = {listed[k].at, listed[k].bytes};
    all += listed[k].bytes;
  }
  return all == receive.wanted ? count : 0;
}

}  // namespace

reach::Moved read_parts(Request& receive, Peer& peer, const Ticket& ticket) noexcept {
  Told told;
  reach::Piece pieces[kMostRanges];
  const std::size_t count = read_description(peer, ticket, receive.wanted, &told) ? own_pieces(receive, pieces) : 0;
  return count == 0 ? reach::Moved{reach::Outcome::kForbidden, 0, 0}
                    : reach_of(peer).read({pieces, count}, {told.place, told.ranges, told.count});
}

bool describe(Request& send, Ticket& ticket) noexcept {
  ticket.packs = send.data.layout != nullptr ? 1 : 0;
  if (send.is_described || send.data.bytes == 0 || g.single_copy == base::SingleCopy::kNone) {
    return true;
  }
  send.is_described = true;
  send.shown = {};
  send.list = 0;
  if (send.data.layout == nullptr) {
    send.shown = g.self.show(send.data.at, send.data.bytes, false);
    ticket.place = ToldPlace(send.shown);
    ticket.pieces_check = check_of_pieces(0, 0, 0, nullptr);
    return true;
  }
  Stretch pieces[kMostRanges];
  const std::size_t count = send.data.layout->list(send.data.at, 0, send.data.bytes, pieces, kMostRanges);
  std::uint64_t all = 0;
  std::uintptr_t low = UINTPTR_MAX;
  std::uintptr_t high = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto at = reinterpret_cast<std::uintptr_t>(pieces[k].at);
    all += pieces[k].bytes;
    low = std::min(low, at);
    high = std::max(high, at + pieces[k].bytes);
  }
  const std::uint64_t block = count > 0 && all == send.data.bytes ? g.pool.block(count * sizeof(reach::Range)) : 0;
  if (block == 0) {
    return true;  // by two copies
  }
  auto* const ranges = reinterpret_cast<reach::Range*>(g.pool.at(block));
  for (std::size_t k = 0; k < count; ++k) {
    ranges[k] = {reinterpret_cast<std::uintptr_t>(pieces[k].at) - low, pieces[k].bytes};
  }
  ticket.ranges = send.list = block;
  ticket.n_ranges = static_cast<std::uint32_t>(count);
  ticket.pieces_check = check_of_pieces(block, ticket.n_ranges, ticket.packs, ranges);
  send.shown = g.self.show(reinterpret_cast<const void*>(low), high - low, false);
  ticket.place = ToldPlace(send.shown);
  return true;
}

void give_back_description(Request& send) noexcept {
  // By what this side knows: the ticket may have been written over.
  if (send.is_described && send.shown.bytes > 0) {
    g.self.take_back(send.shown);
  }
  if (send.is_described && send.list != 0) {
    g.pool.give_back_block(send.list);
  }
  if (send.stage != 0) {
    const Pieces pieces{send.wanted, send.piece_bits, send.stage_begin};
    g.pool.give_back_stage({send.stage, static_cast<std::uint32_t>(pieces.at(pieces.count()))});
    send.stage = 0;
  }
}

}  // namespace weft::msg
