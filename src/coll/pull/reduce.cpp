#include <optional>

#include "coll/across/span.hpp"
#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"
#include "coll/algorithms.hpp"
#include "coll/pull/pulls.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kWordBytes = group::kWords * sizeof(std::uint64_t);

// What is copied before it is combined: so much of two members stays in the second cache, and is worth a system call.
constexpr std::size_t kFetchedBytes = 65536;

// Elements of the domain's members that one member wants.
struct Wanted {
  int members;  // the first so many
  std::size_t begin;
  std::size_t end;
  std::byte* into;

  bool nothing() const noexcept { return members == 0 || begin >= end; }
};

// look(member, room) is where the elements of a member lie, in `room` if they had to be copied; null: they cannot be
// read now. False then.
template <class Look>
bool combine_looks(const Reduce& call, int members, std::size_t count, std::byte* into, std::byte* room,
                   Look&& look) noexcept {
  const std::byte* first = look(0, into);
  if (first == nullptr) {
    return false;
  }
  if (members == 1 && first != into) {
    std::memcpy(into, first, count * call.element);
  }
  for (int member = 1; member < members; ++member) {
    const std::byte* next = look(member, room);
    if (next == nullptr) {
      return false;
    }
    call.combine(into, member == 1 ? first : into, next, count);
  }
  return true;
}

// An element does not fit into a stage: so all that is wanted is fetched first.
void pull_large(Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  const std::size_t first = wanted.begin * call.element;
  const std::size_t bytes = wanted.nothing() ? 0 : wanted.end * call.element - first;
  const Scratch all(bytes * static_cast<std::size_t>(wanted.members));
  const auto at = [&](int member) { return all.get() + static_cast<std::size_t>(member) * bytes; };
  const std::size_t whole = call.count * call.element;
  pull(party, reached, call.source, whole, whole, 1, [&](const Offered& offered) {
    for (int member = 0; bytes > 0 && member < wanted.members; ++member) {
      offered.take(at(member), member, first, bytes);
    }
  });
  if (bytes > 0) {
    const auto look = [&](int member, std::byte*) { return at(member); };
    combine_looks(call, wanted.members, wanted.end - wanted.begin, wanted.into, nullptr, look);
  }
}

// What is offered of that which is wanted, piece by piece.
void combine_offered(const Reduce& call, const Wanted& wanted, const Offered& offered) noexcept {
  const std::size_t begin = std::max(wanted.begin, offered.begin() / call.element);
  const std::size_t end = std::min(wanted.end, offered.end() / call.element);
  if (wanted.members == 0 || begin >= end) {
    return;
  }
  const std::size_t most = elements_at_a_time(offered.copies() ? kFetchedBytes : kPieceBytes, call.element);
  Piece piece(call.element);
  std::byte* combined = piece.bytes();
  std::byte* fetched = nullptr;
  std::optional<Scratch> room;
  if (offered.copies()) {
    const std::size_t bytes = (std::min(most, end - begin) * call.element + 63) / 64 * 64;
    room.emplace(2 * bytes);
    combined = room->get();
    fetched = combined + bytes;
  }
  for (std::size_t at = begin; at < end; at += most) {
    const std::size_t count = std::min(most, end - at);
    const auto look = [&](int member, std::byte* into) {
      return offered.look(member, at * call.element, count * call.element, into);
    };
    if (!combine_looks(call, wanted.members, count, combined, fetched, look)) {
      return;
    }
    std::memcpy(wanted.into + (at - wanted.begin) * call.element, combined, count * call.element);
  }
}

// All members of the domain call it, each with what it wants. `into` may be this member's own source from the first
// element wanted on, where sources are not symmetric: it is written only as far as it has been read, or when all have.
void pull_combined(Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  if (reached != Reached::kSymmetric && call.element > Party::kStagedBytes) {
    return pull_large(party, reached, call, wanted);
  }
  const std::size_t whole = call.count * call.element;
  const bool later = reached == Reached::kShown && wanted.into == call.source && !wanted.nothing();
  const std::size_t bytes = later ? (wanted.end - wanted.begin) * call.element : 0;
  const Scratch room(bytes);
  Wanted now = wanted;
  if (later) {
    now.into = room.get();
  }
  pull(party, reached, call.source, whole, whole, call.element,
       [&](const Offered& offered) { combine_offered(call, now, offered); });
  if (later) {
    std::memcpy(wanted.into, room.get(), bytes);
  }
}

std::byte* target_of(const Reduce& call) noexcept { return static_cast<std::byte*>(call.dest); }

// Each combines a share and then they are gathered, so that no element is combined twice.
void reduce_by_shares(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const auto n = static_cast<std::size_t>(party.size());
  const Scratch table(2 * n * sizeof(std::size_t));
  auto* offsets = table.as<std::size_t>();
  auto* bytes = offsets + n;
  for (int seat = 0; seat < party.size(); ++seat) {
    const Share share = share_of(seat, party.size(), call.count, call.element);
    offsets[seat] = share.begin * call.element;
    bytes[seat] = (share.end - share.begin) * call.element;
  }
  const Share mine = share_of(party.me(), party.size(), call.count, call.element);
  const Scratch combined((mine.end - mine.begin) * call.element);
  pull_combined(party, reached, call, {party.size(), mine.begin, mine.end, combined.get()});
  gather(party, {call.dest, combined.get(), {offsets, bytes}, root, own_memory(reached)});
}

// Of members that are all in one domain.
void reduce_here(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  const ReduceToAlgorithm algorithm = reduce_to_algorithm(bytes, party.size());
  if (algorithm == ReduceToAlgorithm::words && root == kToAll && bytes <= kWordBytes) {
    return reduce_words(party, call);
  }
  if (algorithm == ReduceToAlgorithm::shares) {
    return reduce_by_shares(party, call, root, reached);
  }
  const bool wants = root == kToAll || root == party.me();
  // Where sources are read in place nobody may write his own while another one reads.
  const bool in_place = root == kToAll && call.dest == call.source;
  pull_combined(party, in_place ? own_memory(reached) : reached, call,
                {wants ? party.size() : 0, 0, call.count, target_of(call)});
}

// The last member has the whole when all have combined what lies before them.
void reduce_by_members(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  const int last = party.members().size - 1;
  const Scratch room(bytes);
  Scan prefixes{call, true};
  prefixes.dest = room.get();
  across::scan_by_members(party, prefixes);
  if (root == kToAll) {
    return broadcast_from(party, {call.dest, room.get(), bytes, last}, own_memory(reached));
  }
  if (root == last) {
    if (party.number() == last) {
      std::memcpy(call.dest, room.get(), bytes);
    }
    return;
  }
  across::Messages messages = across::messages_of(party);
  if (party.number() == last) {
    messages.send(party.members().pe(root), room.get(), bytes);
  } else if (party.number() == root) {
    messages.receive(party.members().pe(last), call.dest, bytes);
  }
}

// Leaders combine what their domains have, and tell those who want it.
void reduce_by_domains(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  const bool leads = across::leads(party);
  const Scratch room(leads ? bytes : 0);
  pull_combined(party, reached, call, {leads ? party.size() : 0, 0, call.count, room.get()});
  if (leads) {
    across::Messages messages = across::messages_of(party);
    across::combine_all(across::Speakers(*party.span()), messages, room.get(),
                        {call.count, call.element, call.combine});
  }
  const bool here = root == kToAll || seat_of(party, root) >= 0;
  const bool wants = root == kToAll || party.number() == root;
  pull(party, own_memory(reached), room.get(), leads ? bytes : 0, here ? bytes : 0, 1, [&](const Offered& offered) {
    if (wants) {
      offered.take(call.dest, 0, 0, bytes);
    }
  });
}

}  // namespace

void reduce_to(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  party.tell(call.count * call.element, root);
  if (call.count == 0) {
    return;
  }
  if (party.span() == nullptr) {
    reduce_here(party, call, root, reached);
  } else if (call.ordered && !party.span()->in_order) {
    reduce_by_members(party, call, root, reached);
  } else {
    reduce_by_domains(party, call, root, reached);
  }
}

void reduce_scatter(Party& party, const Reduce& call, const std::size_t* counts, Reached reached) noexcept {
  party.tell(call.count * call.element);
  if (call.count == 0) {
    return;
  }
  std::size_t begin = 0;
  for (int member = 0; member < party.number(); ++member) {
    begin += counts[member];
  }
  const std::size_t mine = counts[party.number()];
  if (party.span() == nullptr) {
    const Reached way = call.dest == call.source ? own_memory(reached) : reached;
    return pull_combined(party, way, call, {party.size(), begin, begin + mine, target_of(call)});
  }
  const Scratch all(call.count * call.element);
  Reduce whole = call;
  whole.dest = all.get();
  reduce_to(party, whole, kToAll, reached);
  std::memcpy(call.dest, all.get() + begin * call.element, mine * call.element);
}

void scan_over(Party& party, const Scan& call, Reached reached) noexcept {
  if (reached == Reached::kSymmetric) {
    return scan(party, call);
  }
  party.tell(call.count * call.element);
  if (call.count == 0) {
    return;
  }
  if (party.span() != nullptr) {
    return across::scan_by_members(party, call);
  }
  const int members = party.me() + (call.inclusive ? 1 : 0);
  pull_combined(party, reached, call, {members, 0, call.count, target_of(call)});
  if (members == 0) {
    std::memset(call.dest, 0, call.count * call.element);
  }
}

}  // namespace weft::coll
