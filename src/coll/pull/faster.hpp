// Calls that go one of two ways: by what it took the member that decides for all (record 0193).
#pragma once

#include <cstddef>
#include <cstdint>

#include "coll/party.hpp"
#include "os/clock.hpp"

namespace weft::coll {

/// `ways`: this member's, of calls of about so many bytes. All members call it alike.
template <class First, class Second>
void go_the_faster_way(Party& party, int decides, group::TwoWays& ways, std::size_t bytes, First&& first,
                       Second&& second) noexcept {
  const std::uint64_t begin = os::now_ns();
  const int way = party.take_way(decides, ways);
  if (way == 0) {
    first();
  } else {
    second();
  }
  if (party.me() == decides) {
    ways.note(way, static_cast<double>(os::now_ns() - begin) / static_cast<double>(bytes));
  }
}

}  // namespace weft::coll
