// What the generated wrappers are written with; a wrapper's file says whose Call, Op and Invocation are meant.
#pragma once

#include "interpose/real.hpp"

#define WEFT_WRAPPER __attribute__((visibility("default")))
#define WEFT_SAME(name) __attribute__((visibility("default"), alias(#name)))
#define WEFT_FIELD(field, value) static_cast<decltype(Invocation::field)>(value)
#define WEFT_INVOCATION(...) (Invocation{__VA_ARGS__, .site = __builtin_return_address(0)})
/// The routine by its twin. No template does the cast: to clang two types that differ in noreturn alone have one name.
#define WEFT_NEXT(twin, name) reinterpret_cast<decltype(&twin)>(weft::interpose::next(Call::name, #twin))
