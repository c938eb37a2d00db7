// A program that executes itself anew before its main, with another environment.
#pragma once

#include "base/result.hpp"

namespace weft::os {

/// True while the dynamic linker starts the program: called from a constructor, main has not begun. False in a
/// library that a running program loads with dlopen. `within` lies in the library whose constructor it is.
bool is_starting(const void* within) noexcept;

/// The same program with the same arguments and what the environment is now. Returns only when that failed, or when it
/// would become another program: under valgrind, or behind an explicit call of the dynamic linker.
base::Error start_again(char* const* argv) noexcept;

}  // namespace weft::os
