// Where the functions of an executable or library begin and end, by the tables for unwinding, which stripped files have
// too, and by its symbols. No number of the file is believed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace weft::omp::sites {

struct Function {
  std::uint64_t from;  // addresses as the file has them
  std::uint64_t to;
  bool has_landings;  // exceptions may go on at places in it that no jump says
};

struct Functions {
  std::vector<Function> ranges;        // in order, none in another; of code that is loaded
  std::vector<std::uint64_t> entries;  // in order: where one may come in, beginnings included
};

base::Result<Functions> find_functions(std::span<const std::byte> file) noexcept;

/// What the file has at that address when it is loaded, up to the end of what is loaded with it.
std::span<const std::byte> loaded_at(std::span<const std::byte> file, std::uint64_t address) noexcept;

}  // namespace weft::omp::sites
