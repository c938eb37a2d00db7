// A tool that counts calls.
#pragma once

#include <type_traits>

#include "interpose/invocation.hpp"

namespace weft::hooks {

void before(const interpose::Invocation& call) noexcept;

template <api::Op, class Real, class... Arguments>
auto around(const interpose::Invocation& call, Real* real, Arguments... arguments) -> decltype(real(arguments...)) {
  before(call);
  return real(arguments...);
}

}  // namespace weft::hooks
