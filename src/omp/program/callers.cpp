#include "omp/program/callers.hpp"

#include <link.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::omp::program {
namespace {

struct Range {
  std::uintptr_t lo;
  std::uintptr_t hi;
};
// Written before threads are there.
constinit std::array<Range, 64> g_code{};
constinit int g_ranges = 0;
constinit bool g_with_openmp = false;

// What runs a process, and not the program in it. libstdc++ and libgfortran are the program's: they give it strings,
// exceptions, arrays; and what the OpenMP library knows of a team is the team's, in all processes of one memory.
constexpr std::array<std::string_view, 13> kPrivate = {"ld-linux",   "ld64.so", "ld-2",   "libc.so", "libc-2",
                                                       "libpthread", "libdl.",  "librt.", "libm.so", "libmvec",
                                                       "libgcc_s",   "libweft", "libnss"};
constexpr std::string_view kOpenMp = "libweft_omp";

int look_at(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  const std::string_view path = object->dlpi_name != nullptr ? object->dlpi_name : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  bool is_private = false;
  for (const std::string_view each : kPrivate) {
    is_private = is_private || (name.starts_with(each) && (g_with_openmp || !name.starts_with(kOpenMp)));
  }
  for (int k = 0; is_private && k < object->dlpi_phnum; ++k) {
    const auto& segment = object->dlpi_phdr[k];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && g_ranges < static_cast<int>(g_code.size())) {
      const std::uintptr_t lo = object->dlpi_addr + segment.p_vaddr;
      g_code[static_cast<std::size_t>(g_ranges++)] = {lo, lo + segment.p_memsz};
    }
  }
  return 0;
}

}  // namespace

void find_private_code(bool with_openmp) noexcept {
  g_with_openmp = with_openmp;
  g_ranges = 0;
  (void)::dl_iterate_phdr(look_at, nullptr);
}

bool is_private_code(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (int k = 0; k < g_ranges; ++k) {
    const Range& range = g_code[static_cast<std::size_t>(k)];
    if (at >= range.lo && at < range.hi) {
      return true;
    }
  }
  return false;
}

}  // namespace weft::omp::program
