#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

void collect_ring_put(Group& group, const Collect& call) noexcept {
  const int n = group.size();
  const int me = group.me();
  if (const std::size_t bytes = call.blocks.bytes(me); bytes > 0) {
    copy::copy(call.dest + call.blocks.begin(me), call.source, bytes);
  }
  const int next = group.after(1 % n);
  const int before = group.after((n - 1) % n);
  for (int step = 1; step < n; ++step) {
    // What this member got in the step before; at first its own.
    const int owner = (me - step + 1 + n) % n;
    std::byte* block = call.dest + call.blocks.begin(owner);
    if (const std::size_t bytes = call.blocks.bytes(owner); bytes > 0) {
      copy::copy(group.at(block, next), block, bytes);
    }
    group.post(static_cast<std::uint32_t>(step));
    group.await(before, static_cast<std::uint32_t>(step));
  }
}

}  // namespace weft::coll
