#include "omp/program/apart.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/lines.hpp"
#include "os/mapping.hpp"
#include "os/mappings.hpp"

namespace weft::omp::program {
namespace {

// Of 128 TiB that a process has; the shared memory is far below (dsm/start.cpp).
constexpr std::uint64_t kForAll = std::uint64_t{16} << 40;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;  // between two libraries there is less
constexpr std::uint64_t kForEach = std::uint64_t{1} << 40;

// Small mappings would go between those that there are from `from` on. Above them is what the stack may grow into; and
// where the system fills addresses upwards (`ulimit -s unlimited`), all that is still free.
void fill_gaps(std::uintptr_t from) noexcept {
  const auto fill = [](void* subject, const os::Mapped& mapped) {
    std::uintptr_t& before = *static_cast<std::uintptr_t*>(subject);
    if (mapped.hi <= before) {
      return true;
    }
    if (std::string_view(mapped.name) == "[stack]") {
      return false;
    }
    if (mapped.lo > before && mapped.lo - before < kLargest) {
      (void)os::reserve_at(before, mapped.lo - before);
    }
    before = mapped.hi;
    return true;
  };
  (void)os::each_mapped(false, fill, &from);
}

}  // namespace

void keep_private_memory_apart(int process, int processes) noexcept {
  if (process == 0) {
    return;
  }
  const std::uint64_t each = std::min(kForEach, kForAll / static_cast<std::uint64_t>(processes)) & ~(os::kPage - 1);
  // The system fills addresses in one direction, so what is mapped from now on lies behind this.
  if (const auto taken = os::reserve(each * static_cast<std::uint64_t>(process)); taken) {
    os::leave_out_of_core(*taken, each * static_cast<std::uint64_t>(process));
    fill_gaps(*taken);
  } else {
    base::debug("OpenMP: private memory of processes lies at the same addresses: %s", taken.error().text());
  }
  // The C library's heap grows from the program's end, which is the same in all: with something in its way it goes on
  // among the mappings.
  (void)os::reserve_at(os::round_up(reinterpret_cast<std::uintptr_t>(::sbrk(0)), os::kPage), os::kPage);
}

}  // namespace weft::omp::program
