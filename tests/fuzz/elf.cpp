// The file of a program that weft-info is to tell of: what it says is of the file, and fit to be printed.
#include "elf.hpp"

#include <algorithm>

#include "fuzz.hpp"

using weft::fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto elf = weft::info::read_elf({reinterpret_cast<const std::byte*>(data), size});
  if (!elf) return 0;
  must(elf->build_id.size() <= 128 && elf->build_id.size() <= 2 * size, "a build-id stands in the file");
  must(std::all_of(elf->build_id.begin(), elf->build_id.end(),
                   [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }),
       "it is digits");
  must(elf->compilers.size() <= 8, "there are few compilers");
  for (const std::string& line : elf->compilers) {
    must(!line.empty() && line.size() <= 100, "each has a line");
    must(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }), "that can be printed");
  }
  return 0;
}
