#include "profile/program_site.hpp"

#include <link.h>

#include <cstdint>
#include <cstring>

#include "interpose/library.hpp"
#include "interpose/site.hpp"

namespace weft::profile {
namespace {

struct Range {
  std::uintptr_t lo = 0;
  std::uintptr_t bytes = 0;
  bool holds(const void* address) const { return reinterpret_cast<std::uintptr_t>(address) - lo < bytes; }
};

// The old interface notes its callers. The module's procedures are Fortran, and their callers are found on the stack.
constinit Range g_interface;
constinit Range g_module;

Range range_of(const dl_phdr_info& info) noexcept {
  std::uintptr_t hi = 0;
  for (int k = 0; k < info.dlpi_phnum; ++k) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[k];
    if (segment.p_type == PT_LOAD) {
      hi = segment.p_vaddr + segment.p_memsz;  // they come in ascending order
    }
  }
  return {info.dlpi_addr, hi};
}

int look(dl_phdr_info* info, std::size_t /*size*/, void* /*unused*/) noexcept {
  const char* slash = std::strrchr(info->dlpi_name, '/');
  if (slash != nullptr && std::strncmp(slash, "/libweft_fortran.so", 19) == 0) {
    g_interface = range_of(*info);
  } else if (slash != nullptr && std::strncmp(slash, "/libweft_fortran_module.so", 26) == 0) {
    g_module = range_of(*info);
  }
  return 0;
}

}  // namespace

void find_fortran() noexcept { (void)::dl_iterate_phdr(look, nullptr); }

const void* place_in_program(const void* return_address) noexcept {
  if (g_interface.holds(return_address)) {
    const void* site = interpose::library().caller_site();
    return site != nullptr ? site : return_address;
  }
  return g_module.holds(return_address) ? interpose::program_site(return_address) : return_address;
}

}  // namespace weft::profile
