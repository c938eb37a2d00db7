// What each wrapper of libweft_check.so calls.
#pragma once

#include <type_traits>

#include "check/handles.hpp"
#include "check/memory.hpp"
#include "check/tool.hpp"

namespace weft::hooks {

template <api::Op op>
inline constexpr bool kAllocates = op == api::Op::heap_malloc || op == api::Op::heap_calloc ||
                                   op == api::Op::heap_align || op == api::Op::heap_malloc_with_hints;

/// The numbers that checks look at; 0 for what is none.
template <class Result>
long long number(Result result) noexcept {
  if constexpr (std::is_integral_v<Result>) {
    return static_cast<long long>(result);
  } else {
    return 0;
  }
}

template <api::Op op, class Real, class... Arguments>
auto around(const interpose::Invocation& call, Real* real, Arguments... arguments) -> decltype(real(arguments...)) {
  const check::InCall in_call(call);
  if constexpr (kAllocates<op>) {
    if (check::ready()) return check::allocate(call);
  } else if constexpr (op == api::Op::heap_realloc) {
    if (check::ready()) return check::reallocate(call);
  } else if constexpr (op == api::Op::heap_free) {
    if (check::ready()) return check::release(call);
  }
  check::before(call);
  if constexpr (std::is_void_v<decltype(real(arguments...))>) {
    real(check::real(arguments)...);
    check::after(call, 0);
  } else {
    const auto result = real(check::real(arguments)...);
    check::after(call, number(result));
    return result;
  }
}

}  // namespace weft::hooks
