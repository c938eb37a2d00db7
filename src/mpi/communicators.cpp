#include "mpi/communicators.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>

#include "base/lines.hpp"
#include "group/domains.hpp"
#include "job/node.hpp"
#include "mpi/groups.hpp"
#include "mpi/names.hpp"

namespace weft::mpi {
namespace {

// Never destroyed: programs may ask while they exit.
Comm* g_world = nullptr;
Comm* g_self = nullptr;

// The hints that communicators have; others are nobody's business.
constexpr const char* kAssertions[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length",
                                       "mpi_assert_allow_overtaking"};

Comm* predefine(MPI_Comm handle, const char* name) noexcept {
  auto* const made = new Comm;
  made->number = number_of(handle);
  made->name = name;
  set_predefined(HandleKind::kComm, made->number, made);
  return made;
}

// Of the numbers in ids that fit into a context beside the PE.
int number_bits() noexcept {
  const auto pes = static_cast<unsigned>(job::node().n_pes - 1);
  const int pe_bits = pes == 0 ? 0 : 32 - __builtin_clz(pes);
  return std::min(31 - pe_bits, group::kIdNumberBits);
}

int give_members(const group::Members& members, MPI_Group* group) noexcept {
  members.keep();
  return give_group(members, group);
}

}  // namespace

Comm::~Comm() {
  // Relaxed: who was the last to use it has let go of it by means that order this.
  if (Errhandler* const set = handler.load(std::memory_order_relaxed); set != nullptr) {
    drop(*set);
  }
  forget_name(*this);
  members.drop();
  remote.drop();
}

Comm& comm_world() noexcept { return *g_world; }
Comm& comm_self() noexcept { return *g_self; }

void set_up_communicators() noexcept {
  g_world = predefine(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  g_self = predefine(MPI_COMM_SELF, "MPI_COMM_SELF");
}

// All of an id, in 31 bits: as many as it takes for the PE that has given it, and its number, which is limited to the
// rest. That is enough for 33 million communicators at a time that one PE is the first of in a job of 64, and two
// million in one of 1024.
std::uint32_t context_of(std::uint64_t id) noexcept {
  const int bits = number_bits();
  const std::uint64_t number = id & ((std::uint64_t{1} << bits) - 1);
  return static_cast<std::uint32_t>((id >> group::kIdNumberBits) << bits | number);
}

void fill_communicators() noexcept {
  const job::Node& node = job::node();
  group::limit_ids(number_bits());
  g_world->members = {0, 1, node.n_pes};
  g_world->rank = node.me;
  g_world->team = &group::world();
  g_world->context = context_of(group::world().id);
  g_self->members = {node.me, 1, 1};
  g_self->rank = 0;
  g_self->team = group::new_team_of(g_self->members, group::new_id(), boot::Interface::kMpi);
  if (g_self->team == nullptr) {
    base::fail(job::current_call(), "no memory for the team of MPI_COMM_SELF");
  }
  g_self->team->on_demand = true;
  g_self->context = context_of(g_self->team->id);
  note_name(*g_world);
  note_name(*g_self);
}

int comm_compare(const Comm& comm1, const Comm& comm2, int* result) noexcept {
  if (&comm1 == &comm2) {
    *result = MPI_IDENT;
    return MPI_SUCCESS;
  }
  if (comm1.inter != comm2.inter) {
    *result = MPI_UNEQUAL;
    return MPI_SUCCESS;
  }
  const int here = compare_members(comm1.members, comm2.members);
  const int there = comm1.inter ? compare_members(comm1.remote, comm2.remote) : MPI_IDENT;
  const int least = std::max(here, there);
  *result = least == MPI_IDENT ? MPI_CONGRUENT : least;
  return MPI_SUCCESS;
}

int comm_get_info(const Comm& comm, MPI_Info* info_used) noexcept {
  auto* const made = new (std::nothrow) Info;
  if (made != nullptr) {
    for (const char* key : kAssertions) {
      const std::string* const set = comm.hints.get(key);
      made->set(key, set == nullptr ? "false" : set->c_str());
    }
  }
  return give_info(made, info_used);
}

int comm_get_name(const Comm* comm, char* comm_name, int* resultlen) noexcept {
  const std::string_view name = comm == nullptr ? "MPI_COMM_NULL" : std::string_view(comm->name);
  std::memcpy(comm_name, name.data(), name.size());
  comm_name[name.size()] = '\0';
  *resultlen = static_cast<int>(name.size());
  return MPI_SUCCESS;
}

int comm_group(const Comm& comm, MPI_Group* group) noexcept { return give_members(comm.members, group); }

int comm_rank(const Comm& comm, int* rank) noexcept {
  *rank = comm.rank;
  return MPI_SUCCESS;
}

int comm_set_info(Comm& comm, const Info* info) noexcept {
  for (const char* key : kAssertions) {
    const std::string* const value = info == nullptr ? nullptr : info->get(key);
    if (value != nullptr && (*value == "true" || *value == "false")) {
      comm.hints.set(key, value->c_str());
    }
  }
  return MPI_SUCCESS;
}

int comm_set_name(Comm& comm, const char* comm_name) noexcept {
  comm.name = std::string_view(comm_name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  note_name(comm);
  return MPI_SUCCESS;
}

int comm_size(const Comm& comm, int* size) noexcept {
  *size = comm.members.size;
  return MPI_SUCCESS;
}

int comm_remote_group(Comm& comm, MPI_Group* group) noexcept {
  return comm.inter ? give_members(comm.remote, group)
                    : raise(&comm, MPI_ERR_COMM, "comm: %s is no intercommunicator", comm.name.c_str());
}

int comm_remote_size(Comm& comm, int* size) noexcept {
  if (!comm.inter) {
    return raise(&comm, MPI_ERR_COMM, "comm: %s is no intercommunicator", comm.name.c_str());
  }
  *size = comm.remote.size;
  return MPI_SUCCESS;
}

int comm_test_inter(const Comm& comm, int* flag) noexcept {
  *flag = comm.inter ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
