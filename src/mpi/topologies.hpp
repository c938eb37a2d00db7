// Who is whose neighbour in a communicator: grids, graphs that all ranks know, and graphs of which each rank knows its
// own edges.
#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/communicators.hpp"
#include "mpi/info.hpp"

namespace weft::mpi {

/// Never changed once it is a communicator's, and shared by its copies.
struct Topology {
  int kind = MPI_UNDEFINED;  // MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH

  // A grid, the last dimension counted fastest.
  std::vector<int> dims;
  std::vector<char> periods;

  // A graph: where the neighbours of a rank end among all edges.
  std::vector<int> ends;
  std::vector<int> edges;

  // This rank's edges, and what they weigh where anybody said so.
  struct Edges {
    std::vector<int> ranks;
    std::vector<int> weights;
  };
  Edges in;
  Edges out;
  bool weighted = false;
};

int cart_coords(Comm& comm, int rank, int maxdims, int* coords) noexcept;
int cart_create(Comm& comm_old, int ndims, const int* dims, const int* periods, int reorder,
                MPI_Comm* comm_cart) noexcept;
int cart_get(Comm& comm, int maxdims, int* dims, int* periods, int* coords) noexcept;
int cart_map(Comm& comm, int ndims, const int* dims, const int* periods, int* newrank) noexcept;
int cart_rank(Comm& comm, const int* coords, int* rank) noexcept;
int cart_shift(Comm& comm, int direction, int disp, int* rank_source, int* rank_dest) noexcept;
int cart_sub(Comm& comm, const int* remain_dims, MPI_Comm* newcomm) noexcept;
int cartdim_get(Comm& comm, int* ndims) noexcept;
int dims_create(int nnodes, int ndims, int* dims) noexcept;
int dist_graph_create(Comm& comm_old, int n, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, const Info* info, int reorder, MPI_Comm* comm_dist_graph) noexcept;
int dist_graph_create_adjacent(Comm& comm_old, int indegree, const int* sources, const int* sourceweights,
                               int outdegree, const int* destinations, const int* destweights, const Info* info,
                               int reorder, MPI_Comm* comm_dist_graph) noexcept;
int dist_graph_neighbors(Comm& comm, int maxindegree, int* sources, int* sourceweights, int maxoutdegree,
                         int* destinations, int* destweights) noexcept;
int dist_graph_neighbors_count(Comm& comm, int* indegree, int* outdegree, int* weighted) noexcept;
int graph_create(Comm& comm_old, int nnodes, const int* indx, const int* edges, int reorder,
                 MPI_Comm* comm_graph) noexcept;
int graph_get(Comm& comm, int maxindex, int maxedges, int* indx, int* edges) noexcept;
int graph_map(Comm& comm, int nnodes, const int* indx, const int* edges, int* newrank) noexcept;
int graph_neighbors(Comm& comm, int rank, int maxneighbors, int* neighbors) noexcept;
int graph_neighbors_count(Comm& comm, int rank, int* nneighbors) noexcept;
int graphdims_get(Comm& comm, int* nnodes, int* nedges) noexcept;
int topo_test(const Comm& comm, int* status) noexcept;

/// Numbers whose product is n, the first one the largest, as alike as can be.
std::vector<int> balanced(int n, int parts);

}  // namespace weft::mpi
