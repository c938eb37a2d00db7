#include "coll/across/stages.hpp"
#include "coll/pull/pulls.hpp"
#include "coll/pull/slices.hpp"
#include "copy/copy.hpp"

namespace weft::coll {
namespace {

// What a member shows the others of its table: where the part for each of them lies; and last, where all of them end.
struct Row {
  std::uint64_t offset;
  std::uint64_t bytes;
};

// Of the members of the domain: where each has this one's part, and the longest of their buffers.
class Rows {
 public:
  Rows(Party& party, const Exchange& call) noexcept
      : even_(call.even), own_(party.room(), bytes(party, call)), theirs_(party.room(), bytes(party, call)) {
    if (even_) {
      const std::size_t part = call.to.bytes[0];
      mine_ = most_ = part * static_cast<std::size_t>(party.members().size);
      even_offset_ = part * static_cast<std::size_t>(party.number());
    } else {
      ask(party, call);
    }
  }

  static std::size_t need(const Party& party, const Exchange& call) noexcept {
    return 2 * Room::need(bytes(party, call));
  }

  std::size_t mine() const noexcept { return mine_; }
  std::size_t most() const noexcept { return most_; }
  std::size_t offset(int seat) const noexcept { return even_ ? even_offset_ : theirs_.as<Row>()[seat].offset; }

 private:
  static std::size_t bytes(const Party& party, const Exchange& call) noexcept {
    return call.even ? 0 : (static_cast<std::size_t>(party.size()) + 1) * sizeof(Row);
  }

  void ask(Party& party, const Exchange& call) noexcept {
    const std::size_t bytes = Rows::bytes(party, call);
    Row* own = own_.as<Row>();
    for (int seat = 0; seat < party.size(); ++seat) {
      const int member = member_of(party, seat);
      own[seat] = {call.to.offsets[member], call.to.bytes[member]};
      mine_ = own[seat].bytes == 0 ? mine_ : std::max<std::size_t>(mine_, own[seat].offset + own[seat].bytes);
    }
    own[party.size()] = {mine_, 0};
    const std::size_t of_me = static_cast<std::size_t>(party.me()) * sizeof(Row);
    const std::size_t of_all = static_cast<std::size_t>(party.size()) * sizeof(Row);
    // Tables lie anywhere, whatever the buffers do.
    pull(party, Reached::kStaged, own, bytes, bytes, sizeof(Row), [&](const Offered& offered) {
      for (int seat = 0; seat < party.size(); ++seat) {
        Row ends{};
        offered.take(theirs_.as<Row>() + seat, seat, of_me, sizeof(Row));
        offered.take(&ends, seat, of_all, sizeof ends);
        most_ = std::max<std::size_t>(most_, ends.offset);
      }
    });
  }

  bool even_;
  Scratch own_;
  Scratch theirs_;
  std::size_t mine_ = 0;
  std::size_t most_ = 0;
  std::size_t even_offset_ = 0;
};

void begin_with_others(const Party& party, const Exchange& call, const std::byte* source,
                       across::Messages& messages) noexcept {
  const int n = party.members().size;
  for (int distance = 1; distance < n; ++distance) {
    const int from = (party.number() + n - distance) % n;
    const int to = (party.number() + distance) % n;
    if (seat_of(party, from) < 0) {
      messages.receive(party.members().pe(from), static_cast<std::byte*>(call.dest) + call.from.offsets[from],
                       call.from.bytes[from]);
    }
    if (seat_of(party, to) < 0) {
      messages.send(party.members().pe(to), source + call.to.offsets[to], call.to.bytes[to]);
    }
  }
}

void pull_parts(Party& party, const Exchange& call, const Rows& rows, const std::byte* source,
                Reached reached) noexcept {
  if (call.even && goes_by_stages(party, reached, rows.most(), Reads::even_parts)) {
    if (const Slices slices(party, 1); slices.bytes() > 0) {
      exchange_slices(
          party, slices, call.to.bytes[0], [&](int seat) { return source + call.to.offsets[member_of(party, seat)]; },
          [&](int seat) { return static_cast<std::byte*>(call.dest) + call.from.offsets[member_of(party, seat)]; },
          [&](int seat) { return call.from.bytes[member_of(party, seat)]; });
      return;
    }
  }
  pull(
      party, reached, source, rows.mine(), rows.most(), 1,
      [&](const Offered& offered) {
        for (int distance = 0; distance < party.size(); ++distance) {
          const int seat = party.after(distance);
          const int member = member_of(party, seat);
          offered.take(static_cast<std::byte*>(call.dest) + call.from.offsets[member], seat, rows.offset(seat),
                       call.from.bytes[member]);
        }
      },
      call.even ? Reads::even_parts : Reads::parts);
}

}  // namespace

bool exchange_parts(Party& party, const Exchange& call) noexcept {
  party.tell(0);
  const auto* source = static_cast<const std::byte*>(call.source);
  const bool in_place = call.dest == call.source;
  // What arrives may lie where something is that has not yet gone.
  const std::size_t all = in_place ? call.to.end(party.members().size) : 0;
  if (!party.begin(Rows::need(party, call) + Room::need(all))) [[unlikely]] {
    return false;
  }
  const Rows rows(party, call);
  const Scratch saved(party.room(), all);
  if (all > 0) {
    copy::copy(saved.get(), source, all);
    source = saved.get();
  }
  const Reached reached = in_place ? own_memory(call.reached) : call.reached;
  if (party.span() == nullptr) {
    pull_parts(party, call, rows, source, reached);
    return has_all(party);
  }
  across::Messages messages = across::messages_of(party);
  begin_with_others(party, call, source, messages);
  pull_parts(party, call, rows, source, reached);
  return has_all(party);
}

}  // namespace weft::coll
