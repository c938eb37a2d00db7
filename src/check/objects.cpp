#include "check/objects.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/demangle.hpp"
#include "interpose/site.hpp"

namespace weft::check {
namespace {

struct Symbol {
  std::uintptr_t lo;
  std::uintptr_t hi;
  std::string name;
};

// The executable's file, for as long as it is read.
class File {
 public:
  File() {
    const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (fd >= 0 && ::fstat(fd, &status) == 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      void* at = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
      at_ = at == MAP_FAILED ? nullptr : static_cast<const char*>(at);
    }
    if (fd >= 0) {
      ::close(fd);
    }
  }
  ~File() {
    if (at_ != nullptr) {
      ::munmap(const_cast<char*>(at_), bytes_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Null where the file does not reach that far.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t number = 1) const noexcept {
    return at_ == nullptr || offset > bytes_ || number > (bytes_ - offset) / sizeof(T)
               ? nullptr
               : reinterpret_cast<const T*>(at_ + offset);
  }

 private:
  const char* at_ = nullptr;
  std::size_t bytes_ = 0;
};

void add_symbols(const File& file, const Elf64_Shdr& table, const Elf64_Shdr& names, std::vector<Symbol>* into) {
  const std::uint64_t number = table.sh_size / sizeof(Elf64_Sym);
  const auto* symbols = file.at<Elf64_Sym>(table.sh_offset, number);
  const char* text = file.at<char>(names.sh_offset, names.sh_size);
  if (symbols == nullptr || text == nullptr) {
    return;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(interpose::site_at(0));
  for (std::uint64_t k = 0; k < number; ++k) {
    const Elf64_Sym& symbol = symbols[k];
    if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size > 0 && symbol.st_shndx != SHN_UNDEF &&
        symbol.st_name < names.sh_size) {
      into->push_back({base + symbol.st_value, base + symbol.st_value + symbol.st_size, text + symbol.st_name});
    }
  }
}

// Where symbols of different length begin at one address the longest counts: the others are parts of it, or its
// aliases.
std::vector<Symbol> read_symbols() {
  std::vector<Symbol> symbols;
  const File file;
  const auto* header = file.at<Elf64_Ehdr>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64) {
    return symbols;
  }
  const auto* sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  for (unsigned k = 0; sections != nullptr && k < header->e_shnum; ++k) {
    if (sections[k].sh_type == SHT_SYMTAB && sections[k].sh_link < header->e_shnum) {
      add_symbols(file, sections[k], sections[sections[k].sh_link], &symbols);
    }
  }
  std::sort(symbols.begin(), symbols.end(),
            [](const Symbol& a, const Symbol& b) { return a.lo != b.lo ? a.lo < b.lo : a.hi > b.hi; });
  return symbols;
}

std::string readable(const std::string& name) {
  std::string found = base::demangled(name);
  return found == name ? name.substr(0, name.find('.')) : found;  // a static of a function: seen.0
}

}  // namespace

std::optional<Object> object_around(std::uintptr_t address) {
  static const std::vector<Symbol>& symbols = *new std::vector<Symbol>(read_symbols());
  auto after = std::upper_bound(symbols.begin(), symbols.end(), address,
                                [](std::uintptr_t at, const Symbol& symbol) { return at < symbol.lo; });
  std::optional<Object> found;
  // The nearest beginning may be a part of a longer object; a few steps back are enough to find that.
  for (int steps = 0; steps < 16 && after != symbols.begin(); ++steps) {
    --after;
    if (address < after->hi && (!found || after->hi > found->hi)) {
      found = Object{after->lo, after->hi, readable(after->name)};
    }
  }
  return found;
}

}  // namespace weft::check
