// Communicators: who is in one, what it is called, hints.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "group/members.hpp"
#include "group/team.hpp"
#include "mpi/attributes.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "msg/attached.hpp"

namespace weft::mpi {

struct Topology;

struct Comm : Watched {
  using Handle = MPI_Comm;
  static constexpr HandleKind kKind = HandleKind::kComm;
  Comm() noexcept = default;
  Comm(const Comm&) = delete;
  Comm& operator=(const Comm&) = delete;
  ~Comm();

  group::Members members;
  group::Members remote;  // of an intercommunicator: the other group
  bool inter = false;
  int rank = 0;
  static constexpr std::uint32_t kInternal = std::uint32_t{1} << 31;
  /// By which messages know it: the same on all members, and no other communicator's that one of them is in.
  std::uint32_t context = 0;
  /// What its collectives run on; of an intercommunicator the members of both groups, one behind the other.
  group::Team* team = nullptr;
  /// Of an intercommunicator: the members of this one's group alone; and who rank 0 of the other one is in `team`.
  group::Team* local_team = nullptr;
  int first_peer = 0;
  std::string name;
  Info hints;
  Attributes attributes;
  msg::Attached buffer;                      // of buffered sends
  std::shared_ptr<const Topology> topology;  // null: it has none; see topologies.hpp

  /// Those whom messages go to and come from.
  const group::Members& peers() const noexcept { return inter ? remote : members; }
  /// Of a rank that there is.
  int pe_of(int peer) const noexcept { return peers().pe(peer); }
  /// For the library's own messages, which no receive of the program's is to find.
  std::uint32_t internal_context() const noexcept { return context | kInternal; }
};

Comm& comm_world() noexcept;
Comm& comm_self() noexcept;
void set_up_communicators() noexcept;
/// When the job has begun, and its teams: who is in them.
void fill_communicators() noexcept;

/// What messages have of a team's id, in 31 bits.
std::uint32_t context_of(std::uint64_t id) noexcept;

int comm_compare(const Comm& comm1, const Comm& comm2, int* result) noexcept;
int comm_get_info(const Comm& comm, MPI_Info* info_used) noexcept;
int comm_get_name(const Comm* comm, char* comm_name, int* resultlen) noexcept;
int comm_group(const Comm& comm, MPI_Group* group) noexcept;
int comm_rank(const Comm& comm, int* rank) noexcept;
int comm_set_info(Comm& comm, const Info* info) noexcept;
int comm_set_name(Comm& comm, const char* comm_name) noexcept;
int comm_size(const Comm& comm, int* size) noexcept;
int comm_remote_group(Comm& comm, MPI_Group* group) noexcept;
int comm_remote_size(Comm& comm, int* size) noexcept;
int comm_test_inter(const Comm& comm, int* flag) noexcept;

}  // namespace weft::mpi
