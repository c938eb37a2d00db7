#include "mpi/topo_give.hpp"

#include <memory>

#include "mpi/comm_make.hpp"

namespace weft::mpi {
namespace {

const char* what_is(int kind) noexcept {
  return kind == MPI_CART
             ? "a grid (MPI_Cart_create)"
             : (kind == MPI_GRAPH ? "a graph (MPI_Graph_create)" : "a distributed graph (MPI_Dist_graph_create)");
}

}  // namespace

int give_topology(Comm& comm, int size, Topology&& topology, const Info* info, MPI_Comm* newcomm) noexcept {
  return give_topology_by(comm, {comm.rank < size ? 0 : MPI_UNDEFINED, comm.rank}, std::move(topology), info, newcomm);
}

int give_topology_by(Comm& comm, std::pair<int, int> color_and_key, Topology&& topology, const Info* info,
                     MPI_Comm* newcomm) noexcept {
  MPI_Comm made = MPI_COMM_NULL;
  if (const int code = comm_split(comm, color_and_key.first, color_and_key.second, &made); code != MPI_SUCCESS) {
    return code;
  }
  if (made != MPI_COMM_NULL) {
    // Nobody has the handle yet.
    Comm* const comm_made = find<Comm>(made);
    comm_made->topology = std::shared_ptr<const Topology>(new Topology(std::move(topology)));
    (void)comm_set_info(*comm_made, info);
  }
  *newcomm = made;
  return MPI_SUCCESS;
}

int check_is_intra(Comm& comm, const char* name) noexcept {
  return comm.inter ? raise(&comm, MPI_ERR_COMM, "%s: is an intercommunicator", name) : MPI_SUCCESS;
}

const Topology* topology_of(Comm& comm, int kind, int* code) noexcept {
  const Topology* const topology = comm.topology.get();
  if (topology == nullptr || topology->kind != kind) {
    *code = raise(&comm, MPI_ERR_TOPOLOGY, "comm: is not %s", what_is(kind));
    return nullptr;
  }
  *code = MPI_SUCCESS;
  return topology;
}

int check_numbers(Comm& comm, const char* name, const void* array, int n) noexcept {
  return array == nullptr && n > 0 ? raise(&comm, MPI_ERR_ARG, "%s: is null", name) : MPI_SUCCESS;
}

int check_rank(Comm& comm, const char* name, int rank, int size) noexcept {
  return rank < 0 || rank >= size ? raise(&comm, MPI_ERR_RANK, "%s: %d is none of the %d ranks", name, rank, size)
                                  : MPI_SUCCESS;
}

int check_room(Comm& comm, const char* name, int room, std::size_t needed) noexcept {
  return room < 0 || static_cast<std::size_t>(room) < needed
             ? raise(&comm, MPI_ERR_ARG, "%s: %d is less than the %zu that there are", name, room, needed)
             : MPI_SUCCESS;
}

}  // namespace weft::mpi
