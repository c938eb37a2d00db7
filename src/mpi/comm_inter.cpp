#include "mpi/comm_inter.hpp"

#include <algorithm>
#include <vector>

#include "coll/forms.hpp"
#include "coll/split.hpp"
#include "job/node.hpp"
#include "mpi/comm_make.hpp"
#include "mpi/comm_offers.hpp"
#include "msg/messages.hpp"

namespace weft::mpi {
namespace {

using group::Members;
using Pes = std::vector<int>;

// What a member of either group says of the communicator that it will be in. The ids are what that and its own group
// are called if this is the first member.
struct Offer {
  int color;
  int key;
  std::uint64_t id;
  std::uint64_t local_id;
};

void tell_all(group::Team& team, int root, void* what, std::size_t bytes) noexcept {
  coll::Party party(team);
  (void)coll::broadcast_from(party, {what, what, bytes, root}, coll::Reached::kStaged);
}

// One that the team's first member gives.
std::uint64_t agreed_id(group::Team& team) noexcept {
  std::uint64_t id = team.me == 0 ? group::new_id() : 0;
  tell_all(team, 0, &id, sizeof id);
  return id;
}

Pes pes_of(const Members& members) noexcept {
  Pes pes(static_cast<std::size_t>(members.size));
  for (std::size_t k = 0; k < pes.size(); ++k) {
    pes[k] = members.pe(static_cast<int>(k));
  }
  return pes;
}

Pes joined(Pes one, const Pes& other) noexcept {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

// Two groups, which of them is the first one on all their members, and the ids.
struct Plan {
  Pes local;
  Pes remote;
  bool local_first = false;
  std::uint64_t id = 0;
  std::uint64_t local_id = 0;
};

int raise_overlap(Comm& comm) noexcept {
  return raise(&comm, MPI_ERR_COMM, "local_comm: a rank of it is in the remote group too");
}

int make(Comm& comm, const Plan& plan, MPI_Comm* newcomm) noexcept {
  if (plan.id == 0 || plan.local_id == 0) {
    return raise_no_id(comm);
  }
  const Pes pes = plan.local_first ? joined(plan.local, plan.remote) : joined(plan.remote, plan.local);
  const auto all = group::members_of(pes.data(), static_cast<int>(pes.size()));
  if (!all) {
    return raise_overlap(comm);
  }
  const auto local = group::members_of(plan.local.data(), static_cast<int>(plan.local.size()));
  const auto remote = group::members_of(plan.remote.data(), static_cast<int>(plan.remote.size()));
  Comm* made = nullptr;
  if (local && remote) {
    made = comm_of(comm, team_of(*all, plan.id));
  }
  if (made != nullptr) {
    made->members.drop();
    made->members = *local;
    made->remote = *remote;
    made->inter = true;
    made->rank = local->find(job::node().me);
    made->first_peer = plan.local_first ? local->size : 0;
    made = with_local_team(made, team_of(*local, plan.local_id));
  }
  all->drop();
  return give_comm(comm, made, newcomm);
}

// What the leaders tell each other.
struct Greeting {
  std::uint64_t id;
  std::int64_t size;
};

// Whether a group that another process has told of can be one: PEs of this job, each once.
bool is_group(const Pes& pes) noexcept {
  const int n_pes = job::node().n_pes;
  std::vector<bool> seen(static_cast<std::size_t>(n_pes));
  return !pes.empty() && std::all_of(pes.begin(), pes.end(), [&](int pe) {
    const bool fine = pe >= 0 && pe < n_pes && !seen[static_cast<std::size_t>(pe)];
    if (fine) {
      seen[static_cast<std::size_t>(pe)] = true;
    }
    return fine;
  });
}

// Both leaders call it; each then has the other one's group, and the id that the one with the lower PE gives. No group:
// what came was none.
void greet(const Comm& peer, int remote_leader, int tag, Plan* plan) noexcept {
  const msg::To to{peer.internal_context(), peer.pe_of(remote_leader), peer.rank, tag};
  const msg::From from{peer.internal_context(), peer.pe_of(remote_leader), remote_leader, tag};
  Greeting ours{group::new_id(), static_cast<std::int64_t>(plan->local.size())};
  Greeting theirs{};
  (void)msg::send_receive(to, {&ours, sizeof ours}, from, {&theirs, sizeof theirs});
  const bool fits = theirs.size > 0 && theirs.size <= job::node().n_pes;
  plan->remote.assign(fits ? static_cast<std::size_t>(theirs.size) : 0, -1);
  (void)msg::send_receive(to, {plan->local.data(), plan->local.size() * sizeof(int)}, from,
                          {plan->remote.data(), plan->remote.size() * sizeof(int)});
  if (!is_group(plan->remote)) {
    plan->remote.clear();
  }
  plan->local_first = job::node().me < peer.pe_of(remote_leader);
  plan->id = plan->local_first ? ours.id : theirs.id;
}

// The leader's plan becomes that of all members of its group.
void spread(group::Team& team, int leader, Plan* plan) noexcept {
  std::uint64_t head[] = {plan->id, plan->remote.size(), plan->local_first ? 1U : 0U};
  tell_all(team, leader, head, sizeof head);
  plan->id = head[0];
  const auto most = static_cast<std::size_t>(job::node().n_pes);
  plan->remote.resize(std::min<std::size_t>(head[1], most));
  plan->local_first = head[2] != 0;
  if (!plan->remote.empty()) {
    tell_all(team, leader, plan->remote.data(), plan->remote.size() * sizeof(int));
  }
}

// The PEs of one group who have said that color, in the order of their keys; members of the team from `first` on.
Pes of_color(const group::Team& team, const std::vector<Offer>& offers, int color, int first, int end) noexcept {
  std::vector<int> found;
  for (int member = first; member < end; ++member) {
    if (offers[static_cast<std::size_t>(member)].color == color) {
      found.push_back(member);
    }
  }
  const auto key = [&offers](int member) { return offers[static_cast<std::size_t>(member)].key; };
  std::stable_sort(found.begin(), found.end(), [&key](int a, int b) { return key(a) < key(b); });
  std::transform(found.begin(), found.end(), found.begin(), [&team](int member) { return team.members.pe(member); });
  return found;
}

}  // namespace

Comm* intercomm_like(const Comm& comm, group::Team* team) noexcept {
  const std::uint64_t local_id = agreed_id(*comm.local_team);
  Comm* const made = comm_of(comm, team);
  if (made == nullptr) {
    return nullptr;
  }
  made->members.drop();
  made->members = comm.members;
  made->members.keep();
  made->remote = comm.remote;
  made->remote.keep();
  made->inter = true;
  made->rank = comm.rank;
  made->first_peer = comm.first_peer;
  return with_local_team(made, team_of(comm.members, local_id));
}

int intercomm_split(Comm& comm, int color, int key, MPI_Comm* newcomm) noexcept {
  const bool wants = color != MPI_UNDEFINED;
  const group::Team& team = *comm.team;
  const Offer mine{color, key, wants ? group::new_id() : 0, wants ? group::new_id() : 0};
  std::vector<Offer> offers;
  if (const int code = offers_of_all(comm, mine, &offers); code != MPI_SUCCESS) {
    return code;
  }
  *newcomm = MPI_COMM_NULL;
  if (!wants) {
    return MPI_SUCCESS;
  }
  const bool local_first = comm.first_peer != 0;
  const int border = local_first ? comm.members.size : comm.remote.size;
  Pes first = of_color(team, offers, color, 0, border);
  Pes second = of_color(team, offers, color, border, team.members.size);
  if (first.empty() || second.empty()) {
    return MPI_SUCCESS;
  }
  const auto offer_of = [&](int pe) { return offers[static_cast<std::size_t>(team.members.find(pe))]; };
  Plan plan;
  plan.local_first = local_first;
  plan.id = offer_of(first.front()).id;
  if (!local_first) {
    first.swap(second);
  }
  plan.local_id = offer_of(first.front()).local_id;
  plan.local = std::move(first);
  plan.remote = std::move(second);
  return make(comm, plan, newcomm);
}

int intercomm_create_part(Comm& comm, const Group& group, MPI_Comm* newcomm) noexcept {
  for (int rank = 0; rank < group.members.size; ++rank) {
    if (comm.members.find(group.members.pe(rank)) < 0) {
      return raise(&comm, MPI_ERR_GROUP, "group: its rank %d is none of the local group's", rank);
    }
  }
  const int rank = group.members.find(job::node().me);
  return intercomm_split(comm, rank < 0 ? MPI_UNDEFINED : 0, rank, newcomm);
}

int intercomm_create(Comm& local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                     MPI_Comm* newintercomm) noexcept {
  if (local_comm.inter) {
    return raise(&local_comm, MPI_ERR_COMM, "local_comm: is an intercommunicator");
  }
  if (local_leader < 0 || local_leader >= local_comm.members.size) {
    return raise(&local_comm, MPI_ERR_RANK, "local_leader: %d is none of the %d ranks", local_leader,
                 local_comm.members.size);
  }
  Plan plan;
  plan.local = pes_of(local_comm.members);
  if (local_comm.rank == local_leader) {
    const Comm* const peer = find<Comm>(peer_comm);
    if (peer == nullptr) {
      return raise_handle(&local_comm, HandleKind::kComm, peer_comm, "peer_comm");
    }
    if (remote_leader < 0 || remote_leader >= peer->peers().size) {
      return raise(&local_comm, MPI_ERR_RANK, "remote_leader: %d is none of the %d ranks", remote_leader,
                   peer->peers().size);
    }
    if (tag < 0) {
      return raise(&local_comm, MPI_ERR_TAG, "tag: %d is negative", tag);
    }
    if (peer->pe_of(remote_leader) == job::node().me) {
      return raise(&local_comm, MPI_ERR_RANK, "remote_leader: %d is this rank itself", remote_leader);
    }
    greet(*peer, remote_leader, tag, &plan);
  }
  spread(*local_comm.team, local_leader, &plan);
  if (!is_group(plan.remote)) {
    return raise(&local_comm, MPI_ERR_COMM, "remote_leader: what it says of its group is no group of this job's ranks");
  }
  plan.local_id = agreed_id(*local_comm.team);
  return make(local_comm, plan, newintercomm);
}

int intercomm_merge(Comm& intercomm, int high, MPI_Comm* newintracomm) noexcept {
  if (!intercomm.inter) {
    return raise(&intercomm, MPI_ERR_COMM, "intercomm: is no intercommunicator");
  }
  group::Team& team = *intercomm.team;
  const Offer mine{0, high != 0 ? 1 : 0, team.me == 0 ? group::new_id() : 0, 0};
  std::vector<Offer> offers;
  if (const int code = offers_of_all(intercomm, mine, &offers); code != MPI_SUCCESS) {
    return code;
  }
  const bool local_first = intercomm.first_peer != 0;
  const int border = local_first ? intercomm.members.size : intercomm.remote.size;
  // Where both groups say the same, any order will do that all know.
  const bool turned = offers[0].key > offers[static_cast<std::size_t>(border)].key;
  const Pes local = pes_of(intercomm.members);
  const Pes remote = pes_of(intercomm.remote);
  const Pes pes = local_first != turned ? joined(local, remote) : joined(remote, local);
  if (offers[0].id == 0) {
    return raise_no_id(intercomm);
  }
  const auto members = group::members_of(pes.data(), static_cast<int>(pes.size()));
  if (!members) {
    return raise(&intercomm, MPI_ERR_NO_MEM, "%s", members.error().text());
  }
  Comm* const made = comm_of(intercomm, team_of(*members, offers[0].id));
  members->drop();
  return give_comm(intercomm, made, newintracomm);
}

}  // namespace weft::mpi
