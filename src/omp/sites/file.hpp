// The file of an executable or library. No number in it is believed: each reading is held to the file's end.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace weft::omp::sites {

using Bytes = std::span<const std::byte>;

template <class T>
bool read(Bytes from, std::uint64_t at, T& into) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  if (at > from.size() || from.size() - at < sizeof(T)) {
    return false;
  }
  std::memcpy(&into, from.data() + at, sizeof(T));
  return true;
}

struct File {
  Bytes bytes;
  Elf64_Ehdr header{};

  bool open() noexcept {
    return read(bytes, 0, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && (header.e_type == ET_EXEC || header.e_type == ET_DYN) &&
           header.e_phentsize == sizeof(Elf64_Phdr);
  }
  bool segment(unsigned number, Elf64_Phdr& into) const noexcept {
    return number < header.e_phnum && read(bytes, header.e_phoff + std::uint64_t{number} * sizeof into, into);
  }
  bool section(unsigned number, Elf64_Shdr& into) const noexcept {
    return header.e_shentsize == sizeof into && number < header.e_shnum &&
           read(bytes, header.e_shoff + std::uint64_t{number} * sizeof into, into);
  }
  // Where in the file what is loaded there lies, and how much of it is left.
  bool place(std::uint64_t address, std::uint64_t& offset, std::uint64_t& left, bool only_code = false) const noexcept {
    Elf64_Phdr each{};
    for (unsigned k = 0; segment(k, each); ++k) {
      if (each.p_type == PT_LOAD && address >= each.p_vaddr && address - each.p_vaddr < each.p_filesz &&
          each.p_offset <= bytes.size() && each.p_filesz <= bytes.size() - each.p_offset &&
          (!only_code || (each.p_flags & PF_X) != 0)) {
        offset = each.p_offset + (address - each.p_vaddr);
        left = each.p_filesz - (address - each.p_vaddr);
        return true;
      }
    }
    return false;
  }
};

}  // namespace weft::omp::sites
