#include "launch/command/inside.hpp"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace weft::launch::command {
namespace {

// Files are believed in nothing.
constexpr std::size_t kMostSections = 4096;
constexpr std::size_t kLargestTable = std::size_t{256} << 20;

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    const off_t end = fd_ >= 0 ? ::lseek(fd_, 0, SEEK_END) : 0;
    size_ = end > 0 ? static_cast<std::uint64_t>(end) : 0;
  }
  ~File() {
    if (fd_ >= 0) (void)::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Empty: the file has not all of it.
  template <class T>
  std::vector<T> read(std::uint64_t at, std::uint64_t number) const {
    if (at > size_ || number > (size_ - at) / sizeof(T) || number > kLargestTable / sizeof(T)) return {};
    std::vector<T> found(number);
    const std::size_t bytes = number * sizeof(T);
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t got =
          ::pread(fd_, reinterpret_cast<char*>(found.data()) + done, bytes - done, static_cast<off_t>(at + done));
      if (got <= 0) return {};
      done += static_cast<std::size_t>(got);
    }
    return found;
  }

 private:
  int fd_;
  std::uint64_t size_ = 0;
};

struct Names {
  std::vector<Elf64_Sym> symbols;
  std::vector<char> texts;

  bool defines(std::string_view wanted) const {
    const std::string_view all(texts.data(), texts.size());
    // Most programs have no such text at all.
    if (all.find(wanted) == all.npos) return false;
    return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
      if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= all.size()) return false;
      const std::string_view text = all.substr(symbol.st_name);
      return text.starts_with(wanted) && text.size() > wanted.size() && text[wanted.size()] == '\0';
    });
  }
};

Names read_names(const File& file) {
  const std::vector<Elf64_Ehdr> header = file.read<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_shentsize != sizeof(Elf64_Shdr) ||
      header[0].e_shnum > kMostSections) {
    return {};
  }
  const std::vector<Elf64_Shdr> sections = file.read<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  const auto table =
      std::find_if(sections.begin(), sections.end(), [](const Elf64_Shdr& s) { return s.sh_type == SHT_SYMTAB; });
  if (table == sections.end() || table->sh_link >= sections.size()) return {};
  const Elf64_Shdr& texts = sections[table->sh_link];
  return {file.read<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym)),
          file.read<char>(texts.sh_offset, texts.sh_size)};
}

}  // namespace

bool has_openmp_inside(const std::string& path) {
  constexpr std::array<std::string_view, 2> kRegions = {"GOMP_parallel", "__kmpc_fork_call"};
  constexpr std::array<std::string_view, 8> kOthers = {"MPI_Init",         "MPI_Init_thread", "mpi_init_",
                                                       "mpi_init_thread_", "shmem_init",      "shmem_init_thread",
                                                       "start_pes_",       "start_pes"};
  const Names names = read_names(File(path));
  const auto defined = [&](std::string_view name) { return names.defines(name); };
  return std::any_of(kRegions.begin(), kRegions.end(), defined) &&
         std::none_of(kOthers.begin(), kOthers.end(), defined);
}

}  // namespace weft::launch::command
