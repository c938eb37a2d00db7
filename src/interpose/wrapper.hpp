// What the generated wrappers are written with.
#pragma once

#include "interpose/invocation.hpp"
#include "interpose/real.hpp"

#define WEFT_WRAPPER __attribute__((visibility("default")))
#define WEFT_SAME(name) __attribute__((visibility("default"), alias(#name)))
#define WEFT_FIELD(field, value) static_cast<decltype(weft::interpose::Invocation::field)>(value)
#define WEFT_INVOCATION(...) (weft::interpose::Invocation{__VA_ARGS__, .site = __builtin_return_address(0)})

using weft::api::Call;
using weft::api::Op;
