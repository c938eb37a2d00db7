#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void collect_ring_put(Party& party, const Collect& call) noexcept {
  const int n = party.size();
  const int me = party.me();
  if (const std::size_t bytes = call.blocks.bytes(me); bytes > 0) {
    copy::copy(call.dest + call.blocks.begin(me), call.source, bytes);
  }
  const int next = party.after(1 % n);
  const int before = party.after((n - 1) % n);
  for (int step = 1; step < n; ++step) {
    // What this member got in the step before; at first its own.
    const int owner = (me - step + 1 + n) % n;
    std::byte* block = call.dest + call.blocks.begin(owner);
    if (const std::size_t bytes = call.blocks.bytes(owner); bytes > 0) {
      copy::copy(party.at(block, next), block, bytes);
    }
    party.post(static_cast<std::uint32_t>(step));
    party.await(before, static_cast<std::uint32_t>(step));
  }
}

}  // namespace weft::coll
