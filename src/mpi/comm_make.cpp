#include "mpi/comm_make.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "coll/barrier.hpp"
#include "coll/forms.hpp"
#include "coll/split.hpp"
#include "group/domains.hpp"
#include "job/node.hpp"
#include "mpi/buffers.hpp"
#include "mpi/comm_inter.hpp"
#include "mpi/comm_offers.hpp"
#include "mpi/on_team.hpp"

namespace weft::mpi {
namespace {

using group::Members;

// What a member says of the communicator that it will be in. `id` is what it is called if this is the first member.
struct Offer {
  int color;
  int key;
  std::uint64_t id;
};

int make(Comm& comm, const Members& members, std::uint64_t id, MPI_Comm* newcomm) noexcept {
  if (id == 0) {
    return raise_no_id(comm);
  }
  return give_comm(comm, comm_of(comm, team_of(members, id)), newcomm);
}

// Of those who have said that color, in the order of their keys.
int make_of_color(Comm& comm, const std::vector<Offer>& offers, int color, MPI_Comm* newcomm) noexcept {
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.members.size; ++rank) {
    if (offers[static_cast<std::size_t>(rank)].color == color) {
      ranks.push_back(rank);
    }
  }
  const auto key = [&offers](int rank) { return offers[static_cast<std::size_t>(rank)].key; };
  std::stable_sort(ranks.begin(), ranks.end(), [&key](int a, int b) { return key(a) < key(b); });
  std::vector<int> pes(ranks.size());
  std::transform(ranks.begin(), ranks.end(), pes.begin(), [&comm](int rank) { return comm.members.pe(rank); });
  const auto members = group::members_of(pes.data(), static_cast<int>(pes.size()));
  if (!members) {
    return raise(&comm, MPI_ERR_NO_MEM, "%s", members.error().text());
  }
  const int code = make(comm, *members, offers[static_cast<std::size_t>(ranks.front())].id, newcomm);
  members->drop();
  return code;
}

// All members call it.
int split(Comm& comm, int color, int key, MPI_Comm* newcomm) noexcept {
  const bool wants = color != MPI_UNDEFINED;
  std::vector<Offer> offers;
  if (const int code = offers_of_all(comm, Offer{color, key, wants ? group::new_id() : 0}, &offers);
      code != MPI_SUCCESS) {
    return code;
  }
  *newcomm = MPI_COMM_NULL;
  return wants ? make_of_color(comm, offers, color, newcomm) : MPI_SUCCESS;
}

int duplicate(Comm& comm, const Info* info, MPI_Comm* newcomm) noexcept {
  std::uint64_t id = comm.team->me == 0 ? group::new_id() : 0;
  {
    coll::Party party(*comm.team);
    (void)coll::broadcast_from(party, {&id, &id, sizeof id, 0}, coll::Reached::kStaged);
  }
  if (id == 0) {
    return raise_no_id(comm);
  }
  group::Team* const team = team_of(comm.team->members, id);
  Comm* const made = comm.inter ? intercomm_like(comm, team) : comm_of(comm, team);
  if (made != nullptr) {
    (void)comm_set_info(*made, info);
    made->topology = comm.topology;
    if (const int code = comm.attributes.copy_to(comm.number, made->attributes); code != MPI_SUCCESS) {
      (void)made->attributes.remove_all(comm.number);
      discard(made);
      return raise(&comm, code, "the copy function of an attribute returned %d", code);
    }
  }
  return give_comm(comm, made, newcomm);
}

int check_group(Comm& comm, const Group& group) noexcept {
  for (int rank = 0; rank < group.members.size; ++rank) {
    if (comm.members.find(group.members.pe(rank)) < 0) {
      return raise(&comm, MPI_ERR_GROUP, "group: its rank %d is none of the communicator's", rank);
    }
  }
  return MPI_SUCCESS;
}

int raise_inter(Comm& comm) noexcept { return raise(&comm, MPI_ERR_COMM, "comm: is an intercommunicator"); }

// The members that share this one's node have a color of their own: the first PE of the node.
int color_of_node() noexcept { return job::node().pe_of(0); }

// Of an intercommunicator both groups.
bool is_on_one_node(const Comm& comm) noexcept {
  const Members& all = comm.team->members;
  for (int member = 0; member < all.size; ++member) {
    if (job::node().here(all.pe(member)) < 0) {
      return false;
    }
  }
  return true;
}

// A kind of hardware that the program names: the color, or MPI_UNDEFINED where there is none of it.
int color_of_kind(const Info* info) noexcept {
  const std::string* const kind = info == nullptr ? nullptr : info->get("mpi_hw_resource_type");
  return kind != nullptr && (*kind == "mpi_shared_memory" || *kind == "weft://node") ? color_of_node() : MPI_UNDEFINED;
}

int color_of_resource(const Info* info) noexcept {
  const std::string* const set = info == nullptr ? nullptr : info->get("mpi_pset_name");
  if (set == nullptr) {
    return color_of_kind(info);
  }
  return *set == "mpi://WORLD" ? 0 : *set == "mpi://SELF" ? job::node().me : MPI_UNDEFINED;
}

}  // namespace

int raise_no_id(Comm& comm) noexcept {
  return raise(&comm, MPI_ERR_OTHER, "its first rank is the first of too many communicators; free some");
}

group::Team* team_of(const Members& members, std::uint64_t id) noexcept {
  group::Team* const team = group::new_team_of(members, id, boot::Interface::kMpi);
  if (team != nullptr) {
    team->on_demand = true;
  }
  return team;
}

Comm* comm_of(const Comm& parent, group::Team* team) noexcept {
  auto* const made = team == nullptr ? nullptr : new (std::nothrow) Comm;
  if (made == nullptr) {
    if (team != nullptr) {
      coll::discard_team(*team);
    }
    return nullptr;
  }
  made->members = team->members;
  made->members.keep();
  made->rank = team->me;
  made->team = team;
  made->context = context_of(team->id);
  // Acquire: the handler was made before it was set.
  if (Errhandler* const handler = parent.handler.load(std::memory_order_acquire); handler != nullptr) {
    keep(*handler);
    made->handler.store(handler, std::memory_order_relaxed);  // nobody else has it yet
  }
  return made;
}

Comm* with_local_team(Comm* made, group::Team* local) noexcept {
  made->local_team = local;
  if (local == nullptr) {
    discard(made);
    return nullptr;
  }
  return made;
}

int give_comm(const Comm& parent, Comm* made, MPI_Comm* newcomm) noexcept {
  auto* const on = const_cast<Comm*>(&parent);
  if (made == nullptr) {
    return raise(on, MPI_ERR_NO_MEM, "there is no memory for a communicator");
  }
  group::Team* const teams[] = {made->team, made->local_team};
  if (publish<Comm>(made, newcomm)) {
    return MPI_SUCCESS;
  }
  for (group::Team* team : teams) {
    if (team != nullptr) {
      coll::discard_team(*team);
    }
  }
  return raise(on, MPI_ERR_NO_MEM, "there are too many communicators");
}

void discard(Comm* made) noexcept {
  for (group::Team* team : {made->team, made->local_team}) {
    if (team != nullptr) {
      coll::discard_team(*team);
    }
  }
  drop(*made);
}

int comm_create(Comm& comm, const Group& group, MPI_Comm* newcomm) noexcept {
  if (comm.inter) {
    return intercomm_create_part(comm, group, newcomm);
  }
  if (const int code = check_group(comm, group); code != MPI_SUCCESS) {
    return code;
  }
  // Only the first member of each group has something to say, but all hear it at once.
  const Members& members = group.members;
  const bool first = members.size > 0 && members.pe(0) == job::node().me;
  std::vector<Offer> offers;
  if (const int code = offers_of_all(comm, Offer{0, 0, first ? group::new_id() : 0}, &offers); code != MPI_SUCCESS) {
    return code;
  }
  *newcomm = MPI_COMM_NULL;
  if (members.find(job::node().me) < 0) {
    return MPI_SUCCESS;
  }
  return make(comm, members, offers[static_cast<std::size_t>(comm.members.find(members.pe(0)))].id, newcomm);
}

int comm_create_group(Comm& comm, const Group& group, int tag, MPI_Comm* newcomm) noexcept {
  if (comm.inter) {
    return raise_inter(comm);
  }
  if (const int code = check_group(comm, group); code != MPI_SUCCESS) {
    return code;
  }
  if (tag < 0) {
    return raise(&comm, MPI_ERR_TAG, "tag: %d is negative", tag);
  }
  *newcomm = MPI_COMM_NULL;
  if (group.members.find(job::node().me) < 0) {
    return MPI_SUCCESS;
  }
  group::Team* team = nullptr;
  const auto making =
      coll::make_team_of(group.members, comm.team->id, static_cast<std::uint64_t>(tag), boot::Interface::kMpi, &team);
  return making == coll::Making::kTooMany ? raise_no_id(comm) : give_comm(comm, comm_of(comm, team), newcomm);
}

// Hints are the new one's own: MPI 4.0 has them no longer taken over.
int comm_dup(Comm& comm, MPI_Comm* newcomm) noexcept { return duplicate(comm, nullptr, newcomm); }

int comm_dup_with_info(Comm& comm, const Info* info, MPI_Comm* newcomm) noexcept {
  return duplicate(comm, info, newcomm);
}

int comm_free(MPI_Comm* comm) noexcept {
  Comm* const found = find<Comm>(*comm);
  if (found == nullptr) {
    return raise_handle(nullptr, HandleKind::kComm, *comm, "comm");
  }
  if (is_predefined(found->number)) {
    return raise(found, MPI_ERR_COMM, "comm: %s is predefined, and nobody may free it",
                 name_of_predefined(found->number));
  }
  if (const int code = found->attributes.remove_all(found->number); code != MPI_SUCCESS) {
    return raise(found, code, "the delete function of an attribute returned %d", code);
  }
  end_buffer(*found);
  for (group::Team* team : {found->team, found->local_team}) {
    // Who has never called a collective has never looked at anybody's words, and so has nobody else.
    if (team != nullptr && team->calls > 0) {
      coll::destroy_team(*team);
    } else if (team != nullptr) {
      coll::discard_team(*team);
    }
  }
  found->team = nullptr;
  found->local_team = nullptr;
  retire(*found, comm);
  return MPI_SUCCESS;
}

int comm_split(Comm& comm, int color, int key, MPI_Comm* newcomm) noexcept {
  if (color < 0 && color != MPI_UNDEFINED) {
    return raise(&comm, MPI_ERR_ARG, "color: %d is negative", color);
  }
  return comm.inter ? intercomm_split(comm, color, key, newcomm) : split(comm, color, key, newcomm);
}

int comm_split_type(Comm& comm, int split_type, int key, const Info* info, MPI_Comm* newcomm) noexcept {
  const auto by = [&comm, key, newcomm](int color) {
    return comm.inter ? intercomm_split(comm, color, key, newcomm) : split(comm, color, key, newcomm);
  };
  switch (split_type) {
    case MPI_UNDEFINED: return by(MPI_UNDEFINED);
    case MPI_COMM_TYPE_SHARED: return by(color_of_node());
    // The next smaller kind: of one node's members there is none, and all of them know it.
    case MPI_COMM_TYPE_HW_UNGUIDED: return by(is_on_one_node(comm) ? MPI_UNDEFINED : color_of_node());
    case MPI_COMM_TYPE_HW_GUIDED: return by(color_of_kind(info));
    case MPI_COMM_TYPE_RESOURCE_GUIDED: return by(color_of_resource(info));
    default: return raise(&comm, MPI_ERR_ARG, "split_type: %d is none of the standard's", split_type);
  }
}

}  // namespace weft::mpi
