// Stages inside a domain.
#pragma once

#include "coll/across/messages.hpp"
#include "coll/collectives.hpp"
#include "copy/copy.hpp"
#include "job/node.hpp"

namespace weft::coll::across {

inline Messages messages_of(const Party& party) noexcept {
  return Messages(transport::tagged(), party.tag(), party.note());
}
/// This member's share of the elements, combined over the domain, into the leader's target. In place too: a share of
/// the sources is read, and of the leader's target written, by its member alone. All have to be ready before, and to
/// meet after.
void combine_for_leader(const Party& party, const Reduce& call) noexcept;

/// Blocks of an alltoall to the members of this domain; and to and from the others, begun, where elements are side by
/// side.
void put_blocks_here(const Party& party, const Alltoall& call) noexcept;
void exchange_with_others(const Party& party, const Alltoall& call, Messages& messages) noexcept;

inline bool leads(const Party& party) noexcept { return party.me() == 0; }

/// The leader's `data` becomes everybody's. They read it: whoever is still at a stage before is not written to.
inline void spread(Party& party, void* data, std::size_t bytes) noexcept {
  if (party.size() == 1) {
    return;
  }
  party.next_stage();
  if (leads(party)) {
    party.post(1);
    party.await_all(2);
    return;
  }
  party.await(0, 1);
  copy::copy(data, party.at(data, 0), bytes);
  party.post(2);
}

}  // namespace weft::coll::across
