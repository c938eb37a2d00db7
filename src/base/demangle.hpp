// Names of symbols as people write them. Only in this header, so that libweft.so has no demangler.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>

namespace weft::base {

/// The name itself where it is no mangled one. The demangler takes names of types as well, and a variable may be called
/// x as long long is there.
inline std::string demangled(const std::string& name) {
  int status = -1;
  char* plain = name.starts_with("_Z") ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status) : nullptr;
  std::string text = status == 0 ? plain : name;
  std::free(plain);
  return text;
}

}  // namespace weft::base
