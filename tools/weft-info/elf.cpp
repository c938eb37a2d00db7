#include "elf.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

#include "omp/sites/file.hpp"

namespace weft::info {
namespace {

using omp::sites::Bytes;
using omp::sites::File;
using omp::sites::read;

constexpr std::size_t kMostCompilers = 8;
constexpr std::size_t kLongestLine = 100;
constexpr std::size_t kMostBuildId = 64;
constexpr std::size_t kMostNotes = 65536;

// Of the file, as far as it is there.
Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset >= bytes.size()) return {};
  return bytes.subspan(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
}

// Up to its end, or for so many characters.
std::string_view text(Bytes from, std::uint64_t at, std::size_t most) {
  if (at >= from.size()) return {};
  const char* const begin = reinterpret_cast<const char*>(from.data()) + at;
  return {begin, ::strnlen(begin, std::min<std::uint64_t>(most, from.size() - at))};
}

// Each compiler that took part has left a line, and each once for each file that it made where the linker kept them.
void read_compilers(Bytes comments, Elf& elf) {
  for (std::uint64_t at = 0; at < comments.size() && elf.compilers.size() < kMostCompilers;) {
    const std::string_view all = text(comments, at, comments.size());
    at += all.size() + 1;
    std::string line(all.substr(0, kLongestLine));
    const auto is_odd = [](char c) { return c < ' ' || c > '~'; };
    std::replace_if(line.begin(), line.end(), is_odd, '?');
    const bool known = std::find(elf.compilers.begin(), elf.compilers.end(), line) != elf.compilers.end();
    if (!line.empty() && !known) elf.compilers.push_back(std::move(line));
  }
}

void read_build_id(Bytes notes, Elf& elf) {
  const auto padded = [](std::uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  Elf64_Nhdr note{};
  for (std::uint64_t at = 0; read(notes, at, note);) {
    const std::uint64_t name = at + sizeof note;
    const std::uint64_t content = name + padded(note.n_namesz);
    at = content + padded(note.n_descsz);
    if (note.n_type != NT_GNU_BUILD_ID || text(notes, name, note.n_namesz) != "GNU" || note.n_descsz > kMostBuildId) {
      continue;
    }
    elf.build_id.clear();
    for (const std::byte byte : part(notes, content, note.n_descsz)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      elf.build_id += kDigits[static_cast<unsigned>(byte) >> 4];
      elf.build_id += kDigits[static_cast<unsigned>(byte) & 0xf];
    }
  }
}

void read_symbols(Bytes symbols, Bytes names, Elf& elf) {
  constexpr std::array<std::string_view, 3> kRegions = {"GOMP_parallel", "GOMP_parallel_start", "__kmpc_fork_call"};
  constexpr std::size_t kLongestName = 32;
  Elf64_Sym symbol{};
  for (std::uint64_t at = 0; read(symbols, at, symbol); at += sizeof symbol) {
    // With its version, where that stands there: GOMP_parallel@GOMP_4.0.
    std::string_view name = text(names, symbol.st_name, kLongestName);
    name = name.substr(0, name.find('@'));
    const bool is_here = symbol.st_shndx != SHN_UNDEF;
    if (std::find(kRegions.begin(), kRegions.end(), name) != kRegions.end()) {
      (is_here ? elf.has_regions_inside : elf.asks_for_regions) = true;
    }
    elf.has_malloc = elf.has_malloc || (is_here && name == "malloc" && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL);
  }
}

bool says_pie(Bytes entries) {
  Elf64_Dyn entry{};
  for (std::uint64_t at = 0; read(entries, at, entry) && entry.d_tag != DT_NULL; at += sizeof entry) {
    if (entry.d_tag == DT_FLAGS_1) return (entry.d_un.d_val & DF_1_PIE) != 0;
  }
  return false;
}

void read_segments(const File& file, Elf& elf) {
  bool has_loader = false;
  Bytes dynamic;
  Elf64_Phdr segment{};
  for (unsigned k = 0; file.segment(k, segment); ++k) {
    const Bytes content = part(file.bytes, segment.p_offset, segment.p_filesz);
    has_loader = has_loader || segment.p_type == PT_INTERP;
    elf.has_relro = elf.has_relro || segment.p_type == PT_GNU_RELRO;
    if (segment.p_type == PT_NOTE) read_build_id(content.first(std::min(content.size(), kMostNotes)), elf);
    if (segment.p_type == PT_DYNAMIC) dynamic = content;
  }
  elf.is_static = !has_loader;
  elf.lies_anywhere = file.header.e_type == ET_DYN;
  elf.is_executable = !elf.lies_anywhere || has_loader || says_pie(dynamic);
}

void read_sections(const File& file, Elf& elf) {
  Elf64_Shdr names{};
  const bool has_names = file.section(file.header.e_shstrndx, names);
  // Of each kind there is one; a file that has it a thousand times shall not take a thousand times as long.
  std::set<std::uint32_t> seen;
  Elf64_Shdr section{};
  Elf64_Shdr strings{};
  for (unsigned k = 0; file.section(k, section); ++k) {
    const bool is_comment = section.sh_type == SHT_PROGBITS && has_names &&
                            text(part(file.bytes, names.sh_offset, names.sh_size), section.sh_name, 16) == ".comment";
    const bool has_symbols =
        (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) && file.section(section.sh_link, strings);
    if ((!is_comment && !has_symbols) || !seen.insert(section.sh_type).second) continue;
    const Bytes content = part(file.bytes, section.sh_offset, section.sh_size);
    if (is_comment) {
      read_compilers(content, elf);
    } else {
      read_symbols(content, part(file.bytes, strings.sh_offset, strings.sh_size), elf);
    }
  }
}

}  // namespace

std::optional<Elf> read_elf(std::span<const std::byte> bytes) {
  File file{bytes};
  if (!file.open()) return std::nullopt;
  Elf elf;
  elf.machine = file.header.e_machine;
  read_segments(file, elf);
  read_sections(file, elf);
  return elf;
}

}  // namespace weft::info
