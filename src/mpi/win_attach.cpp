// Windows: memory that comes to a window later.
#include "mpi/windows.hpp"

namespace weft::mpi {

int win_attach(Win& win, void* base, MPI_Aint size) noexcept {
  if (win.flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise(&win, MPI_ERR_RMA_FLAVOR, "win: was not made by MPI_Win_create_dynamic");
  }
  if (size < 0) {
    return raise(&win, MPI_ERR_SIZE, "size: %lld is negative", static_cast<long long>(size));
  }
  if (size == 0) {
    return MPI_SUCCESS;
  }
  if (base == nullptr) {
    return raise(&win, MPI_ERR_ARG, "base: is null");
  }
  switch (win.window.attach(base, static_cast<std::uint64_t>(size))) {
    case win::Attached::Outcome::kOverlaps:
      return raise(&win, MPI_ERR_RMA_ATTACH, "base: some of the %lld bytes from %p on are attached already",
                   static_cast<long long>(size), base);
    case win::Attached::Outcome::kNoMemory:
      return raise(&win, MPI_ERR_NO_MEM, "base: there is no memory to tell the others of it");
    default: return MPI_SUCCESS;
  }
}

int win_detach(Win& win, const void* base) noexcept {
  if (win.flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    return raise(&win, MPI_ERR_RMA_FLAVOR, "win: was not made by MPI_Win_create_dynamic");
  }
  return win.window.detach(base) == win::Attached::Outcome::kDone
             ? MPI_SUCCESS
             : raise(&win, MPI_ERR_BASE, "base: no memory that was attached begins at %p", base);
}

}  // namespace weft::mpi
