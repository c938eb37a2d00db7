#include "coll/algorithms.hpp"
#include "coll/pull/pulls.hpp"
#include "coll/reduce/combine.hpp"
#include "coll/span/span.hpp"
#include "coll/span/speakers.hpp"
#include "coll/span/stages.hpp"

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
void pull_large(Group& group, const Reduce& call, const Wanted& wanted) noexcept {
  const std::size_t first = wanted.begin * call.element;
  const std::size_t bytes = wanted.nothing() ? 0 : wanted.end * call.element - first;
  const Scratch all(bytes * static_cast<std::size_t>(wanted.members));
  const auto at = [&](int member) { return all.get() + static_cast<std::size_t>(member) * bytes; };
  const std::size_t whole = call.count * call.element;
  pull(group, Reached::kStaged, call.source, whole, whole, 1, [&](const Offered& offered) {
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
void pull_combined(Group& group, Reached reached, const Reduce& call, const Wanted& wanted) noexcept {
  if (reached == Reached::kStaged && call.element > Group::kStagedBytes) {
    return pull_large(group, call, wanted);
  }
  const std::size_t whole = call.count * call.element;
  Piece piece(call.element);
  pull(group, reached, call.source, whole, whole, call.element, [&](const Offered& offered) {
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
void reduce_by_shares(Group& group, const Reduce& call, int root, Reached reached) noexcept {
  const auto n = static_cast<std::size_t>(group.size());
  const Scratch table(2 * n * sizeof(std::size_t));
  auto* offsets = table.as<std::size_t>();
  auto* bytes = offsets + n;
  for (int seat = 0; seat < group.size(); ++seat) {
    const Share share = share_of(seat, group.size(), call.count, call.element);
    offsets[seat] = share.begin * call.element;
    bytes[seat] = (share.end - share.begin) * call.element;
  }
  const Share mine = share_of(group.me(), group.size(), call.count, call.element);
  const Scratch combined((mine.end - mine.begin) * call.element);
  pull_combined(group, reached, call, {group.size(), mine.begin, mine.end, combined.get()});
  gather(group, {call.dest, combined.get(), {offsets, bytes}, root, Reached::kStaged});
}

// Of members that are all in one domain.
void reduce_here(Group& group, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  if (root == kToAll && bytes <= kShown) {
    return reduce_words(group, call);
  }
  if (bytes > kAlone && group.size() > 2) {
    return reduce_by_shares(group, call, root, reached);
  }
  const bool wants = root == kToAll || root == group.me();
  // Where sources are read in place nobody may write his own while another one reads.
  const bool in_place = root == kToAll && call.dest == call.source;
  pull_combined(group, in_place ? Reached::kStaged : reached, call,
                {wants ? group.size() : 0, 0, call.count, target_of(call)});
}

// The last member has the whole when all have combined what lies before them.
void reduce_by_members(Group& group, const Reduce& call, int root) noexcept {
  const std::size_t bytes = call.count * call.element;
  const int last = group.members().size - 1;
  const Scratch room(bytes);
  Scan prefixes{call, true};
  prefixes.dest = room.get();
  span::scan_by_members(group, prefixes);
  if (root == kToAll) {
    return broadcast_from(group, {call.dest, room.get(), bytes, last}, Reached::kStaged);
  }
  if (root == last) {
    if (group.number() == last) {
      std::memcpy(call.dest, room.get(), bytes);
    }
    return;
  }
  span::Messages messages = span::messages_of(group);
  if (group.number() == last) {
    messages.send(group.members().pe(root), room.get(), bytes);
  } else if (group.number() == root) {
    messages.receive(group.members().pe(last), call.dest, bytes);
  }
}

// Leaders combine what their domains have, and tell those who want it.
void reduce_by_domains(Group& group, const Reduce& call, int root, Reached reached) noexcept {
  const std::size_t bytes = call.count * call.element;
  const bool leads = span::leads(group);
  const Scratch room(leads ? bytes : 0);
  pull_combined(group, reached, call, {leads ? group.size() : 0, 0, call.count, room.get()});
  if (leads) {
    span::Messages messages = span::messages_of(group);
    span::combine_all(span::Speakers(*group.span()), messages, room.get(), {call.count, call.element, call.combine});
  }
  const bool here = root == kToAll || seat_of(group, root) >= 0;
  const bool wants = root == kToAll || group.number() == root;
  pull(group, Reached::kStaged, room.get(), leads ? bytes : 0, here ? bytes : 0, 1, [&](const Offered& offered) {
    if (wants) {
      offered.take(call.dest, 0, 0, bytes);
    }
  });
}

}  // namespace

void reduce_to(Group& group, const Reduce& call, int root, Reached reached) noexcept {
  group.tell(call.count * call.element, root);
  if (call.count == 0) {
    return;
  }
  if (group.span() == nullptr) {
    reduce_here(group, call, root, reached);
  } else if (call.ordered && !group.span()->in_order) {
    reduce_by_members(group, call, root);
  } else {
    reduce_by_domains(group, call, root, reached);
  }
}

void reduce_scatter(Group& group, const Reduce& call, const std::size_t* counts, Reached reached) noexcept {
  group.tell(call.count * call.element);
  if (call.count == 0) {
    return;
  }
  std::size_t begin = 0;
  for (int member = 0; member < group.number(); ++member) {
    begin += counts[member];
  }
  const std::size_t mine = counts[group.number()];
  if (group.span() == nullptr) {
    const Reached way = call.dest == call.source ? Reached::kStaged : reached;
    return pull_combined(group, way, call, {group.size(), begin, begin + mine, target_of(call)});
  }
  const Scratch all(call.count * call.element);
  Reduce whole = call;
  whole.dest = all.get();
  reduce_to(group, whole, kToAll, reached);
  std::memcpy(call.dest, all.get() + begin * call.element, mine * call.element);
}

void scan_over(Group& group, const Scan& call, Reached reached) noexcept {
  if (reached == Reached::kSymmetric) {
    return scan(group, call);
  }
  group.tell(call.count * call.element);
  if (call.count == 0) {
    return;
  }
  if (group.span() != nullptr) {
    return span::scan_by_members(group, call);
  }
  const int members = group.me() + (call.inclusive ? 1 : 0);
  pull_combined(group, reached, call, {members, 0, call.count, target_of(call)});
  if (members == 0) {
    std::memset(call.dest, 0, call.count * call.element);
  }
}

}  // namespace weft::coll
