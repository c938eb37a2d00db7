// Where the PEs of this node keep their parts of the shared memory, and what is known here of the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "dsm/page_maker.hpp"
#include "dsm/protocol/marks.hpp"
#include "dsm/protocol/notices.hpp"
#include "dsm/protocol/place.hpp"
#include "dsm/state.hpp"

namespace weft::dsm {

struct Part {
  std::byte* contents = nullptr;
  Notices* notices = nullptr;
  Marks marks;
  Places places;
  std::byte* room = nullptr;  // the front end's
};

/// Null: the PE is on another node.
const Part* part_of(int pe) noexcept;
/// What a PE has announced, as far as it has come here.
Notices* notices_of(int pe) noexcept;
/// The homes of pages that are known here, from 1 on: those of all, where PE 0 is on this node.
std::atomic<std::uint16_t>* known_homes() noexcept;

/// Makes pages of this PE's contents; open where other PEs of its node have what they are made of.
PageMaker& page_maker() noexcept;

/// When all parts have been shown.
base::Result<void> find_parts() noexcept;
void forget_parts() noexcept;

}  // namespace weft::dsm
