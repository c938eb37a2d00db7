#include "coll/algorithms.hpp"
#include "coll/reduce/combine.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kBytes = group::kWords * sizeof(std::uint64_t);

using Words = std::uint64_t[group::kWords];

}  // namespace

// One meeting instead of two: nobody reads another one's source, so nobody has to wait until it may change.
void reduce_words(Party& party, const Reduce& call) noexcept {
  const std::size_t bytes = call.count * call.element;
  if (bytes > kBytes) {
    reduce_linear_get(party, call);
    return;
  }
  const std::size_t used = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  alignas(64) Words mine = {};
  std::memcpy(mine, call.source, bytes);
  std::atomic<std::uint64_t>* shown = party.to_show();
  for (std::size_t k = 0; k < used; ++k) {
    shown[k].store(mine[k], std::memory_order_relaxed);  // exchange() publishes them
  }
  party.exchange();
  alignas(64) Words room;
  alignas(64) Words theirs;
  const std::uint64_t* result = mine;
  for (int member = 0; member < party.size(); ++member) {
    std::uint64_t* const into = member == 0 ? room : theirs;
    const std::uint64_t* with = mine;
    if (member != party.me()) {
      const std::atomic<std::uint64_t>* words = party.shown(member);
      for (std::size_t k = 0; k < used; ++k) {
        into[k] = words[k].load(std::memory_order_relaxed);  // exchange() has acquired them
      }
      with = into;
    }
    if (member == 0) {
      result = with;
    } else {
      call.combine(room, result, with, call.count);
      result = room;
    }
  }
  std::memcpy(call.dest, result, bytes);
}

}  // namespace weft::coll
