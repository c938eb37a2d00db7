#include "coll/across/span.hpp"
#include "coll/across/speakers.hpp"
#include "coll/across/stages.hpp"
#include "coll/algorithms.hpp"
#include "coll/pull/pulls.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {
namespace {

// Up to so many bytes everybody combines all; above it a share each, and then they exchange those.
constexpr std::size_t kAlone = 4096;
constexpr std::size_t kShown = group::kWords * sizeof(std::uint64_t);

// Elements of the domain's members that one member wants.
struct Wanted {
  int members;  // the first so many
  std::size_t begin;
  std::size_t end;
  std::byte* into;

  bool nothing() const noexcept { return members == 0 || begin >= end; }
};

// at(member) is where the elements of a member lie.
template <class At>
void combine_at(const Reduce& call, int members, std::size_t count, std::byte* into, At&& at) noexcept {
  if (members == 1) {
    std::memcpy(into, at(0), count * call.element);
    return;
  }
  call.combine(into, at(0), at(1), count);
  for (int member = 2; member < members; ++member) {
    call.combine(into, into, at(member), count);
  }
}

// An element does not fit into a stage: so all that is wanted is fetched first.
void pull_large(Party& party, const Reduce& call, const Wanted& wanted) noexcept {
  const std::size_t first = wanted.begin * call.element;
  const std::size_t bytes = wanted.nothing() ? 0 : wanted.end * call.element - first;
  const Scratch all(bytes * static_cast<std::size_t>(wanted.members));
  const auto at = [&](int member) { return all.get() + static_cast<std::size_t>(member) * bytes; };
  const std::size_t whole = call.count * call.element;
  pull(party, Reached::kStaged, call.source, whole, whole, 1, [&](const Offered& offered) {
    for (int member = 0; bytes > 0 && member < wanted.members; ++member) {
      offered.take(at(member), member, first, bytes);
    }
  });
  if (bytes > 0) {
    combine_at(call, wanted.members, wanted.end - wanted.begin, wanted.into, at);
  }
}

// All members of the domain call it, each with what it wants. `into` may be this member's own source from the first
// element wanted on, where sources are staged: it is written only as far as it has been read.
void pull_combined(Party& party, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  if (reached == Reached::kStaged && call.element > Party::kStagedBytes) {
    return pull_large(party, call, wanted);
  }
  const std::size_t whole = call.count * call.element;
  Piece piece(call.element);
  pull(party, reached, call.source, whole, whole, call.element, [&](const Offered& offered) {
    if (wanted.nothing()) {
      return;
    }
    const std::size_t begin = std::max(wanted.begin, offered.begin() / call.element);
    const std::size_t end = std::min(wanted.end, offered.end() / call.element);
    for_pieces(begin, end, call.element, [&](std::size_t at, std::size_t count) {
      combine_at(call, wanted.members, count, piece.bytes(),
                 [&](int member) { return offered.at(member, at * call.element); });
      std::memcpy(wanted.into + (at - wanted.begin) * call.element, piece.bytes(), count * call.element);
    });
  });
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
  gather(party, {call.dest, combined.get(), {offsets, bytes}, root, Reached::kStaged});
}

// Of members that are all in one domain.
void reduce_here(Party& party, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  if (root == kToAll && bytes <= kShown) {
    return reduce_words(party, call);
  }
  if (bytes > kAlone && party.size() > 2) {
    return reduce_by_shares(party, call, root, reached);
  }
  const bool wants = root == kToAll || root == party.me();
  // Where sources are read in place nobody may write his own while another one reads.
  const bool in_place = root == kToAll && call.dest == call.source;
  pull_combined(party, in_place ? Reached::kStaged : reached, call,
                {wants ? party.size() : 0, 0, call.count, target_of(call)});
}

// The last member has the whole when all have combined what lies before them.
void reduce_by_members(Party& party, const Reduce& call, int root) noexcept {
  const std::size_t bytes = call.count * call.element;
  const int last = party.members().size - 1;
  const Scratch room(bytes);
  Scan prefixes{call, true};
  prefixes.dest = room.get();
  across::scan_by_members(party, prefixes);
  if (root == kToAll) {
    return broadcast_from(party, {call.dest, room.get(), bytes, last}, Reached::kStaged);
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
  pull(party, Reached::kStaged, room.get(), leads ? bytes : 0, here ? bytes : 0, 1, [&](const Offered& offered) {
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
    reduce_by_members(party, call, root);
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
    const Reached way = call.dest == call.source ? Reached::kStaged : reached;
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
