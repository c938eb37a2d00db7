// The tool that counts, for a second interface too.
#pragma once

#include "counting.hpp"
#include "toy_invocation.hpp"

namespace weft::hooks {

void before(const interpose::ToyInvocation& call) noexcept;

template <api::toy::Op, class Real, class... Arguments>
auto around(const interpose::ToyInvocation& call, Real* real, Arguments... arguments) -> decltype(real(arguments...)) {
  before(call);
  return real(arguments...);
}

}  // namespace weft::hooks
