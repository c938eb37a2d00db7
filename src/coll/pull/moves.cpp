#include <optional>

#include "coll/pull/pulls.hpp"
#include "coll/span/speakers.hpp"
#include "coll/span/stages.hpp"

namespace weft::coll {
namespace {

std::size_t longest(const Group& group, const Parts& parts) noexcept {
  std::size_t most = 0;
  for (int seat = 0; seat < group.size(); ++seat) {
    most = std::max(most, parts.bytes[member_of(group, seat)]);
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
void gather_here(Group& group, const Gather& call, void* dest, const Parts& places, bool wants) noexcept {
  pull(group, call.reached, call.source, call.parts.bytes[group.number()], longest(group, call.parts), 1,
       [&](const Offered& offered) {
         for (int distance = 0; wants && distance < group.size(); ++distance) {
           const int seat = group.after(distance);
           const int member = member_of(group, seat);
           offered.take(part_of(dest, places, member), seat, 0, places.bytes[member]);
         }
       });
}

void gather_to_root(Group& group, const Gather& call) noexcept {
  const int seat = seat_of(group, call.root);
  if (seat >= 0) {
    gather_here(group, call, call.dest, call.parts, group.number() == call.root);
  }
  if (group.span() == nullptr) {
    return;
  }
  span::Messages messages = span::messages_of(group);
  if (group.number() == call.root) {
    for (int member = 0; member < group.members().size; ++member) {
      if (seat_of(group, member) < 0) {
        messages.receive(group.members().pe(member), part_of(call.dest, call.parts, member), call.parts.bytes[member]);
      }
    }
  } else if (seat < 0) {
    messages.send(group.members().pe(call.root), call.source, call.parts.bytes[group.number()]);
  }
}

// Packed by the leaders, so that what goes to another node is few messages; members take what they read to its places.
void gather_everywhere(Group& group, const Gather& call) noexcept {
  const auto n = static_cast<std::size_t>(group.members().size);
  const Scratch table(2 * n * sizeof(std::uint64_t));
  auto* ends = table.as<std::uint64_t>();
  auto* begins = ends + n;
  std::uint64_t end = 0;
  for (std::size_t member = 0; member < n; ++member) {
    begins[member] = end;
    end += call.parts.bytes[member];
    ends[member] = end;
  }
  if (end == 0) {
    return;
  }
  const bool leads = span::leads(group);
  const Scratch packed(leads ? end : 0);
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  gather_here(group, call, packed.get(), {begins, call.parts.bytes}, leads);
  if (leads) {
    span::Messages messages = span::messages_of(group);
    span::exchange_blocks(*group.span(), messages, packed.get(), Blocks(ends));
  }
  pull(group, Reached::kStaged, packed.get(), leads ? end : 0, end, 1, [&](const Offered& offered) {
    for (int member = 0; member < group.members().size; ++member) {
      const std::size_t lo = std::max<std::size_t>(offered.begin(), begins[member]);
      const std::size_t hi = std::min<std::size_t>(offered.end(), ends[member]);
      if (lo < hi) {
        std::memcpy(part_of(call.dest, call.parts, member) + (lo - begins[member]), offered.at(0, lo), hi - lo);
      }
    }
  });
}

}  // namespace

std::size_t Parts::end(int members) const noexcept {
  std::size_t end = 0;
  for (int member = 0; member < members; ++member) {
    end = bytes[member] == 0 ? end : std::max(end, offsets[member] + bytes[member]);
  }
  return end;
}

void gather(Group& group, const Gather& call) noexcept {
  group.tell(0, call.root);
  if (call.root != kToAll) {
    gather_to_root(group, call);
  } else if (group.span() != nullptr) {
    gather_everywhere(group, call);
  } else {
    gather_here(group, call, call.dest, call.parts, true);
  }
}

void scatter(Group& group, const Scatter& call) noexcept {
  group.tell(0, call.root);
  const int me = group.number();
  const int seat = seat_of(group, call.root);
  // First, so that it is on its way while the root's domain copies.
  std::optional<span::Messages> messages;
  if (group.span() != nullptr && (seat < 0 || me == call.root)) {
    messages.emplace(transport::tagged(), group.tag(), group.note());
    for (int member = 0; me == call.root && member < group.members().size; ++member) {
      if (seat_of(group, member) < 0) {
        messages->send(group.members().pe(member), part_of(call.source, call.parts, member), call.parts.bytes[member]);
      }
    }
    if (seat < 0) {
      messages->receive(group.members().pe(call.root), call.dest, call.parts.bytes[me]);
    }
  }
  if (seat >= 0) {
    const std::size_t end = call.parts.end(group.members().size);
    const bool lies_there = me == call.root && call.dest == part_of(call.source, call.parts, me);
    pull(group, call.reached, call.source, me == call.root ? end : 0, end, 1, [&](const Offered& offered) {
      if (!lies_there) {
        offered.take(call.dest, seat, call.parts.offsets[me], call.parts.bytes[me]);
      }
    });
  }
}

void broadcast_from(Group& group, const Broadcast& call, Reached reached) noexcept {
  group.tell(call.bytes, call.root);
  if (call.bytes == 0) {
    return;
  }
  const bool is_root = group.number() == call.root;
  if (is_root && call.dest != call.source) {
    copy::copy(call.dest, call.source, call.bytes);
  }
  int speaker = call.root;
  if (const group::Span* span = group.span(); span != nullptr) {
    const int from = span->find(call.root);
    speaker = from == span->mine ? span->domains[from].seat(call.root) : 0;
    if (group.me() == speaker) {
      const span::Speakers speakers(*span, call.root);
      span::Messages messages = span::messages_of(group);
      span::hear(speakers, messages, from, call.dest, call.bytes);
      messages.wait();
      span::pass_on(speakers, messages, from, call.dest, call.bytes);
    }
  }
  if (group.size() > 1) {
    const bool offers = group.me() == speaker;
    pull(group, reached, call.dest, offers ? call.bytes : 0, call.bytes, 1, [&](const Offered& offered) {
      if (!offers) {
        offered.take(call.dest, speaker, 0, call.bytes);
      }
    });
  }
}

}  // namespace weft::coll
