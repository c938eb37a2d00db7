// The libraries that libweft.so loads when it needs them, loaded here to see whether that would succeed.
#pragma once

#include <string>

namespace weft::info {

struct Module {
  void* library = nullptr;  // stays loaded: not all of them can be unloaded
  std::string why;          // there is none; empty when there is
};

/// Where a file lies below the folder of libweft.so; empty where it does not.
std::string find_beside_library(const char* name);

/// From the folder of libweft.so, by the way from weft-info to it.
Module load_module(const char* name);

}  // namespace weft::info
