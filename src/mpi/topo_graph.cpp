#include <algorithm>
#include <cstdint>

#include "mpi/collectives.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/topo_give.hpp"

namespace weft::mpi {
namespace {

// ------------------------------------------------------------------------------------------- graphs that all ranks
// know

// Of nnodes ranks, which are as many as there are at most.
int check_graph(Comm& comm, int nnodes, const int* ends, const int* edges) noexcept {
  if (nnodes < 0 || nnodes > comm.members.size) {
    return raise(&comm, MPI_ERR_ARG, "nnodes: %d is not from 0 to %d, the communicator's size", nnodes,
                 comm.members.size);
  }
  if (const int code = check_numbers(comm, "index", ends, nnodes); code != MPI_SUCCESS) {
    return code;
  }
  int before = 0;
  for (int k = 0; k < nnodes; ++k) {
    if (ends[k] < before) {
      return raise(&comm, MPI_ERR_ARG, "index: its number %d, %d, is less than the %d before it", k, ends[k], before);
    }
    before = ends[k];
  }
  if (const int code = check_numbers(comm, "edges", edges, before); code != MPI_SUCCESS) {
    return code;
  }
  for (int k = 0; k < before; ++k) {
    if (edges[k] < 0 || edges[k] >= nnodes) {
      return raise(&comm, MPI_ERR_ARG, "edges: its number %d, %d, is none of the %d ranks", k, edges[k], nnodes);
    }
  }
  return MPI_SUCCESS;
}

// The graph, and where the neighbours of a rank begin and end in it.
const Topology* neighbours_of(Comm& comm, int rank, std::pair<int, int>* range, int* code) noexcept {
  const Topology* const graph = topology_of(comm, MPI_GRAPH, code);
  if (graph == nullptr) {
    return nullptr;
  }
  *code = check_rank(comm, "rank", rank, comm.members.size);
  if (*code != MPI_SUCCESS) {
    return nullptr;
  }
  const auto at = static_cast<std::size_t>(rank);
  *range = {rank == 0 ? 0 : graph->ends[at - 1], graph->ends[at]};
  return graph;
}

// -------------------------------------------------------------------------------- graphs of which each rank knows a
// part

bool weighs(const int* weights) noexcept { return weights != MPI_UNWEIGHTED; }

int check_weights(Comm& comm, const char* name, const int* weights, int n) noexcept {
  if (!weighs(weights) || n == 0) {
    return MPI_SUCCESS;
  }
  if (weights == nullptr || weights == MPI_WEIGHTS_EMPTY) {
    return raise(&comm, MPI_ERR_ARG, "%s: has no weights, and there are %d edges", name, n);
  }
  for (int k = 0; k < n; ++k) {
    if (weights[k] < 0) {
      return raise(&comm, MPI_ERR_ARG, "%s: its number %d, %d, is negative", name, k, weights[k]);
    }
  }
  return MPI_SUCCESS;
}

int check_ranks(Comm& comm, const char* name, const int* ranks, int n) noexcept {
  if (const int code = check_numbers(comm, name, ranks, n); code != MPI_SUCCESS) {
    return code;
  }
  for (int k = 0; k < n; ++k) {
    if (const int code = check_rank(comm, name, ranks[k], comm.members.size); code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

struct Side {
  const char* count_name;
  const char* name;
  const char* weights_name;
  int n;
  const int* ranks;
  const int* weights;
};

int take_side(Comm& comm, const Side& side, Topology::Edges* taken) noexcept {
  if (side.n < 0) {
    return raise(&comm, MPI_ERR_ARG, "%s: %d is negative", side.count_name, side.n);
  }
  if (const int code = check_ranks(comm, side.name, side.ranks, side.n); code != MPI_SUCCESS) {
    return code;
  }
  if (const int code = check_weights(comm, side.weights_name, side.weights, side.n); code != MPI_SUCCESS) {
    return code;
  }
  if (side.n > 0) {
    taken->ranks.assign(side.ranks, side.ranks + side.n);
    if (weighs(side.weights)) {
      taken->weights.assign(side.weights, side.weights + side.n);
    }
  }
  return MPI_SUCCESS;
}

// An edge as one rank tells another of it.
struct Told {
  int leaves;  // the one who is told: 1, or comes to it: 0
  int other;
  int weight;
};
constexpr int kWords = sizeof(Told) / sizeof(int);

// What all ranks have for each other, in the order of who says it.
int exchange_told(Comm& comm, const std::vector<std::vector<Told>>& for_rank, std::vector<Told>* heard) noexcept {
  const auto n = static_cast<std::size_t>(comm.members.size);
  std::vector<int> out_counts(n);
  std::vector<int> out_at(n);
  std::vector<int> in_counts(n);
  std::vector<int> in_at(n);
  std::vector<Told> out;
  for (std::size_t k = 0; k < n; ++k) {
    out_at[k] = static_cast<int>(out.size()) * kWords;
    out_counts[k] = static_cast<int>(for_rank[k].size()) * kWords;
    out.insert(out.end(), for_rank[k].begin(), for_rank[k].end());
  }
  const Datatype& type = *find<Datatype>(MPI_INT);
  if (const int code = alltoall(out_counts.data(), 1, MPI_INT, in_counts.data(), 1, type, comm); code != MPI_SUCCESS) {
    return code;
  }
  int all = 0;
  for (std::size_t k = 0; k < n; ++k) {
    in_at[k] = all;
    all += in_counts[k];
  }
  heard->resize(static_cast<std::size_t>(all) / kWords);
  return alltoallv(out.data(), out_counts.data(), out_at.data(), MPI_INT, heard->data(), in_counts.data(), in_at.data(),
                   type, comm);
}

// What others have told of this rank's edges.
void take_told(Comm& comm, const std::vector<Told>& heard, Topology* graph) {
  for (const Told& told : heard) {
    if (told.other < 0 || told.other >= comm.members.size) {
      continue;  // no rank: somebody's memory is spoilt
    }
    Topology::Edges& side = told.leaves != 0 ? graph->out : graph->in;
    side.ranks.push_back(told.other);
    if (graph->weighted) {
      side.weights.push_back(told.weight);
    }
  }
}

void give_side(const Topology::Edges& side, int room, int* ranks, int* weights) noexcept {
  const std::size_t n = std::min(side.ranks.size(), static_cast<std::size_t>(room));
  std::copy_n(side.ranks.begin(), n, ranks);
  if (weighs(weights) && weights != MPI_WEIGHTS_EMPTY && weights != nullptr && !side.weights.empty()) {
    std::copy_n(side.weights.begin(), n, weights);
  }
}

}  // namespace

int graph_create(Comm& comm_old, int nnodes, const int* indx, const int* edges, int /*reorder*/,
                 MPI_Comm* comm_graph) noexcept {
  int code = check_is_intra(comm_old, "comm_old");
  if (code == MPI_SUCCESS) {
    code = check_graph(comm_old, nnodes, indx, edges);
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  Topology graph;
  graph.kind = MPI_GRAPH;
  if (nnodes > 0) {
    graph.ends.assign(indx, indx + nnodes);
    graph.edges.assign(edges, edges + indx[nnodes - 1]);
  }
  return give_topology(comm_old, nnodes, std::move(graph), nullptr, comm_graph);
}

int graph_map(Comm& comm, int nnodes, const int* indx, const int* edges, int* newrank) noexcept {
  int code = check_is_intra(comm, "comm");
  if (code == MPI_SUCCESS) {
    code = check_graph(comm, nnodes, indx, edges);
  }
  if (code == MPI_SUCCESS) {
    *newrank = comm.rank < nnodes ? comm.rank : MPI_UNDEFINED;
  }
  return code;
}

int graphdims_get(Comm& comm, int* nnodes, int* nedges) noexcept {
  int code = MPI_SUCCESS;
  if (const Topology* const graph = topology_of(comm, MPI_GRAPH, &code); graph != nullptr) {
    *nnodes = static_cast<int>(graph->ends.size());
    *nedges = static_cast<int>(graph->edges.size());
  }
  return code;
}

int graph_get(Comm& comm, int maxindex, int maxedges, int* indx, int* edges) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const graph = topology_of(comm, MPI_GRAPH, &code);
  if (graph == nullptr) {
    return code;
  }
  if (code = check_room(comm, "maxindex", maxindex, graph->ends.size()); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_room(comm, "maxedges", maxedges, graph->edges.size()); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_numbers(comm, "index", indx, static_cast<int>(graph->ends.size())); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_numbers(comm, "edges", edges, static_cast<int>(graph->edges.size())); code != MPI_SUCCESS) {
    return code;
  }
  std::copy(graph->ends.begin(), graph->ends.end(), indx);
  std::copy(graph->edges.begin(), graph->edges.end(), edges);
  return MPI_SUCCESS;
}

int graph_neighbors_count(Comm& comm, int rank, int* nneighbors) noexcept {
  int code = MPI_SUCCESS;
  std::pair<int, int> range;
  if (neighbours_of(comm, rank, &range, &code) != nullptr) {
    *nneighbors = range.second - range.first;
  }
  return code;
}

int graph_neighbors(Comm& comm, int rank, int maxneighbors, int* neighbors) noexcept {
  int code = MPI_SUCCESS;
  std::pair<int, int> range;
  const Topology* const graph = neighbours_of(comm, rank, &range, &code);
  if (graph == nullptr) {
    return code;
  }
  const int n = range.second - range.first;
  if (code = check_room(comm, "maxneighbors", maxneighbors, static_cast<std::size_t>(n)); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_numbers(comm, "neighbors", neighbors, n); code != MPI_SUCCESS) {
    return code;
  }
  std::copy_n(graph->edges.begin() + range.first, n, neighbors);
  return MPI_SUCCESS;
}

int dist_graph_create_adjacent(Comm& comm_old, int indegree, const int* sources, const int* sourceweights,
                               int outdegree, const int* destinations, const int* destweights, const Info* info,
                               int /*reorder*/, MPI_Comm* comm_dist_graph) noexcept {
  if (const int code = check_is_intra(comm_old, "comm_old"); code != MPI_SUCCESS) {
    return code;
  }
  Topology graph;
  graph.kind = MPI_DIST_GRAPH;
  graph.weighted = weighs(sourceweights) && weighs(destweights);
  const Side in{"indegree", "sources", "sourceweights", indegree, sources, sourceweights};
  if (const int code = take_side(comm_old, in, &graph.in); code != MPI_SUCCESS) {
    return code;
  }
  const Side out{"outdegree", "destinations", "destweights", outdegree, destinations, destweights};
  if (const int code = take_side(comm_old, out, &graph.out); code != MPI_SUCCESS) {
    return code;
  }
  return give_topology(comm_old, comm_old.members.size, std::move(graph), info, comm_dist_graph);
}

int dist_graph_create(Comm& comm_old, int n, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, const Info* info, int /*reorder*/, MPI_Comm* comm_dist_graph) noexcept {
  int code = check_is_intra(comm_old, "comm_old");
  if (code == MPI_SUCCESS && n < 0) {
    code = raise(&comm_old, MPI_ERR_ARG, "n: %d is negative", n);
  }
  if (code == MPI_SUCCESS) {
    code = check_ranks(comm_old, "sources", sources, n);
  }
  if (code == MPI_SUCCESS) {
    code = check_numbers(comm_old, "degrees", degrees, n);
  }
  if (code != MPI_SUCCESS) {
    return code;
  }
  std::int64_t all = 0;
  for (int k = 0; k < n; ++k) {
    if (degrees[k] < 0) {
      return raise(&comm_old, MPI_ERR_ARG, "degrees: its number %d, %d, is negative", k, degrees[k]);
    }
    all += degrees[k];
  }
  // Counts of numbers in messages are ints.
  if (all > INT32_MAX / (2 * kWords)) {
    return raise(&comm_old, MPI_ERR_ARG, "degrees: they are %lld edges, more than one rank can tell of",
                 static_cast<long long>(all));
  }
  if (code = check_ranks(comm_old, "destinations", destinations, static_cast<int>(all)); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_weights(comm_old, "weights", weights, static_cast<int>(all)); code != MPI_SUCCESS) {
    return code;
  }
  std::vector<std::vector<Told>> for_rank(static_cast<std::size_t>(comm_old.members.size));
  const bool weighted = weighs(weights);
  int edge = 0;
  for (int k = 0; k < n; ++k) {
    for (int d = 0; d < degrees[k]; ++d, ++edge) {
      const int weight = weighted ? weights[edge] : 0;
      for_rank[static_cast<std::size_t>(sources[k])].push_back({1, destinations[edge], weight});
      for_rank[static_cast<std::size_t>(destinations[edge])].push_back({0, sources[k], weight});
    }
  }
  std::vector<Told> heard;
  if (code = exchange_told(comm_old, for_rank, &heard); code != MPI_SUCCESS) {
    return code;
  }
  Topology graph;
  graph.kind = MPI_DIST_GRAPH;
  graph.weighted = weighted;
  take_told(comm_old, heard, &graph);
  return give_topology(comm_old, comm_old.members.size, std::move(graph), info, comm_dist_graph);
}

int dist_graph_neighbors_count(Comm& comm, int* indegree, int* outdegree, int* weighted) noexcept {
  int code = MPI_SUCCESS;
  if (const Topology* const graph = topology_of(comm, MPI_DIST_GRAPH, &code); graph != nullptr) {
    *indegree = static_cast<int>(graph->in.ranks.size());
    *outdegree = static_cast<int>(graph->out.ranks.size());
    *weighted = graph->weighted ? 1 : 0;
  }
  return code;
}

// Where there is less room than edges the first ones are given: the standard has it so here, unlike elsewhere.
int dist_graph_neighbors(Comm& comm, int maxindegree, int* sources, int* sourceweights, int maxoutdegree,
                         int* destinations, int* destweights) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const graph = topology_of(comm, MPI_DIST_GRAPH, &code);
  if (graph == nullptr) {
    return code;
  }
  if (maxindegree < 0 || maxoutdegree < 0) {
    return raise(&comm, MPI_ERR_ARG, "%s: %d is negative", maxindegree < 0 ? "maxindegree" : "maxoutdegree",
                 std::min(maxindegree, maxoutdegree));
  }
  const auto asked = [](const Topology::Edges& side, int room) {
    return std::min(room, static_cast<int>(side.ranks.size()));
  };
  if (code = check_numbers(comm, "sources", sources, asked(graph->in, maxindegree)); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_numbers(comm, "destinations", destinations, asked(graph->out, maxoutdegree)); code != MPI_SUCCESS) {
    return code;
  }
  give_side(graph->in, maxindegree, sources, sourceweights);
  give_side(graph->out, maxoutdegree, destinations, destweights);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
