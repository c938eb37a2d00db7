// The program's variables, as its symbol table has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::check {

struct Object {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
  std::string name;
};

/// The variable that has this address in it. Empty where the program was stripped, or none is known there.
std::optional<Object> object_around(std::uintptr_t address);

}  // namespace weft::check
