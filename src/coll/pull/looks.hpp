// Combining what members offer, where each of their elements has to be looked for.
#pragma once

#include "coll/collectives.hpp"
#include "copy/copy.hpp"

namespace weft::coll {

/// look(member, room) is where the elements of a member lie, in `room` if they had to be copied; null: they cannot be
/// read now. False then.
template <class Look>
bool combine_looks(const Reduce& call, int members, std::size_t count, std::byte* into, std::byte* room,
                   Look&& look) noexcept {
  const std::byte* first = look(0, into);
  if (first == nullptr) {
    return false;
  }
  if (members == 1 && first != into) {
    copy::copy(into, first, count * call.element);
  }
  for (int member = 1; member < members; ++member) {
    const std::byte* next = look(member, room);
    if (next == nullptr) {
      return false;
    }
    call.combine(into, member == 1 ? first : into, next, count);
  }
  return true;
}

}  // namespace weft::coll
