#include "mpi/abi.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>

#include "mpi/errors.hpp"

namespace weft::mpi {
namespace {

constexpr int kLargestLogical = 16;

/// What .TRUE. and .FALSE. are, by the size of a LOGICAL: 1, 2, 4, 8, 16 bytes.
struct Booleans {
  bool set = false;
  std::array<std::byte, kLargestLogical> is_true{};
  std::array<std::byte, kLargestLogical> is_false{};
};

struct Fortran {
  std::mutex mutex;
  std::array<Booleans, 5> booleans;
  Info* info = nullptr;  // null: nobody has told
};
Fortran& fortran() noexcept {
  static Fortran& made = *new Fortran;
  return made;
}

bool is_logical_size(int size) noexcept {
  return size > 0 && size <= kLargestLogical && std::has_single_bit(static_cast<unsigned>(size));
}

Booleans& booleans_of(int size) noexcept {
  return fortran().booleans[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(size)))];
}

int raise_size(int size) noexcept { return raise(nullptr, MPI_ERR_ARG, "logical_size: no LOGICAL has %d bytes", size); }

int raise_null(const void* is_true) noexcept {
  return raise(nullptr, MPI_ERR_ARG, "%s: is null", is_true == nullptr ? "logical_true" : "logical_false");
}

}  // namespace

int abi_get_version(int* abi_major, int* abi_minor) noexcept {
  *abi_major = MPI_ABI_VERSION;
  *abi_minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

int abi_get_info(MPI_Info* info) noexcept {
  auto* const made = new (std::nothrow) Info;
  if (made != nullptr) {
    made->set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)).c_str());
    made->set("mpi_count_size", std::to_string(sizeof(MPI_Count)).c_str());
    made->set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)).c_str());
  }
  return give_info(made, info);
}

int abi_get_fortran_info(MPI_Info* info) noexcept {
  Info* made = nullptr;
  {
    const std::scoped_lock lock(fortran().mutex);
    if (fortran().info == nullptr) {
      *info = MPI_INFO_NULL;
      return MPI_SUCCESS;
    }
    made = new (std::nothrow) Info;
    if (made != nullptr) {
      made->pairs = fortran().info->pairs;
    }
  }
  return give_info(made, info);
}

int abi_set_fortran_info(const Info* info) noexcept {
  bool again = false;
  {
    const std::scoped_lock lock(fortran().mutex);
    again = fortran().info != nullptr;
    if (!again && info != nullptr) {
      fortran().info = new Info;
      fortran().info->pairs = info->pairs;
    }
  }
  return again ? raise(nullptr, MPI_ERR_ABI, "info: what Fortran is was told before") : MPI_SUCCESS;
}

int abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false) noexcept {
  if (!is_logical_size(logical_size)) {
    return raise_size(logical_size);
  }
  if (logical_true == nullptr || logical_false == nullptr) {
    return raise_null(logical_true);
  }
  const auto bytes = static_cast<std::size_t>(logical_size);
  bool again = false;
  {
    const std::scoped_lock lock(fortran().mutex);
    Booleans& of = booleans_of(logical_size);
    again = of.set;
    if (!again) {
      std::memcpy(of.is_true.data(), logical_true, bytes);
      std::memcpy(of.is_false.data(), logical_false, bytes);
      of.set = true;
    }
  }
  return again
             ? raise(nullptr, MPI_ERR_ABI, "logical_size: what LOGICALs of %d bytes are was told before", logical_size)
             : MPI_SUCCESS;
}

int abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, int* is_set) noexcept {
  if (!is_logical_size(logical_size)) {
    return raise_size(logical_size);
  }
  if (logical_true == nullptr || logical_false == nullptr) {
    return raise_null(logical_true);
  }
  const auto bytes = static_cast<std::size_t>(logical_size);
  const std::scoped_lock lock(fortran().mutex);
  const Booleans& of = booleans_of(logical_size);
  *is_set = of.set ? 1 : 0;
  if (of.set) {
    std::memcpy(logical_true, of.is_true.data(), bytes);
    std::memcpy(logical_false, of.is_false.data(), bytes);
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
