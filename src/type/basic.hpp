// Basic elements: what a datatype is made of in the end.
#pragma once

#include <cstdint>

namespace weft::type {

/// What an element is, for those who compute with it or write it for another machine.
enum class Kind : std::uint8_t {
  kBytes,      // any bytes: it matches every element, and nothing is converted
  kCharacter,  // letters: converted in width, not computed with
  kSigned,
  kUnsigned,
  kReal,
  kComplex,  // two reals of half the size
  kLogical,
};

/// One element as it lies in memory. Two elements match if they have the same `id`.
struct Basic {
  std::uint16_t id = 0;
  Kind kind = Kind::kBytes;
  std::uint8_t size = 1;
  std::uint8_t alignment = 1;  // size at most 32
  std::uint8_t external = 1;   // bytes in the form "external32" (MPI 5.0, 14.5.2), at most 32
  bool quad = false;           // a real of 16 bytes, or a complex of 32, of IEEE's form and not C's long double
  const char* name = "bytes";
};

}  // namespace weft::type
