#include <optional>

#include "coll/across/combining.hpp"
#include "coll/across/span.hpp"
#include "coll/across/stages.hpp"
#include "coll/algorithms.hpp"
#include "coll/pull/faster.hpp"
#include "coll/pull/looks.hpp"
#include "coll/pull/pulls.hpp"
#include "coll/pull/sliced.hpp"
#include "coll/reduce/combine.hpp"
#include "copy/copy.hpp"
#include "job/node.hpp"

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
  bool apart = false;  // nobody reads there what is combined: it is put together in place

  bool nothing() const noexcept { return members == 0 || begin >= end; }
  std::size_t bytes(const Reduce& call) const noexcept { return nothing() ? 0 : (end - begin) * call.element; }
};

// Elements of two members that are fetched at a time.
std::size_t fetched_bytes(std::size_t count, std::size_t element) noexcept {
  return Room::need(std::min(elements_at_a_time(kFetchedBytes, element), count) * element);
}

// An element does not fit into a stage: so all that is wanted is fetched first.
bool is_large(Reached reached, const Reduce& call) noexcept {
  return reached != Reached::kSymmetric && call.element > Party::kLeastStagedBytes;
}
void pull_large(Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  const std::size_t first = wanted.begin * call.element;
  const std::size_t bytes = wanted.bytes(call);
  const Scratch all(party.room(), bytes * static_cast<std::size_t>(wanted.members));
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
void combine_offered(const Party& party, const Reduce& call, const Wanted& wanted, const Offered& offered) noexcept {
  const std::size_t begin = std::max(wanted.begin, offered.begin() / call.element);
  const std::size_t end = std::min(wanted.end, offered.end() / call.element);
  if (wanted.members == 0 || begin >= end) {
    return;
  }
  const std::size_t most = elements_at_a_time(offered.copies() ? kFetchedBytes : kPieceBytes, call.element);
  Piece piece(party.room(), call.element);
  std::byte* combined = piece.bytes();
  std::byte* fetched = nullptr;
  std::optional<Scratch> room;
  if (offered.copies()) {
    const std::size_t bytes = fetched_bytes(end - begin, call.element);
    room.emplace(party.room(), 2 * bytes);
    combined = room->get();
    fetched = combined + bytes;
  }
  for (std::size_t at = begin; at < end; at += most) {
    const std::size_t count = std::min(most, end - at);
    std::byte* const target = wanted.into + (at - wanted.begin) * call.element;
    // Large buffers of programs begin 16 bytes into a page (malloc), and stages where one does: stores into a target
    // just ahead of the loads out of a stage wait for each other, which takes three times as long as the copy of a
    // piece.
    std::byte* const into = wanted.apart && !offered.is_staged() ? target : combined;
    const auto look = [&](int member, std::byte* room_for) {
      return offered.look(member, at * call.element, count * call.element, room_for);
    };
    if (!combine_looks(call, wanted.members, count, into, fetched, look)) {
      return;
    }
    if (into != target) {
      copy::copy(target, into, count * call.element);
    }
  }
}

// The same on all members, and before and in the call.
bool is_shown(const Party& party, Reached reached, const Reduce& call) noexcept {
  const std::size_t whole = call.count * call.element;
  return reached == Reached::kShown && !goes_in_words(party, whole) &&
         !goes_by_stages(party, reached, whole, Reads::combined);
}

// What is written to a source that others may still read where it is has to wait. Out of stages it is all the same.
bool is_later(const Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  return is_shown(party, reached, call) && wanted.into == call.source && !wanted.nothing();
}

std::size_t need_to_pull(const Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  const std::size_t bytes = wanted.bytes(call);
  if (is_large(reached, call)) {
    return Room::need(bytes * static_cast<std::size_t>(wanted.members));
  }
  const std::size_t fetched =
      is_shown(party, reached, call) && bytes > 0 ? 2 * fetched_bytes(wanted.end - wanted.begin, call.element) : 0;
  return Piece::need(call.element) + fetched + (is_later(party, reached, call, wanted) ? Room::need(bytes) : 0);
}

// All members of the domain call it, each with what it wants. `into` may be this member's own source from the first
// element wanted on, where sources are not symmetric: it is written only as far as it has been read, or when all have.
void pull_combined(Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  if (is_large(reached, call)) {
    return pull_large(party, reached, call, wanted);
  }
  const std::size_t whole = call.count * call.element;
  const bool later = is_later(party, reached, call, wanted);
  const std::size_t bytes = later ? wanted.bytes(call) : 0;
  const Scratch room(party.room(), bytes);
  Wanted now = wanted;
  if (later) {
    now.into = room.get();
  }
  pull(
      party, reached, call.source, whole, whole, call.element,
      [&](const Offered& offered) { combine_offered(party, call, now, offered); }, Reads::combined);
  if (later) {
    copy::copy(wanted.into, room.get(), bytes);
  }
}

std::byte* target_of(const Reduce& call) noexcept { return static_cast<std::byte*>(call.dest); }

// Each combines a share and then they are gathered, so that no element is combined twice.
Wanted share_wanted(const Party& party, const Reduce& call) noexcept {
  const Share mine = share_of(party.me(), party.size(), call.count, call.element);
  return {party.size(), mine.begin, mine.end, nullptr};
}

// The share of each can be put together where it belongs, and be read there by the others.
bool is_in_place(const Reduce& call, int root, Reached reached) noexcept {
  return root == kToAll && call.dest != call.source && reached != Reached::kSymmetric;
}

std::size_t table_of_shares(const Party& party) noexcept {
  return 2 * static_cast<std::size_t>(party.size()) * sizeof(std::size_t);
}

std::size_t need_by_shares(const Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const Wanted wanted = share_wanted(party, call);
  const std::size_t combined = is_in_place(call, root, reached) ? 0 : Room::need(wanted.bytes(call));
  return Room::need(table_of_shares(party)) + combined + need_to_pull(party, reached, call, wanted);
}

void reduce_by_shares(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const Scratch table(party.room(), table_of_shares(party));
  auto* offsets = table.as<std::size_t>();
  auto* bytes = offsets + party.size();
  for (int seat = 0; seat < party.size(); ++seat) {
    const Share share = share_of(seat, party.size(), call.count, call.element);
    offsets[seat] = share.begin * call.element;
    bytes[seat] = (share.end - share.begin) * call.element;
  }
  Wanted wanted = share_wanted(party, call);
  const bool in_place = is_in_place(call, root, reached);
  const Scratch combined(party.room(), in_place ? 0 : wanted.bytes(call));
  wanted.into = in_place ? target_of(call) + offsets[party.me()] : combined.get();
  wanted.apart = true;
  pull_combined(party, reached, call, wanted);
  // In one domain it needs no memory; what is missing the party keeps.
  (void)gather(party, {call.dest, wanted.into, {offsets, bytes}, root, own_memory(reached)});
}

// One member does all of it, or each for itself.
Wanted all_wanted(const Party& party, const Reduce& call, int root) noexcept {
  const bool wants = root == kToAll || root == party.me();
  return {wants ? party.size() : 0, 0, call.count, target_of(call), call.dest != call.source};
}
// Where sources are read in place nobody may write his own while another one reads.
Reached reached_for_all(const Reduce& call, int root, Reached reached) noexcept {
  return root == kToAll && call.dest == call.source ? own_memory(reached) : reached;
}

// Of members that are all in one domain.
bool is_of_words(const Reduce& call, int root, ReduceToAlgorithm algorithm) noexcept {
  return algorithm == ReduceToAlgorithm::words && root == kToAll && call.count * call.element <= kWordBytes;
}

std::size_t need_here(const Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const ReduceToAlgorithm algorithm = reduce_to_algorithm(call.count * call.element, party.size());
  if (is_of_words(call, root, algorithm)) {
    return 0;
  }
  if (algorithm == ReduceToAlgorithm::shares) {
    return goes_in_slices(party, call, reached) ? 0 : need_by_shares(party, call, root, reached);
  }
  return need_to_pull(party, reached_for_all(call, root, reached), call, all_wanted(party, call, root));
}

// Of two members with a processor each: each combines the other one's vector, by one copy, for which there is memory,
// or its share through stages, which takes none. In place that is always less than each all of it through stages. Of
// one root the other member reads nothing itself: where its source is no memory, the root finds that out by the one
// copy.
bool is_of_two(const Party& party, Reached reached, const Reduce& call, int root) noexcept {
  return root == kToAll && party.size() == 2 && is_shown(party, reached, call) &&
         goes_in_slices(party, call, Reached::kStaged) && may_stream(party, reached) &&
         call.count * call.element >= kLeastReductionOfTwoWays && !job::node().crowded;
}
void reduce_of_two(Party& party, const Reduce& call, Reached reached) noexcept {
  if (call.dest == call.source) {
    return reduce_in_slices(party, call, kToAll);
  }
  constexpr int kDecides = 0;
  const std::size_t bytes = call.count * call.element;
  go_the_faster_way(
      party, kDecides, party.ways_of_reductions(bytes), bytes, [&] { reduce_in_slices(party, call, kToAll); },
      [&] { pull_combined(party, reached, call, all_wanted(party, call, kToAll)); });
}

void reduce_here(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const ReduceToAlgorithm algorithm = reduce_to_algorithm(call.count * call.element, party.size());
  if (is_of_words(call, root, algorithm)) {
    return reduce_words(party, call);
  }
  if (algorithm == ReduceToAlgorithm::shares) {
    return goes_in_slices(party, call, reached) ? reduce_in_slices(party, call, root)
                                                : reduce_by_shares(party, call, root, reached);
  }
  if (is_of_two(party, reached, call, root)) {
    return reduce_of_two(party, call, reached);
  }
  pull_combined(party, reached_for_all(call, root, reached), call, all_wanted(party, call, root));
}

// The last member has the whole when all have combined what lies before them.
void reduce_by_members(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  const int last = party.members().size - 1;
  const Scratch room(party.room(), bytes);
  Scan prefixes{call, true};
  prefixes.dest = room.get();
  across::scan_by_members(party, prefixes);
  if (root == kToAll) {
    party.next_stage();
    (void)broadcast_from(party, {call.dest, room.get(), bytes, last}, own_memory(reached));
    return;
  }
  if (root == last) {
    if (party.number() == last) {
      copy::copy(call.dest, room.get(), bytes);
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
Wanted leader_wanted(const Party& party, const Reduce& call) noexcept {
  return {across::leads(party) ? party.size() : 0, 0, call.count, nullptr};
}

std::size_t need_by_domains(const Party& party, const Reduce& call, Reached reached) noexcept {
  const Wanted wanted = leader_wanted(party, call);
  const std::size_t of_leader =
      wanted.nothing()
          ? 0
          : Room::need(wanted.bytes(call)) + across::need_of_all(party.span()->count, call.count, call.element);
  return of_leader + need_to_pull(party, reached, call, wanted);
}

void reduce_by_domains(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  const bool leads = across::leads(party);
  Wanted wanted = leader_wanted(party, call);
  const Scratch room(party.room(), wanted.bytes(call));
  wanted.into = room.get();
  pull_combined(party, reached, call, wanted);
  if (leads) {
    across::Messages messages = across::messages_of(party);
    across::combine_all(across::Speakers(*party.span()), {messages, party.room()}, room.get(),
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

bool is_by_members(const Party& party, const Reduce& call) noexcept { return call.ordered && !party.span()->in_order; }

std::size_t need_of(const Party& party, const Reduce& call, int root, Reached reached) noexcept {
  if (party.span() == nullptr) {
    return need_here(party, call, root, reached);
  }
  return is_by_members(party, call) ? Room::need(call.count * call.element) + across::need_of_scan(call)
                                    : need_by_domains(party, call, reached);
}

// There is memory for that.
void reduce_anywhere(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  if (party.span() == nullptr) {
    reduce_here(party, call, root, reached);
  } else if (is_by_members(party, call)) {
    reduce_by_members(party, call, root, reached);
  } else {
    reduce_by_domains(party, call, root, reached);
  }
}

}  // namespace

bool reduce_to(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  party.tell(call.count * call.element, root);
  if (call.count == 0) {
    return true;
  }
  if (!party.begin(need_of(party, call, root, reached))) [[unlikely]] {
    return false;
  }
  reduce_anywhere(party, call, root, reached);
  return has_all(party);
}

bool reduce_scatter(Party& party, const Reduce& call, const std::size_t* counts, Reached reached) noexcept {
  party.tell(call.count * call.element);
  if (call.count == 0) {
    return true;
  }
  std::size_t begin = 0;
  for (int member = 0; member < party.number(); ++member) {
    begin += counts[member];
  }
  const std::size_t mine = counts[party.number()];
  if (party.span() == nullptr && scatter_goes_in_slices(party, call, counts, reached)) {
    if (!party.begin(need_for_slices(party, call))) [[unlikely]] {
      return false;
    }
    scatter_in_slices(party, call, counts);
    return true;
  }
  if (party.span() == nullptr) {
    const Reached way = call.dest == call.source ? own_memory(reached) : reached;
    const Wanted wanted{party.size(), begin, begin + mine, target_of(call)};
    if (!party.begin(need_to_pull(party, way, call, wanted))) [[unlikely]] {
      return false;
    }
    pull_combined(party, way, call, wanted);
    return has_all(party);
  }
  const std::size_t bytes = call.count * call.element;
  if (!party.begin(Room::need(bytes) + need_of(party, call, kToAll, reached))) [[unlikely]] {
    return false;
  }
  const Scratch all(party.room(), bytes);
  Reduce whole = call;
  whole.dest = all.get();
  reduce_anywhere(party, whole, kToAll, reached);
  copy::copy(call.dest, all.get() + begin * call.element, mine * call.element);
  return has_all(party);
}

bool scan_over(Party& party, const Scan& call, Reached reached) noexcept {
  if (reached == Reached::kSymmetric) {
    return scan(party, call);
  }
  party.tell(call.count * call.element);
  if (call.count == 0) {
    return true;
  }
  const int members = party.me() + (call.inclusive ? 1 : 0);
  const Wanted wanted{members, 0, call.count, target_of(call)};
  const bool here = party.span() == nullptr;
  const bool in_slices = here && scan_goes_in_slices(party, call, reached);
  if (!party.begin(in_slices ? need_for_slices(party, call)
                   : here    ? need_to_pull(party, reached, call, wanted)
                             : across::need_of_scan(call))) [[unlikely]] {
    return false;
  }
  if (!here) {
    across::scan_by_members(party, call);
    return true;
  }
  if (in_slices) {
    scan_in_slices(party, call);
  } else {
    pull_combined(party, reached, call, wanted);
  }
  if (members == 0) {
    std::memset(call.dest, 0, call.count * call.element);
  }
  return has_all(party);
}

}  // namespace weft::coll
