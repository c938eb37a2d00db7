#include <algorithm>

#include "coll/algorithms.hpp"
#include "copy/copy.hpp"

namespace weft::coll {
namespace {

// Small enough that a piece is still in the cache of the one before, large enough that the hand-over costs little.
constexpr std::size_t kPiece = 65536;

}  // namespace

void broadcast_pipeline_get(Party& party, const Broadcast& call) noexcept {
  const int n = party.size();
  const int place = (party.me() - call.root + n) % n;
  const int before = (party.me() - 1 + n) % n;
  const std::size_t pieces = (call.bytes + kPiece - 1) / kPiece;
  if (place == 0) {
    party.post(static_cast<std::uint32_t>(pieces));
  } else {
    const auto* theirs =
        static_cast<const std::byte*>(place == 1 ? party.at(call.source, before) : party.at(call.dest, before));
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t at = piece * kPiece;
      party.await(before, static_cast<std::uint32_t>(piece + 1));
      copy::copy(static_cast<std::byte*>(call.dest) + at, theirs + at, std::min(kPiece, call.bytes - at));
      party.post(static_cast<std::uint32_t>(piece + 1));
    }
  }
  if (place + 1 < n) {
    party.await(party.after(1), static_cast<std::uint32_t>(pieces));
  }
}

}  // namespace weft::coll
