#include <algorithm>
#include <cstdint>

#include "mpi/topo_give.hpp"

namespace weft::mpi {
namespace {

// The place of a rank among those of a grid.
void coords_of(const Topology& grid, int rank, int* coords) noexcept {
  for (std::size_t k = grid.dims.size(); k-- > 0;) {
    coords[k] = rank % grid.dims[k];
    rank /= grid.dims[k];
  }
}

// In a dimension that is a ring any number is a place.
int around(std::int64_t at, int size) noexcept {
  const std::int64_t rest = at % size;
  return static_cast<int>(rest < 0 ? rest + size : rest);
}

// How many ranks a grid takes; 0: *code is what the call returns. A grid of no dimension is one rank.
int size_of(Comm& comm, int ndims, const int* dims, const int* periods, int* code) noexcept {
  if (ndims < 0) {
    *code = raise(&comm, MPI_ERR_DIMS, "ndims: %d is negative", ndims);
    return 0;
  }
  *code = check_numbers(comm, "dims", dims, ndims);
  if (*code == MPI_SUCCESS) {
    *code = check_numbers(comm, "periods", periods, ndims);
  }
  if (*code != MPI_SUCCESS) {
    return 0;
  }
  std::int64_t size = 1;
  for (int k = 0; k < ndims; ++k) {
    if (dims[k] <= 0) {
      *code = raise(&comm, MPI_ERR_DIMS, "dims: its dimension %d is %d", k, dims[k]);
      return 0;
    }
    size *= dims[k];
    if (size > comm.members.size) {
      *code = raise(&comm, MPI_ERR_DIMS, "dims: the grid takes more than the %d ranks of the communicator",
                    comm.members.size);
      return 0;
    }
  }
  return static_cast<int>(size);
}

}  // namespace

// Ranks keep their numbers, as those of a machine stand side by side, and so do the rows of a grid.
int cart_create(Comm& comm_old, int ndims, const int* dims, const int* periods, int /*reorder*/,
                MPI_Comm* comm_cart) noexcept {
  int code = check_is_intra(comm_old, "comm_old");
  const int size = code == MPI_SUCCESS ? size_of(comm_old, ndims, dims, periods, &code) : 0;
  if (size == 0) {
    return code;
  }
  Topology grid;
  grid.kind = MPI_CART;
  grid.dims.assign(dims, dims + ndims);
  for (int k = 0; k < ndims; ++k) {
    grid.periods.push_back(periods[k] != 0 ? 1 : 0);
  }
  return give_topology(comm_old, size, std::move(grid), nullptr, comm_cart);
}

int cart_map(Comm& comm, int ndims, const int* dims, const int* periods, int* newrank) noexcept {
  int code = check_is_intra(comm, "comm");
  const int size = code == MPI_SUCCESS ? size_of(comm, ndims, dims, periods, &code) : 0;
  if (size != 0) {
    *newrank = comm.rank < size ? comm.rank : MPI_UNDEFINED;
  }
  return code;
}

int cartdim_get(Comm& comm, int* ndims) noexcept {
  int code = MPI_SUCCESS;
  if (const Topology* const grid = topology_of(comm, MPI_CART, &code); grid != nullptr) {
    *ndims = static_cast<int>(grid->dims.size());
  }
  return code;
}

int cart_get(Comm& comm, int maxdims, int* dims, int* periods, int* coords) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const grid = topology_of(comm, MPI_CART, &code);
  if (grid == nullptr) {
    return code;
  }
  const std::size_t n = grid->dims.size();
  for (const auto& [name, array] :
       {std::pair<const char*, const int*>{"dims", dims}, {"periods", periods}, {"coords", coords}}) {
    if (code = check_numbers(comm, name, array, static_cast<int>(n)); code != MPI_SUCCESS) {
      return code;
    }
  }
  if (code = check_room(comm, "maxdims", maxdims, n); code != MPI_SUCCESS) {
    return code;
  }
  std::copy(grid->dims.begin(), grid->dims.end(), dims);
  std::copy(grid->periods.begin(), grid->periods.end(), periods);
  coords_of(*grid, comm.rank, coords);
  return MPI_SUCCESS;
}

int cart_coords(Comm& comm, int rank, int maxdims, int* coords) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const grid = topology_of(comm, MPI_CART, &code);
  if (grid == nullptr) {
    return code;
  }
  if (code = check_rank(comm, "rank", rank, comm.members.size); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_room(comm, "maxdims", maxdims, grid->dims.size()); code != MPI_SUCCESS) {
    return code;
  }
  if (code = check_numbers(comm, "coords", coords, static_cast<int>(grid->dims.size())); code != MPI_SUCCESS) {
    return code;
  }
  coords_of(*grid, rank, coords);
  return MPI_SUCCESS;
}

int cart_rank(Comm& comm, const int* coords, int* rank) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const grid = topology_of(comm, MPI_CART, &code);
  if (grid == nullptr) {
    return code;
  }
  if (code = check_numbers(comm, "coords", coords, static_cast<int>(grid->dims.size())); code != MPI_SUCCESS) {
    return code;
  }
  int found = 0;
  for (std::size_t k = 0; k < grid->dims.size(); ++k) {
    const int size = grid->dims[k];
    if (grid->periods[k] == 0 && (coords[k] < 0 || coords[k] >= size)) {
      return raise(&comm, MPI_ERR_ARG,
                   "coords: its number %d, %d, is not below the %d of that dimension, which is no ring",
                   static_cast<int>(k), coords[k], size);
    }
    found = found * size + around(coords[k], size);
  }
  *rank = found;
  return MPI_SUCCESS;
}

int cart_shift(Comm& comm, int direction, int disp, int* rank_source, int* rank_dest) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const grid = topology_of(comm, MPI_CART, &code);
  if (grid == nullptr) {
    return code;
  }
  if (direction < 0 || static_cast<std::size_t>(direction) >= grid->dims.size()) {
    return raise(&comm, MPI_ERR_DIMS, "direction: %d is none of the %zu dimensions", direction, grid->dims.size());
  }
  const auto d = static_cast<std::size_t>(direction);
  int stride = 1;
  for (std::size_t k = d + 1; k < grid->dims.size(); ++k) {
    stride *= grid->dims[k];
  }
  const int size = grid->dims[d];
  const int here = comm.rank / stride % size;
  const auto neighbour = [&](std::int64_t by) {
    const std::int64_t there = here + by;
    return grid->periods[d] == 0 && (there < 0 || there >= size) ? MPI_PROC_NULL
                                                                 : comm.rank + (around(there, size) - here) * stride;
  };
  *rank_source = neighbour(-std::int64_t{disp});
  *rank_dest = neighbour(disp);
  return MPI_SUCCESS;
}

int cart_sub(Comm& comm, const int* remain_dims, MPI_Comm* newcomm) noexcept {
  int code = MPI_SUCCESS;
  const Topology* const grid = topology_of(comm, MPI_CART, &code);
  if (grid == nullptr) {
    return code;
  }
  const std::size_t n = grid->dims.size();
  if (code = check_numbers(comm, "remain_dims", remain_dims, static_cast<int>(n)); code != MPI_SUCCESS) {
    return code;
  }
  std::vector<int> coords(n);
  coords_of(*grid, comm.rank, coords.data());
  Topology part;
  part.kind = MPI_CART;
  int color = 0;  // the place in the dimensions that go, and in those that stay
  int key = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const bool stays = remain_dims[k] != 0;
    int& place = stays ? key : color;
    place = place * grid->dims[k] + coords[k];
    if (stays) {
      part.dims.push_back(grid->dims[k]);
      part.periods.push_back(grid->periods[k]);
    }
  }
  return give_topology_by(comm, {color, key}, std::move(part), nullptr, newcomm);
}

int topo_test(const Comm& comm, int* status) noexcept {
  *status = comm.topology == nullptr ? MPI_UNDEFINED : comm.topology->kind;
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
