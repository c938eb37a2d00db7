// Stages inside a domain.
#pragma once

#include "coll/collectives.hpp"
#include "coll/span/messages.hpp"
#include "copy/copy.hpp"
#include "job/node.hpp"

namespace weft::coll::span {

inline Messages messages_of(const Group& group) noexcept {
  return Messages(transport::tagged(), group.tag(), group.note());
}
/// This member's share of the elements, combined over the domain, into the leader's target. In place too: a share of
/// the sources is read, and of the leader's target written, by its member alone. All have to be ready before, and to
/// meet after.
void combine_for_leader(const Group& group, const Reduce& call) noexcept;

/// Blocks of an alltoall to the members of this domain; and to and from the others, begun, where elements are side by
/// side.
void put_blocks_here(const Group& group, const Alltoall& call) noexcept;
void exchange_with_others(const Group& group, const Alltoall& call, Messages& messages) noexcept;

inline bool leads(const Group& group) noexcept { return group.me() == 0; }

/// The leader's `data` becomes everybody's. They read it: whoever is still at a stage before is not written to.
inline void spread(Group& group, void* data, std::size_t bytes) noexcept {
  if (group.size() == 1) {
    return;
  }
  group.next_stage();
  if (leads(group)) {
    group.post(1);
    group.await_all(2);
    return;
  }
  group.await(0, 1);
  copy::copy(data, group.at(data, 0), bytes);
  group.post(2);
}

}  // namespace weft::coll::span
