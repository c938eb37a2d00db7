#include "os/executable.hpp"

#include <link.h>
#include <sys/stat.h>

#include <algorithm>

#include "os/mapping.hpp"

namespace weft::os {
namespace {

// The first object dl_iterate_phdr reports is the main program; returning 1 stops there.
int read_main_program(dl_phdr_info* info, std::size_t /*size*/, void* result) {
  auto& exe = *static_cast<Executable*>(result);
  std::uintptr_t lowest = UINTPTR_MAX;
  std::uintptr_t highest = 0;
  std::uintptr_t data_lo = UINTPTR_MAX;
  std::uintptr_t data_hi = 0;
  std::uintptr_t relro_lo = 0;
  std::uintptr_t relro_hi = 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)& header = info->dlpi_phdr[k];
    const std::uintptr_t from = info->dlpi_addr + header.p_vaddr;
    const std::uintptr_t to = from + header.p_memsz;
    if (header.p_type == PT_GNU_RELRO) {
      relro_lo = round_down(from, kPage);
      // Rounded as the dynamic linker rounds it before mprotect: a page it left writable holds our data.
      relro_hi = round_down(to, kPage);
    }
    if (header.p_type != PT_LOAD) {
      continue;
    }
    lowest = std::min(lowest, from);
    highest = std::max(highest, to);
    if ((header.p_flags & PF_W) != 0) {
      data_lo = std::min(data_lo, from);
      data_hi = std::max(data_hi, to);
      if (exe.n_writable < Executable::kMaxWritable) {
        exe.writable[exe.n_writable] = {round_down(from, kPage), round_up(to, kPage)};
      }
      ++exe.n_writable;  // counts on, so that one too many is noticed
    }
  }
  if (data_hi == 0) {
    return 1;
  }
  exe.bias = info->dlpi_addr;
  exe.lowest = round_down(lowest, kPage);
  exe.highest = round_up(highest, kPage);
  exe.data_lo = round_down(data_lo, kPage);
  exe.data_hi = round_up(data_hi, kPage);
  if (relro_hi > exe.data_lo && relro_lo <= exe.data_lo) {
    exe.data_lo = relro_hi;
  }
  return 1;
}

}  // namespace

Executable find_executable() noexcept {
  Executable exe;
  ::dl_iterate_phdr(read_main_program, &exe);
  return exe;
}

// The file's number and its file system's, mixed so that neither hides the other.
std::uint64_t program_identity() noexcept {
  struct stat file {};
  if (::stat("/proc/self/exe", &file) != 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(file.st_ino) ^ (static_cast<std::uint64_t>(file.st_dev) << 40);
}

}  // namespace weft::os
