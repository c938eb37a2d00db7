// What Zydis says of an instruction.
#pragma once

#include "omp/sites/instruction.hpp"

namespace weft::omp::decode {

bool decode(const std::byte* code, std::size_t bytes, std::uint64_t at, sites::Instruction& found) noexcept;

}  // namespace weft::omp::decode
