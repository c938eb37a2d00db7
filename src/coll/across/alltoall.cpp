#include <algorithm>

#include "coll/across/relay.hpp"
#include "coll/across/span.hpp"
#include "coll/across/stages.hpp"
#include "coll/alltoall/block.hpp"
#include "coll/scratch.hpp"

namespace weft::coll::across {
namespace {

// Partners whose messages are under way at a time, and the memory that those may take whose elements lie apart.
constexpr int kPartners = 16;
constexpr std::size_t kApartBytes = std::size_t{1} << 20;

// Blocks to and from members in other domains, all at different distances, so that no two members choose the same
// partner at a time.
class Partners {
 public:
  Partners(Party& party, const Alltoall& call) noexcept
      : party_(party),
        call_(call),
        block_(call.count * call.element),
        at_a_time_(partners_of(call)),
        out_(party.room(), out_of(call)),
        in_(party.room(), in_of(call)) {}

  static std::size_t need(const Alltoall& call) noexcept { return Room::need(out_of(call)) + Room::need(in_of(call)); }

  void exchange() noexcept {
    Messages messages = messages_of(party_);
    const int n = party_.members().size;
    for (int begin = 1; begin < n; begin += at_a_time_) {
      const int end = std::min(n, begin + at_a_time_);
      for (int distance = begin; distance < end; ++distance) {
        receive(messages, (party_.number() + n - distance) % n, distance - begin);
        send(messages, (party_.number() + distance) % n, distance - begin);
      }
      messages.wait();
      for (int distance = begin; call_.dst != 1 && distance < end; ++distance) {
        unpack((party_.number() + n - distance) % n, distance - begin);
      }
    }
  }

 private:
  static int partners_of(const Alltoall& call) noexcept {
    const std::size_t block = call.count * call.element;
    return call.dst == 1 && call.sst == 1
               ? kPartners
               : static_cast<int>(std::clamp<std::size_t>(kApartBytes / std::max<std::size_t>(block, 1), 1, kPartners));
  }
  static std::size_t blocks(const Alltoall& call) noexcept {
    return call.count * call.element * static_cast<std::size_t>(partners_of(call));
  }
  static std::size_t out_of(const Alltoall& call) noexcept { return call.sst == 1 ? 0 : blocks(call); }
  static std::size_t in_of(const Alltoall& call) noexcept { return call.dst == 1 ? 0 : blocks(call); }

  bool here(int member) const noexcept {
    const group::Span& span = *party_.span();
    return span.domains[span.mine].seat(member) >= 0;
  }
  std::byte* place(const Scratch& room, int k) const noexcept {
    return room.get() + static_cast<std::size_t>(k) * block_;
  }
  std::size_t offset(int member) const noexcept { return static_cast<std::size_t>(member) * block_; }

  void receive(Messages& messages, int member, int k) noexcept {
    if (!here(member)) {
      void* to = call_.dst == 1 ? static_cast<std::byte*>(call_.dest) + offset(member) : place(in_, k);
      messages.receive(party_.members().pe(member), to, block_);
    }
  }
  void send(Messages& messages, int member, int k) noexcept {
    if (here(member)) {
      return;
    }
    const void* from = static_cast<const std::byte*>(call_.source) + offset(member);
    if (call_.sst != 1) {
      Alltoall pack = call_;
      pack.dst = 1;
      copy_block(pack, place(out_, k), 0, call_.source, member);
      from = place(out_, k);
    }
    messages.send(party_.members().pe(member), from, block_);
  }
  void unpack(int member, int k) noexcept {
    if (!here(member)) {
      Alltoall unpack = call_;
      unpack.sst = 1;
      copy_block(unpack, call_.dest, member, place(in_, k), 0);
    }
  }

  Party& party_;
  const Alltoall& call_;
  std::size_t block_;
  int at_a_time_;
  Scratch out_;
  Scratch in_;
};

}  // namespace

void put_blocks_here(const Party& party, const Alltoall& call) noexcept {
  const group::Span& span = *party.span();
  for (int distance = 0; distance < party.size(); ++distance) {
    const int seat = party.after(distance);
    copy_block(call, party.at(call.dest, seat), party.number(), call.source, span.domains[span.mine].member(seat));
  }
}

void exchange_with_others(const Party& party, const Alltoall& call, Messages& messages) noexcept {
  const group::Span& span = *party.span();
  const int n = party.members().size;
  const std::size_t block = call.count * call.element;
  const auto offset = [&](int member) { return static_cast<std::size_t>(member) * block; };
  for (int distance = 1; distance < n; ++distance) {
    const int from = (party.number() + n - distance) % n;
    const int to = (party.number() + distance) % n;
    if (span.domains[span.mine].seat(from) < 0) {
      messages.receive(party.members().pe(from), static_cast<std::byte*>(call.dest) + offset(from), block);
    }
    if (span.domains[span.mine].seat(to) < 0) {
      messages.send(party.members().pe(to), static_cast<const std::byte*>(call.source) + offset(to), block);
    }
  }
}

namespace {

bool through_leaders(Party& party, const Alltoall& call) noexcept {
  if (!party.begin(leads(party) ? Relay::need(*party.span(), call) : 0)) [[unlikely]] {
    return false;
  }
  put_blocks_here(party, call);
  party.barrier();
  if (leads(party)) {
    Messages messages = messages_of(party);
    Relay relay(party, call, messages);
    while (relay.step()) {
      messages.wait();
    }
  }
  party.barrier();
  return true;
}

}  // namespace

bool alltoall(Party& party, const Alltoall& call) noexcept {
  if (Relay::is_for(*party.span(), call)) {
    return through_leaders(party, call);
  }
  if (!party.begin(Partners::need(call))) [[unlikely]] {
    return false;
  }
  put_blocks_here(party, call);
  Partners(party, call).exchange();
  party.barrier();
  return true;
}

}  // namespace weft::coll::across
