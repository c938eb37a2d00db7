// What each way has to be: one class for this process's side, one for each process that it reaches.
// tests/conformance/reach holds all of them to the same.
#pragma once

#include <concepts>
#include <cstdint>

#include "reach/card.hpp"
#include "reach/reason.hpp"
#include "reach/walk.hpp"

namespace weft::reach {

/// - open: what can be found out without an access. `own` and the card stay where they are until close().
/// - move: goes on with the walk as far as it gets and says why no further. Any thread, several at a time.
/// - refusal: after move() said kForbidden with this error, why.
/// - forget: the peer's memory there is, or will be, another.
template <class Link, class Own>
concept LinkTo = requires(Link link, const Own& own, const Card& card, Walk& walk, std::uint64_t number) {
  { link.open(own, card) }
  noexcept->std::same_as<Reason>;
  { link.move(walk) }
  noexcept->std::same_as<Moved>;
  { link.refusal(0) }
  noexcept->std::same_as<Reason>;
  { link.forget(number, number) }
  noexcept->std::same_as<void>;
  { link.close() }
  noexcept->std::same_as<void>;
};

}  // namespace weft::reach
