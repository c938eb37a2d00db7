#include "omp/program/statics.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/windows.hpp"
#include "os/executable.hpp"
#include "os/mapping.hpp"

namespace weft::omp::program {
namespace {

constexpr int kMostParts = os::Executable::kMaxWritable + 4;
// The library that runs regions: what it knows of them is the program's, in all processes. By its file's name, as it
// may be loaded by that of the compiler's.
constexpr std::string_view kOpenMp = "libweft_omp.so";
constexpr std::string_view kNames = "/weft/openmp";  // the folder of its other names
// Of the wrappers' linker script. What is not in them stays private: the C library's start-up code, and the copies of
// libraries' variables.
constexpr std::array<std::string_view, 2> kSections = {".weft_data", ".weft_bss"};

struct Part {
  std::uintptr_t lo;
  std::uintptr_t hi;
};

// What the processes must agree on; in shared memory.
struct Facts {
  std::uint64_t program;
  std::uintptr_t bias;
  std::uintptr_t libc;
  std::uintptr_t own;
  std::uint64_t libraries;  // where all of them lie
  std::uintptr_t dynamic;   // the program's section that the dynamic linker reads
  bool compilers;           // OpenMP library is loaded too
  bool one_memory;
  int parts;
  Part part[kMostParts];
  void* contents[kMostParts];
};

// Written before threads are there.
constinit int g_parts = 0;
constinit std::array<Part, kMostParts> g_part{};

// The file is the running program's own, but no number of it is believed.
int find_sections(std::uintptr_t bias, Part* parts) noexcept {
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return 0;
  }
  int found = 0;
  Elf64_Ehdr header{};
  Elf64_Shdr names{};
  const auto read_at = [fd](std::uint64_t at, void* to, std::size_t bytes) noexcept {
    return at < std::uint64_t{1} << 48 && ::pread(fd, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  };
  if (read_at(0, &header, sizeof header) && header.e_shentsize == sizeof(Elf64_Shdr) &&
      read_at(header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof names, &names, sizeof names)) {
    for (unsigned k = 0; k < header.e_shnum && found < kMostParts; ++k) {
      Elf64_Shdr section{};
      char name[16] = {};
      if (!read_at(header.e_shoff + std::uint64_t{k} * sizeof section, &section, sizeof section) ||
          !read_at(names.sh_offset + section.sh_name, name, sizeof name - 1)) {
        continue;
      }
      const bool is_wanted = std::find(kSections.begin(), kSections.end(), std::string_view(name)) != kSections.end();
      if (is_wanted && section.sh_size > 0 && (section.sh_addr | section.sh_size) % os::kPage == 0) {
        parts[found++] = {bias + section.sh_addr, bias + section.sh_addr + section.sh_size};
      }
    }
  }
  (void)::close(fd);
  return found;
}

// Its writable pages, less what the dynamic linker has made read-only again.
int look_at(dl_phdr_info* object, std::size_t /*size*/, void* into) {
  Facts& facts = *static_cast<Facts*>(into);
  char path[PATH_MAX];
  for (int k = 0; object->dlpi_name != nullptr && object->dlpi_name[0] == '\0' && k < object->dlpi_phnum; ++k) {
    const auto& segment = object->dlpi_phdr[k];
    facts.dynamic = segment.p_type == PT_DYNAMIC ? object->dlpi_addr + segment.p_vaddr : facts.dynamic;
  }
  if (object->dlpi_name == nullptr || object->dlpi_name[0] == '\0' || ::realpath(object->dlpi_name, path) == nullptr) {
    return 0;
  }
  const std::string_view name = std::string_view(path).substr(std::string_view(path).rfind('/') + 1);
  // The system's own, which lies anywhere, has a name without a folder, and no file.
  facts.libraries = (facts.libraries ^ object->dlpi_addr) * 0x9e3779b97f4a7c15U;
  if (!name.starts_with(kOpenMp)) {
    // Where no links can be, in a Python wheel, a library of the compiler's name stands for the link and loads ours.
    const bool is_link = std::string_view(path).substr(0, std::string_view(path).rfind('/')).ends_with(kNames);
    facts.compilers =
        facts.compilers || (!is_link && (name.starts_with("libgomp.so") || name.starts_with("libomp.so")));
    return 0;
  }
  if (!facts.one_memory) {
    return 0;
  }
  std::uintptr_t constant_end = 0;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const auto& segment = object->dlpi_phdr[k];
    if (segment.p_type == PT_GNU_RELRO) {
      constant_end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    }
  }
  for (int k = 0; k < object->dlpi_phnum && facts.parts < kMostParts; ++k) {
    const auto& segment = object->dlpi_phdr[k];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) {
      continue;
    }
    std::uintptr_t lo = object->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t hi = os::round_up(lo + segment.p_memsz, os::kPage);
    if (constant_end > lo && constant_end <= hi) {
      lo = constant_end;
    }
    lo = os::round_down(lo, os::kPage);
    if (lo < hi) {
      facts.part[facts.parts++] = {lo, hi};
    }
  }
  return 0;
}

Facts facts_here(bool one_memory) noexcept {
  const os::Executable exe = os::find_executable();
  Facts facts{};
  facts.one_memory = one_memory;
  facts.program = os::program_identity();
  facts.bias = exe.bias;
  facts.libc = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_NEXT, "puts"));
  facts.own = reinterpret_cast<std::uintptr_t>(&share_statics);
  facts.parts = find_sections(exe.bias, facts.part);
  if (facts.parts == 0) {
    for (int k = 0; k < exe.n_writable; ++k) {
      // Less what the dynamic linker has made read-only again, and reads in the middle of things.
      const std::uintptr_t lo = std::max(os::round_down(exe.writable[k].lo, os::kPage), exe.data_lo);
      if (lo < exe.writable[k].hi) {
        facts.part[facts.parts++] = {lo, os::round_up(exe.writable[k].hi, os::kPage)};
      }
    }
  }
  (void)::dl_iterate_phdr(look_at, &facts);
  return facts;
}

base::Result<void> compare(const Facts& own, const Facts& first) noexcept {
  if (own.compilers) {
    return base::Error::make(
        "the program has loaded the compiler's own OpenMP library, by an RPATH or as a second one, and it knows of one "
        "process only; take the RPATH out (chrpath -d) or link without it");
  }
  if (own.program != first.program) {
    return base::Error::make("this process runs another program than process 0; an OpenMP program is one file");
  }
  if (own.bias != first.bias || own.libc != first.libc || own.own != first.own || own.libraries != first.libraries) {
    return base::Error::make(
        "the program or its libraries lie at other addresses than in process 0; allow personality(ADDR_NO_RANDOMIZE), "
        "which containers may forbid, or set kernel.randomize_va_space=0, and have the same libraries on all machines");
  }
  for (int k = 0; !own.one_memory && k < own.parts; ++k) {
    if (own.dynamic >= own.part[k].lo && own.dynamic < own.part[k].hi) {
      return base::Error::make(
          "the program is linked without RELRO (-z norelro), and what the dynamic linker reads would lie in shared "
          "pages; link it without that option");
    }
  }
  const bool same = own.parts == first.parts && own.parts <= kMostParts &&
                    std::memcmp(own.part, first.part, static_cast<std::size_t>(own.parts) * sizeof(Part)) == 0;
  return same ? base::Result<void>() : base::Error::make("the program's data lies elsewhere than in process 0");
}

// Contents of process 0, before anybody maps them.
base::Result<Facts*> make_contents(const Facts& own) noexcept {
  auto* const facts = static_cast<Facts*>(dsm::allocate(sizeof(Facts), os::kPage));
  if (facts == nullptr) {
    return base::Error::make("no shared memory for the program's data; raise WEFT_SHARED_SIZE");
  }
  *facts = own;
  for (int k = 0; k < own.parts; ++k) {
    const std::size_t bytes = own.part[k].hi - own.part[k].lo;
    facts->contents[k] = dsm::allocate(bytes, os::kPage);
    if (facts->contents[k] == nullptr) {
      return base::Error::make("no shared memory for %zu MiB of the program's data; raise WEFT_SHARED_SIZE",
                               bytes >> 20);
    }
    // Page by page: what is zero takes no memory.
    static constexpr std::array<char, os::kPage> kZeros{};
    for (std::size_t at = 0; at < bytes; at += os::kPage) {
      const char* const page = reinterpret_cast<const char*>(own.part[k].lo) + at;
      if (std::memcmp(page, kZeros.data(), os::kPage) != 0) {
        std::memcpy(static_cast<char*>(facts->contents[k]) + at, page, os::kPage);
      }
    }
  }
  return facts;
}

// The streams of C++ are the process's own, and what prepares them is the executable's constructors, which only process
// 0 runs. Before the data is shared: where the streams are copies in it, they are those of process 0.
void prepare_streams() noexcept {
  using Prepare = void(void*);
  if (auto* const prepare = reinterpret_cast<Prepare*>(::dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev"))) {
    static constinit std::uint64_t object = 0;
    prepare(&object);
  }
}

}  // namespace

base::Result<void> share_statics(int process, bool one_memory) noexcept {
  const Facts own = facts_here(one_memory);
  base::Result<Facts*> made = static_cast<Facts*>(nullptr);
  if (process == 0) {
    made = make_contents(own);
  } else {
    prepare_streams();
  }
  const auto* const first = static_cast<const Facts*>(dsm::from(0, made ? *made : nullptr));
  if (first == nullptr) {
    return made ? base::Error::make("process 0 has no room for the program's data") : made.error();
  }
  if (const auto same = compare(own, *first); !same) {
    return same;
  }
  for (int k = 0; k < own.parts; ++k) {
    const std::size_t bytes = own.part[k].hi - own.part[k].lo;
    if (const auto added = dsm::add_window(reinterpret_cast<void*>(own.part[k].lo), first->contents[k], bytes);
        !added) {
      return added;
    }
    g_part[static_cast<std::size_t>(g_parts++)] = own.part[k];
  }
  dsm::barrier();
  return {};
}

bool is_shared_static(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (int k = 0; k < g_parts; ++k) {
    const Part& part = g_part[static_cast<std::size_t>(k)];
    if (at >= part.lo && at < part.hi) {
      return true;
    }
  }
  return false;
}

bool each_shared_static(bool (*call)(std::uintptr_t from, std::uintptr_t to) noexcept) noexcept {
  return std::all_of(g_part.begin(), g_part.begin() + g_parts,
                     [call](const Part& part) { return call(part.lo, part.hi); });
}

}  // namespace weft::omp::program
