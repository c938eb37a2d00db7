// Forbidden memory: how AddressSanitizer, valgrind and the processor's page protection are told of it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::check {

/// Plain loads and stores of the program to these bytes are reported by AddressSanitizer or valgrind where the program
/// runs with one of them; else nothing happens.
void forbid(std::uintptr_t at, std::size_t bytes) noexcept;
void allow(std::uintptr_t at, std::size_t bytes) noexcept;

/// While this library itself looks at forbidden bytes.
class Looking {
 public:
  Looking() noexcept;
  ~Looking();
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;
};

/// The whole pages within the bytes, on this PE's own view of its memory and, in small jobs, its views of the others':
/// any access to them faults. Gives the bytes that do, none where the kernel refuses.
struct Pages {
  std::uintptr_t lo = 0;
  std::uintptr_t hi = 0;
};
Pages close_pages(std::uintptr_t at, std::size_t bytes) noexcept;
void open_pages(const Pages& pages) noexcept;

}  // namespace weft::check
