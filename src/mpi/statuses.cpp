#include "mpi/statuses.hpp"

namespace weft::mpi {
namespace {

constexpr int kLow = 0;
constexpr int kHigh = 1;
constexpr int kCancelled = 2;

}  // namespace

std::uint64_t bytes_of(const MPI_Status& status) noexcept {
  return static_cast<std::uint32_t>(status.MPI_internal[kLow]) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.MPI_internal[kHigh])) << 32;
}

void set_bytes(MPI_Status& status, std::uint64_t bytes) noexcept {
  status.MPI_internal[kLow] = static_cast<int>(static_cast<std::uint32_t>(bytes));
  status.MPI_internal[kHigh] = static_cast<int>(static_cast<std::uint32_t>(bytes >> 32));
}

bool is_cancelled(const MPI_Status& status) noexcept { return status.MPI_internal[kCancelled] != 0; }

int status_get_error(const MPI_Status* status, int* error) noexcept {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}

int status_get_source(const MPI_Status* status, int* source) noexcept {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}

int status_get_tag(const MPI_Status* status, int* tag) noexcept {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}

int status_set_cancelled(MPI_Status* status, int flag) noexcept {
  status->MPI_internal[kCancelled] = flag != 0 ? 1 : 0;
  return MPI_SUCCESS;
}

int status_set_error(MPI_Status* status, int error) noexcept {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}

int status_set_source(MPI_Status* status, int source) noexcept {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}

int status_set_tag(MPI_Status* status, int tag) noexcept {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}

int test_cancelled(const MPI_Status* status, int* flag) noexcept {
  *flag = is_cancelled(*status) ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
