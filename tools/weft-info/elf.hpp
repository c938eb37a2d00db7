// What the file of a program or library says of itself, without its instructions. Any bytes may be in it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::info {

struct Elf {
  unsigned machine = 0;        // as <elf.h> numbers them
  bool is_executable = false;  // or a program that may lie anywhere; else it is a library
  bool is_static = false;
  bool lies_anywhere = false;  // PIE
  bool has_relro = false;
  std::string build_id;                // in hexadecimal digits; empty: none
  std::vector<std::string> compilers;  // as they have signed, each once
  // Functions by their names; what is stripped has only those that other files are to find.
  bool asks_for_regions = false;
  bool has_regions_inside = false;  // an OpenMP run-time library's own
  bool has_malloc = false;
};

/// Nothing where it is no program or library of 64 bits.
std::optional<Elf> read_elf(std::span<const std::byte> bytes);

}  // namespace weft::info
