// What this process has mapped, as the kernel tells it.
#pragma once

#include <cstdint>

namespace weft::os {

struct Mapped {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  char access[5] = {};       // "rw-p": read, write, execute, private or shared
  std::uint64_t offset = 0;  // in the file
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  // 0: no file
  const char* name = "";
  // Where that is asked for:
  std::uint64_t huge_bytes = 0;  // transparent huge pages without a file
  std::uint64_t page_bytes = 0;  // of all others
};

/// All mappings, by address, until it returns false. `huge`: with what they have of huge pages, which takes the kernel
/// a look at each page. False: the kernel does not tell, or not all.
using SeeMapped = bool (*)(void* subject, const Mapped& mapped);
bool each_mapped(bool huge, SeeMapped see, void* subject) noexcept;

/// Of the whole process; all 0 where the kernel does not tell.
struct Status {
  int threads = 0;
  std::uint64_t locked_bytes = 0;
  std::uint64_t pinned_bytes = 0;
};
Status read_status() noexcept;

}  // namespace weft::os
