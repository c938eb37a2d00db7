// Members of a team or active set on several nodes.
//
// They are divided into domains: all members of one node. To the members of a domain it is what a whole team is on one
// node. Where they are evenly spaced, among the members as among the PEs of the node, as they are where each node has a
// block of PEs or every n-th PE, two multiplications say where a seat is; else a table does.
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
  // Where those are not evenly spaced, for each seat: the member, in ascending order, and its number on the node.
  const int* members = nullptr;
  const int* locals = nullptr;

  int member(int seat) const noexcept { return members == nullptr ? first + seat * step : members[seat]; }
  int place(int seat) const noexcept { return locals == nullptr ? local + seat * local_step : locals[seat]; }
  /// Number within the domain of a member; -1 when it is in another one.
  int seat(int member) const noexcept;
  /// The members are one after another.
  bool is_run() const noexcept { return members == nullptr && (step == 1 || size == 1); }
};

/// All domains of some members, in the order of their leaders: the same list on all members. There are two or more.
struct Span {
  Members members;
  int mine = 0;  // the domain that this PE is in
  int count = 0;
  Domain* domains = nullptr;
  int* tables = nullptr;  // of the domains that need some
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
  int* tables = nullptr;       // then of this one, if it needs some
};

/// The members, of which this PE is one, in a job of several nodes. A table of the members has to last as long as what
/// is found. False: there is no memory for it.
[[nodiscard]] bool divide(const Members& members, int me, const boot::PeerCard* cards, int n_nodes,
                          Seats* seats) noexcept;
/// The same in the job at hand, whatever it is. In one of a single node there always is.
[[nodiscard]] bool seats_of(const Members& members, Seats* seats) noexcept;

void delete_seats(const Span* span, int* tables) noexcept;

}  // namespace weft::group
