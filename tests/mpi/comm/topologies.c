/* Grids and graphs: who is whose neighbour, in communicators of any size, in their copies and parts; and what is
 * refused. */
#include "../local/check.h"

static int rank, size;
/* A compiler that sees the numbers which they are warns of arrays at such places. */
static int* volatile no_weights = MPI_UNWEIGHTED, * volatile empty = MPI_WEIGHTS_EMPTY;

static int product(int n, const int* dims) {
  int all = 1;
  for (int k = 0; k < n; ++k) {
    all *= dims[k];
  }
  return all;
}

static void dimensions(void) {
  static const struct {
    int nodes, n, dims[6];
  } kKnown[] = {{6, 2, {3, 2}},
                {7, 2, {7, 1}},
                {6, 3, {3, 2, 1}},
                {12, 2, {4, 3}},
                {16, 3, {4, 2, 2}},
                {24, 3, {4, 3, 2}},
                {36, 2, {6, 6}},
                {1, 3, {1, 1, 1}},
                {64, 3, {4, 4, 4}},
                {1024, 2, {32, 32}},
                {60, 3, {5, 4, 3}},
                {2147483647, 2, {2147483647, 1}},
                {48, 4, {4, 3, 2, 2}},
                {19008, 3, {33, 24, 24}},
                {290880, 4, {101, 16, 15, 12}},
                {1000000, 3, {100, 100, 100}}};
  for (size_t k = 0; k < sizeof kKnown / sizeof *kKnown; ++k) {
    int dims[6] = {0};
    GOOD(MPI_Dims_create(kKnown[k].nodes, kKnown[k].n, dims));
    CHECK(memcmp(dims, kKnown[k].dims, (size_t)kKnown[k].n * sizeof *dims) == 0);
  }
  for (int nodes = 1; nodes <= 2000; ++nodes) {
    for (int n = 1; n <= 5; ++n) {
      int dims[5] = {0};
      GOOD(MPI_Dims_create(nodes, n, dims));
      CHECK(product(n, dims) == nodes);
      for (int d = 1; d < n; ++d) {
        CHECK(dims[d] <= dims[d - 1]);
      }
    }
  }
  /* many factors and many dimensions: an answer at once */
  static const int kMany[] = {1 << 30, 735134400, 1102701600, 2095133040};
  for (int k = 0; k < 4; ++k) {
    int dims[12] = {0};
    GOOD(MPI_Dims_create(kMany[k], 3 * (k + 1), dims));
    CHECK(product(3 * (k + 1), dims) == kMany[k]);
  }
  int given[3] = {0, 2, 0};
  GOOD(MPI_Dims_create(24, 3, given));
  CHECK(given[0] == 4 && given[1] == 2 && given[2] == 3);
  GOOD(MPI_Dims_create(24, 3, given));
  GOOD(MPI_Dims_create(1, 0, NULL));
  int wrong[2] = {5, 0};
  FAILS(MPI_ERR_DIMS, MPI_Dims_create(24, 2, wrong));
  wrong[0] = -1;
  FAILS(MPI_ERR_DIMS, MPI_Dims_create(24, 2, wrong));
  FAILS(MPI_ERR_DIMS, MPI_Dims_create(0, 2, given));
  FAILS(MPI_ERR_DIMS, MPI_Dims_create(7, -1, given));
  FAILS(MPI_ERR_DIMS, MPI_Dims_create(25, 3, given));
  FAILS(MPI_ERR_ARG, MPI_Dims_create(7, 1, NULL));
}

/* Each rank's number goes once around a ring of its row and comes back. */
static void pass_around(MPI_Comm row, int n) {
  int before, after, got = -1, here;
  GOOD(MPI_Comm_rank(row, &here));
  GOOD(MPI_Cart_shift(row, 0, 1, &before, &after));
  CHECK(before == (here + n - 1) % n && after == (here + 1) % n);
  GOOD(MPI_Sendrecv(&here, 1, MPI_INT, after, 0, &got, 1, MPI_INT, before, 0, row, MPI_STATUS_IGNORE));
  CHECK(got == before);
}

static void grids(void) {
  int dims[2] = {0}, periods[2] = {0, 1}, kind;
  GOOD(MPI_Dims_create(size, 2, dims));
  MPI_Comm grid, copy, row, column;
  GOOD(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid));
  GOOD(MPI_Topo_test(grid, &kind));
  CHECK(kind == MPI_CART);
  int n, got_dims[2], got_periods[2], coords[2], there[2], same;
  GOOD(MPI_Cartdim_get(grid, &n));
  CHECK(n == 2);
  GOOD(MPI_Cart_get(grid, 2, got_dims, got_periods, coords));
  CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1] && got_periods[0] == 0 && got_periods[1] == 1);
  int here;
  GOOD(MPI_Comm_rank(grid, &here));
  CHECK(coords[0] * dims[1] + coords[1] == here);
  for (int k = 0; k < size; ++k) {
    GOOD(MPI_Cart_coords(grid, k, 2, there));
    GOOD(MPI_Cart_rank(grid, there, &same));
    CHECK(same == k);
    there[1] -= 3 * dims[1]; /* a ring */
    GOOD(MPI_Cart_rank(grid, there, &same));
    CHECK(same == k);
  }
  int from, to;
  GOOD(MPI_Cart_shift(grid, 0, 1, &from, &to));
  CHECK(from == (coords[0] == 0 ? MPI_PROC_NULL : here - dims[1]));
  CHECK(to == (coords[0] == dims[0] - 1 ? MPI_PROC_NULL : here + dims[1]));
  GOOD(MPI_Cart_shift(grid, 0, 2147483647, &from, &to));
  CHECK(from == MPI_PROC_NULL && to == MPI_PROC_NULL);
  GOOD(MPI_Cart_shift(grid, 1, -2147483647 - 1, &from, &to));
  CHECK(from >= 0 && from < size && to >= 0 && to < size);
  GOOD(MPI_Cart_shift(grid, 1, 0, &from, &to));
  CHECK(from == here && to == here);

  GOOD(MPI_Comm_dup(grid, &copy));
  const int rows[2] = {0, 1}, columns[2] = {1, 0}, none[2] = {0, 0};
  GOOD(MPI_Cart_sub(copy, rows, &row));
  GOOD(MPI_Cart_sub(copy, columns, &column));
  GOOD(MPI_Comm_size(row, &n));
  CHECK(n == dims[1]);
  GOOD(MPI_Comm_size(column, &n));
  CHECK(n == dims[0]);
  GOOD(MPI_Comm_rank(column, &n));
  CHECK(n == coords[0]);
  pass_around(row, dims[1]);
  GOOD(MPI_Comm_free(&row));
  GOOD(MPI_Cart_sub(copy, none, &row));
  GOOD(MPI_Comm_size(row, &n));
  CHECK(n == 1);
  GOOD(MPI_Cartdim_get(row, &n));
  CHECK(n == 0);
  GOOD(MPI_Cart_get(row, 0, NULL, NULL, NULL));
  GOOD(MPI_Cart_rank(row, NULL, &n));
  CHECK(n == 0);

  MPI_Request request;
  MPI_Comm later;
  GOOD(MPI_Comm_idup(copy, &later, &request));
  GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  GOOD(MPI_Topo_test(later, &kind));
  CHECK(kind == MPI_CART);

  FAILS(MPI_ERR_DIMS, MPI_Cart_shift(grid, 2, 1, &from, &to));
  FAILS(MPI_ERR_DIMS, MPI_Cart_shift(grid, -1, 1, &from, &to));
  there[0] = dims[0];
  there[1] = 0;
  FAILS(MPI_ERR_ARG, MPI_Cart_rank(grid, there, &same));
  FAILS(MPI_ERR_RANK, MPI_Cart_coords(grid, size, 2, there));
  FAILS(MPI_ERR_ARG, MPI_Cart_coords(grid, 0, 1, there));
  FAILS(MPI_ERR_ARG, MPI_Cart_get(grid, 1, got_dims, got_periods, coords));
  FAILS(MPI_ERR_TOPOLOGY, MPI_Graphdims_get(grid, &from, &to));
  FAILS(MPI_ERR_TOPOLOGY, MPI_Cartdim_get(MPI_COMM_WORLD, &n));
  GOOD(MPI_Comm_free(&later));
  GOOD(MPI_Comm_free(&row));
  GOOD(MPI_Comm_free(&column));
  GOOD(MPI_Comm_free(&copy));
  GOOD(MPI_Comm_free(&grid));
}

/* Smaller than the communicator, of no dimension, and what cannot be. */
static void odd_grids(void) {
  MPI_Comm made = MPI_COMM_WORLD;
  int dims[1] = {size > 1 ? size - 1 : 1}, periods[1] = {0}, n, place;
  GOOD(MPI_Cart_map(MPI_COMM_WORLD, 1, dims, periods, &place));
  GOOD(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made));
  CHECK((made == MPI_COMM_NULL) == (rank >= dims[0]) && place == (rank < dims[0] ? rank : MPI_UNDEFINED));
  if (made != MPI_COMM_NULL) {
    GOOD(MPI_Comm_size(made, &n));
    CHECK(n == dims[0]);
    GOOD(MPI_Comm_free(&made));
  }
  GOOD(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &made));
  CHECK((made == MPI_COMM_NULL) == (rank != 0));
  if (made != MPI_COMM_NULL) {
    GOOD(MPI_Comm_free(&made));
  }
  made = MPI_COMM_WORLD;
  dims[0] = size + 1;
  FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made));
  dims[0] = 0;
  FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made));
  FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, -1, dims, periods, 0, &made));
  FAILS(MPI_ERR_ARG, MPI_Cart_create(MPI_COMM_WORLD, 1, NULL, periods, 0, &made));
  const int large[3] = {65536, 65536, 65536}, no[3] = {0, 0, 0};
  FAILS(MPI_ERR_DIMS, MPI_Cart_create(MPI_COMM_WORLD, 3, large, no, 0, &made));
  CHECK(made == MPI_COMM_WORLD);
}

/* A star: rank 0 in the middle. */
static void graphs(void) {
  int ends[64], edges[128], kind;
  for (int k = 0; k < size; ++k) {
    ends[k] = size - 1 + k;
    if (k > 0) {
      edges[k - 1] = k;
      edges[size - 2 + k] = 0;
    }
  }
  MPI_Comm star;
  GOOD(MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 1, &star));
  GOOD(MPI_Topo_test(star, &kind));
  CHECK(kind == MPI_GRAPH);
  int nodes, all, n, got_ends[64], got_edges[128];
  GOOD(MPI_Graphdims_get(star, &nodes, &all));
  CHECK(nodes == size && all == 2 * (size - 1));
  GOOD(MPI_Graph_get(star, 64, 128, got_ends, got_edges));
  CHECK(memcmp(ends, got_ends, (size_t)size * sizeof *ends) == 0);
  CHECK(memcmp(edges, got_edges, (size_t)all * sizeof *edges) == 0);
  for (int k = 0; k < size; ++k) {
    GOOD(MPI_Graph_neighbors_count(star, k, &n));
    CHECK(n == (k == 0 ? size - 1 : 1));
    GOOD(MPI_Graph_neighbors(star, k, 128, got_edges));
    CHECK(n == 0 || got_edges[0] == (k == 0 ? 1 : 0));
  }
  FAILS(MPI_ERR_RANK, MPI_Graph_neighbors_count(star, size, &n));
  if (size > 1) {
    FAILS(MPI_ERR_ARG, MPI_Graph_neighbors(star, 0, 0, got_edges));
    FAILS(MPI_ERR_ARG, MPI_Graph_get(star, size, 1, got_ends, got_edges));
  }
  GOOD(MPI_Comm_free(&star));

  int place;
  ends[0] = 1;
  edges[0] = 0;
  GOOD(MPI_Graph_map(MPI_COMM_WORLD, 1, ends, edges, &place));
  GOOD(MPI_Graph_create(MPI_COMM_WORLD, 1, ends, edges, 0, &star));
  CHECK((star == MPI_COMM_NULL) == (rank > 0) && place == (rank > 0 ? MPI_UNDEFINED : 0));
  if (star != MPI_COMM_NULL) {
    GOOD(MPI_Comm_free(&star));
  }
  GOOD(MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &star));
  CHECK(star == MPI_COMM_NULL);
  edges[0] = 1;
  FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, ends, edges, 0, &star));
  ends[0] = -1;
  FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, 1, ends, edges, 0, &star));
  FAILS(MPI_ERR_ARG, MPI_Graph_create(MPI_COMM_WORLD, size + 1, ends, edges, 0, &star));
}

/* Each rank to those that are 1 and 2 further, told by itself; then all of it by the last rank, with weights. */
static void distributed(void) {
  const int before[2] = {(rank + 2 * size - 1) % size, (rank + 2 * size - 2) % size};
  const int after[2] = {(rank + 1) % size, (rank + 2) % size};
  const int weights[2] = {10 + rank, 20 + rank};
  int in, out, weighted, kind, got_in[2], got_out[2], got_weights[2];
  MPI_Comm graph;
  GOOD(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, before, no_weights, 2, after, no_weights, MPI_INFO_NULL, 0,
                                      &graph));
  GOOD(MPI_Topo_test(graph, &kind));
  CHECK(kind == MPI_DIST_GRAPH);
  GOOD(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  CHECK(in == 2 && out == 2 && weighted == 0);
  GOOD(MPI_Dist_graph_neighbors(graph, 2, got_in, no_weights, 2, got_out, no_weights));
  CHECK(memcmp(got_in, before, sizeof before) == 0 && memcmp(got_out, after, sizeof after) == 0);
  got_in[1] = -7;
  GOOD(MPI_Dist_graph_neighbors(graph, 1, got_in, no_weights, 0, NULL, no_weights));
  CHECK(got_in[0] == before[0] && got_in[1] == -7);
  GOOD(MPI_Comm_free(&graph));

  GOOD(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (const int[]){2}, after, weights, MPI_INFO_NULL, 1, &graph));
  GOOD(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  CHECK(in == 2 && out == 2 && weighted == 1);
  GOOD(MPI_Dist_graph_neighbors(graph, 2, got_in, got_weights, 2, got_out, no_weights));
  for (int k = 0; k < 2; ++k) {
    const int distance = (rank + size - got_in[k]) % size;
    CHECK(distance == 1 % size || distance == 2 % size);
    CHECK(got_weights[k] == 10 + got_in[k] || got_weights[k] == 20 + got_in[k]);
  }
  CHECK(got_weights[0] != got_weights[1]);
  GOOD(MPI_Comm_free(&graph));

  int sources[64], degrees[64], destinations[64];
  const int n = rank == size - 1 ? size : 0;
  for (int k = 0; k < n; ++k) {
    sources[k] = k;
    degrees[k] = k == 0 ? n - 1 : 0;
    destinations[k] = k + 1;
  }
  GOOD(MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations, n > 1 ? destinations : empty,
                             MPI_INFO_NULL, 0, &graph));
  GOOD(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  CHECK(in == (rank > 0) && out == (rank == 0 ? size - 1 : 0) && weighted == 1);
  GOOD(MPI_Comm_free(&graph));

  MPI_Comm none = MPI_COMM_WORLD;
  FAILS(MPI_ERR_RANK, MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &size, no_weights, 0, NULL, no_weights,
                                                     MPI_INFO_NULL, 0, &none));
  FAILS(MPI_ERR_ARG, MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, NULL, no_weights, 0, NULL, no_weights,
                                                    MPI_INFO_NULL, 0, &none));
  FAILS(MPI_ERR_ARG,
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, empty, 0, NULL, empty, MPI_INFO_NULL, 0, &none));
  FAILS(MPI_ERR_ARG,
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (const int[]){-1}, NULL, no_weights, MPI_INFO_NULL, 0, &none));
  FAILS(MPI_ERR_TOPOLOGY, MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &in, &out, &weighted));
}

int main(void) {
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  int kind;
  GOOD(MPI_Topo_test(MPI_COMM_WORLD, &kind));
  CHECK(kind == MPI_UNDEFINED);
  if (rank == 0) {
    dimensions();
  }
  grids();
  odd_grids();
  graphs();
  distributed();
  return end();
}
