#include "profile/modules.hpp"

#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace weft::profile {
namespace {

struct Search {
  std::uint64_t address;
  std::uint64_t base;
  char path[sizeof(Module::path)];
  bool found;
};

int look(dl_phdr_info* info, std::size_t /*size*/, void* into) noexcept {
  auto* search = static_cast<Search*>(into);
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[k];
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search->address - begin < segment.p_memsz) {
      search->base = info->dlpi_addr;
      (void)std::snprintf(search->path, sizeof search->path, "%s", info->dlpi_name);
      search->found = true;
      return 1;
    }
  }
  return 0;
}

}  // namespace

Place find_place(Header& header, std::uint64_t return_address) noexcept {
  // One back is inside the call; behind it another line may begin.
  Search search{return_address - 1, 0, "", false};
  (void)::dl_iterate_phdr(look, &search);
  if (!search.found) {
    return {};
  }
  const Place place{0, search.address - search.base};
  for (std::uint16_t number = 0; number < header.n_modules; ++number) {
    if (header.modules[number].base == search.base) {
      return {number, place.offset};
    }
  }
  if (header.n_modules == kModules) {
    return {kNoModule, place.offset};
  }
  Module& added = header.modules[header.n_modules];
  added.base = search.base;
  std::memcpy(added.path, search.path, sizeof added.path);
  if (added.path[0] == '\0') {  // the program itself
    const ssize_t length = ::readlink("/proc/self/exe", added.path, sizeof added.path - 1);
    added.path[length > 0 ? length : 0] = '\0';
  }
  return {header.n_modules++, place.offset};
}

}  // namespace weft::profile
