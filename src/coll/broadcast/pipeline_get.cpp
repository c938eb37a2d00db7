#include <algorithm>

#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {
namespace {

// Small enough that a piece is still in the cache of the one before, large enough that the hand-over costs little.
constexpr std::size_t kPiece = 65536;

}  // namespace

void broadcast_pipeline_get(Group& group, const Broadcast& call) noexcept {
  const int n = group.size();
  const int place = (group.me() - call.root + n) % n;
  const int before = (group.me() - 1 + n) % n;
  const std::size_t pieces = (call.bytes + kPiece - 1) / kPiece;
  if (place == 0) {
    group.post(static_cast<std::uint32_t>(pieces));
  } else {
    const auto* theirs =
        static_cast<const std::byte*>(place == 1 ? group.at(call.source, before) : group.at(call.dest, before));
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t at = piece * kPiece;
      group.await(before, static_cast<std::uint32_t>(piece + 1));
      copy::copy(static_cast<std::byte*>(call.dest) + at, theirs + at, std::min(kPiece, call.bytes - at));
      group.post(static_cast<std::uint32_t>(piece + 1));
    }
  }
  if (place + 1 < n) {
    group.await(group.after(1), static_cast<std::uint32_t>(pieces));
  }
}

}  // namespace weft::coll
