// What a wrapper makes of a call of the made-up interface.
#pragma once

#include <cstddef>

#include "api/toy/calls.hpp"
#include "api/toy/ops.hpp"

namespace weft::interpose {

struct ToyInvocation {
  api::toy::Call call{};
  api::toy::Op op{};
  std::size_t element = 0;
  const void* data = nullptr;
  std::size_t bytes = 0;
  int pe = 0;
  const void* site = nullptr;
};

}  // namespace weft::interpose
