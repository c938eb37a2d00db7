// Members of a team or active set on several nodes.
//
// They are divided into domains: members of one node that are evenly spaced, among the members as among the PEs of the
// node. To the members of a domain it is what a whole team is on one node, with stations and windows a constant
// distance apart. Where each node has a block of PEs, or every n-th PE, a node is one domain; where a launcher numbered
// PEs without a rule it may be several.
#pragma once

#include "boot/job.hpp"
#include "group/members.hpp"

namespace weft::group {

struct Domain {
  int first = 0;  // its leader: a number among the members
  int step = 1;   // from there to the next one
  int size = 0;
  int local = 0;  // the leader's number on its node, and from there to the next one's
  int local_step = 1;

  int member(int seat) const noexcept { return first + seat * step; }
  /// Number within the domain of a member; -1 when it is in another one.
  int seat(int member) const noexcept { return Members{first, step, size}.find(member); }
};

/// All domains of some members, in the order of their leaders: the same list on all members. There are two or more.
struct Span {
  Members members;
  int mine = 0;  // the domain that this PE is in
  int count = 0;
  Domain* domains = nullptr;
  bool in_order = false;  // each domain's members come one after another, and so do the domains

  int leader(int domain) const noexcept { return members.pe(domains[domain].first); }
  /// The domain that a member is in.
  int find(int member) const noexcept;
};

/// Where the members of one domain are, and this PE among them.
struct Seats {
  Domain here;
  int seat = 0;
  const Span* span = nullptr;  // null: all members are in this domain
};

/// The members, of which this PE is one, in a job of several nodes. The program ends when there is no memory.
Seats divide(const Members& members, int me, const boot::PeerCard* cards, int n_nodes) noexcept;
/// The same in the job at hand, whatever it is.
Seats seats_of(const Members& members) noexcept;

void delete_span(const Span* span) noexcept;

}  // namespace weft::group
