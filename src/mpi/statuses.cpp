#include "mpi/statuses.hpp"

#include <climits>

#include "mpi/errors.hpp"
#include "type/elements.hpp"

namespace weft::mpi {
namespace {

constexpr int kLow = 0;
constexpr int kHigh = 1;
constexpr int kCancelled = 2;

int fitting(MPI_Count count) noexcept { return count <= INT_MAX ? static_cast<int>(count) : MPI_UNDEFINED; }

MPI_Count count_in(const MPI_Status& status, const Datatype& datatype) noexcept {
  const auto bytes = static_cast<MPI_Count>(bytes_of(status));
  const MPI_Count size = datatype.type->size();
  if (size == 0) {
    return bytes == 0 ? 0 : MPI_Count{MPI_UNDEFINED};
  }
  return bytes % size == 0 ? bytes / size : MPI_Count{MPI_UNDEFINED};
}

MPI_Count elements_in(const MPI_Status& status, const Datatype& datatype) noexcept {
  const auto bytes = static_cast<MPI_Count>(bytes_of(status));
  return type::elements_in(*datatype.type, bytes).value_or(MPI_UNDEFINED);
}

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

int get_count(const MPI_Status* status, const Datatype& datatype, int* count) noexcept {
  *count = fitting(count_in(*status, datatype));
  return MPI_SUCCESS;
}

int get_count(const MPI_Status* status, const Datatype& datatype, MPI_Count* count) noexcept {
  *count = count_in(*status, datatype);
  return MPI_SUCCESS;
}

int get_elements(const MPI_Status* status, const Datatype& datatype, int* count) noexcept {
  *count = fitting(elements_in(*status, datatype));
  return MPI_SUCCESS;
}

int get_elements(const MPI_Status* status, const Datatype& datatype, MPI_Count* count) noexcept {
  *count = elements_in(*status, datatype);
  return MPI_SUCCESS;
}

int status_set_elements(MPI_Status* status, const Datatype& datatype, MPI_Count count) noexcept {
  const type::Datatype& of = *datatype.type;
  if (of.elements() == 0 || of.size() % of.elements() != 0 || of.uniform() == nullptr) {
    MPI_Count bytes = 0;
    // Elements of several sizes: as many bytes as whole datatypes have.
    if (of.elements() == 0 || count % of.elements() != 0 ||
        __builtin_mul_overflow(count / of.elements(), of.size(), &bytes)) {
      return raise(nullptr, MPI_ERR_COUNT, "count: %lld elements are no whole number of such datatypes",
                   static_cast<long long>(count));
    }
    set_bytes(*status, static_cast<std::uint64_t>(bytes));
    return MPI_SUCCESS;
  }
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(count, of.size() / of.elements(), &bytes)) {
    return raise(nullptr, MPI_ERR_COUNT, "count: %lld elements do not fit", static_cast<long long>(count));
  }
  set_bytes(*status, static_cast<std::uint64_t>(bytes));
  return MPI_SUCCESS;
}

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
