#include <numeric>
#include <optional>

#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"
#include "coll/pull/faster.hpp"
#include "coll/pull/halves.hpp"
#include "coll/pull/pulls.hpp"

namespace weft::coll {
namespace {

std::size_t longest(const Party& party, const Parts& parts) noexcept {
  std::size_t most = 0;
  for (int seat = 0; seat < party.size(); ++seat) {
    most = std::max(most, parts.bytes[member_of(party, seat)]);
  }
  return most;
}

std::byte* part_of(void* buffer, const Parts& parts, int member) noexcept {
  return static_cast<std::byte*>(buffer) + parts.offsets[member];
}
const std::byte* part_of(const void* buffer, const Parts& parts, int member) noexcept {
  return static_cast<const std::byte*>(buffer) + parts.offsets[member];
}

// The domain's parts, to those members of it for which `wants`.
void gather_here(Party& party, const Gather& call, void* dest, const Parts& places, bool wants) noexcept {
  pull(party, call.reached, call.source, call.parts.bytes[party.number()], longest(party, call.parts), 1,
       [&](const Offered& offered) {
         for (int distance = 0; wants && distance < party.size(); ++distance) {
           const int seat = party.after(distance);
           const int member = member_of(party, seat);
           offered.take(part_of(dest, places, member), seat, 0, places.bytes[member]);
         }
       });
}

void gather_to_root(Party& party, const Gather& call) noexcept {
  const int seat = seat_of(party, call.root);
  if (seat >= 0) {
    gather_here(party, call, call.dest, call.parts, party.number() == call.root);
  }
  if (party.span() == nullptr) {
    return;
  }
  across::Messages messages = across::messages_of(party);
  if (party.number() == call.root) {
    for (int member = 0; member < party.members().size; ++member) {
      if (seat_of(party, member) < 0) {
        messages.receive(party.members().pe(member), part_of(call.dest, call.parts, member), call.parts.bytes[member]);
      }
    }
  } else if (seat < 0) {
    messages.send(party.members().pe(call.root), call.source, call.parts.bytes[party.number()]);
  }
}

// Packed by the leaders, so that what goes to another node is few messages; members take what they read to its places.
bool gather_everywhere(Party& party, const Gather& call) noexcept {
  const auto n = static_cast<std::size_t>(party.members().size);
  const std::size_t tables = 2 * n * sizeof(std::uint64_t);
  const bool leads = across::leads(party);
  const std::size_t bytes = leads ? std::accumulate(call.parts.bytes, call.parts.bytes + n, std::size_t{0}) : 0;
  if (!party.begin(Room::need(tables) + Room::need(bytes))) [[unlikely]] {
    return false;
  }
  const Scratch table(party.room(), tables);
  auto* ends = table.as<std::uint64_t>();
  auto* begins = ends + n;
  std::uint64_t end = 0;
  for (std::size_t member = 0; member < n; ++member) {
    begins[member] = end;
    end += call.parts.bytes[member];
    ends[member] = end;
  }
  if (end == 0) {
    return true;
  }
  const Scratch packed(party.room(), bytes);
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  gather_here(party, call, packed.get(), {begins, call.parts.bytes}, leads);
  if (leads) {
    across::Messages messages = across::messages_of(party);
    across::exchange_blocks(*party.span(), messages, packed.get(), Blocks(ends));
  }
  pull(
      party, own_memory(call.reached), packed.get(), leads ? end : 0, end, 1,
      [&](const Offered& offered) {
        for (int member = 0; member < party.members().size; ++member) {
          offered.take(part_of(call.dest, call.parts, member), 0, begins[member], call.parts.bytes[member]);
        }
      },
      Reads::one, 0);
  return has_all(party);
}

}  // namespace

std::size_t Parts::end(int members) const noexcept {
  std::size_t end = 0;
  for (int member = 0; member < members; ++member) {
    end = bytes[member] == 0 ? end : std::max(end, offsets[member] + bytes[member]);
  }
  return end;
}

bool gather(Party& party, const Gather& call) noexcept {
  party.tell(0, call.root);
  if (call.root == kToAll && party.span() != nullptr) {
    return gather_everywhere(party, call);
  }
  if (call.root != kToAll) {
    gather_to_root(party, call);
  } else {
    gather_here(party, call, call.dest, call.parts, true);
  }
  return has_all(party);
}

bool scatter(Party& party, const Scatter& call) noexcept {
  party.tell(0, call.root);
  const int me = party.number();
  const int seat = seat_of(party, call.root);
  // First, so that it is on its way while the root's domain copies.
  std::optional<across::Messages> messages;
  if (party.span() != nullptr && (seat < 0 || me == call.root)) {
    messages.emplace(transport::tagged(), party.tag(), party.note());
    for (int member = 0; me == call.root && member < party.members().size; ++member) {
      if (seat_of(party, member) < 0) {
        messages->send(party.members().pe(member), part_of(call.source, call.parts, member), call.parts.bytes[member]);
      }
    }
    if (seat < 0) {
      messages->receive(party.members().pe(call.root), call.dest, call.parts.bytes[me]);
    }
  }
  if (seat >= 0) {
    const std::size_t end = call.parts.end(party.members().size);
    const bool lies_there = me == call.root && call.dest == part_of(call.source, call.parts, me);
    pull(
        party, call.reached, call.source, me == call.root ? end : 0, end, 1,
        [&](const Offered& offered) {
          if (!lies_there) {
            offered.take(call.dest, seat, call.parts.offsets[me], call.parts.bytes[me]);
          }
        },
        Reads::all, seat);
  }
  return has_all(party);
}

namespace {

bool stream(Party& party, const Broadcast& call, int from) noexcept {
  if (party.me() == from) {
    party.stream(call.dest, call.bytes);
  } else {
    party.take_stream(from, call.dest, call.bytes);
  }
  return has_all(party);
}

bool move_at_once(Party& party, const Broadcast& call, Reached reached, int from) noexcept {
  const bool offers = party.me() == from;
  if (goes_in_halves(party, call.bytes, reached) && broadcast_in_halves(party, call.dest, call.bytes, offers)) {
    return true;
  }
  pull(
      party, reached, call.dest, offers ? call.bytes : 0, call.bytes, 1,
      [&](const Offered& offered) {
        if (!offers) {
          offered.take(call.dest, from, 0, call.bytes);
        }
      },
      Reads::one, from);
  return has_all(party);
}

// Within the domain, by the faster way.
bool move_many(Party& party, const Broadcast& call, Reached reached, int from) noexcept {
  if (!may_stream(party, reached)) {
    return move_at_once(party, call, reached, from);
  }
  if (call.bytes < kLeastOfTwoWays || goes_by_stages(party, reached, call.bytes, Reads::one)) {
    return stream(party, call, from);
  }
  bool moved = false;
  go_the_faster_way(
      party, from, party.ways_of_broadcasts(call.bytes), call.bytes, [&] { moved = stream(party, call, from); },
      [&] { moved = move_at_once(party, call, reached, from); });
  return moved;
}

}  // namespace

bool broadcast_from(Party& party, const Broadcast& call, Reached reached) noexcept {
  party.tell(call.bytes, call.root);
  if (call.bytes == 0) {
    return true;
  }
  const bool is_root = party.number() == call.root;
  if (is_root && call.dest != call.source) {
    copy::copy(call.dest, call.source, call.bytes);
  }
  int speaker = call.root;
  if (const group::Span* span = party.span(); span != nullptr) {
    const int from = span->find(call.root);
    speaker = from == span->mine ? span->domains[from].seat(call.root) : 0;
    if (party.me() == speaker) {
      const across::Speakers speakers(*span, call.root);
      across::Messages messages = across::messages_of(party);
      across::hear(speakers, messages, from, call.dest, call.bytes);
      messages.wait();
      across::pass_on(speakers, messages, from, call.dest, call.bytes);
    }
  }
  const bool offers = party.me() == speaker;
  if (party.size() > 1 && reached != Reached::kSymmetric && party.may_hand_out(call.bytes)) {
    if (offers) {
      party.hand_out(call.dest, call.bytes);
    } else {
      party.take_handout(speaker, call.dest, call.bytes);
    }
  } else if (party.size() > 1) {
    return move_many(party, call, reached, speaker);
  }
  return true;
}

}  // namespace weft::coll
