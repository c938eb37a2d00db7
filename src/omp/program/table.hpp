// What libweft_image.so offers libweft_omp.so, which is loaded alone where a program is one process: it looks for
// weft_omp_image and calls by the table that it gets. Both are of one build.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/far/message.hpp"

namespace weft::omp::program {

struct Table {
  std::uint32_t layout;
  int process;
  int processes;
  void (*everywhere)(void (*body)(void*), void* argument) noexcept;
  void (*barrier)() noexcept;
  void (*release)() noexcept;
  void (*acquire)() noexcept;
  void* (*allocate)(std::size_t bytes, std::size_t alignment) noexcept;
  void (*free)(void* block) noexcept;
  bool (*is_shared)(const void* address) noexcept;
  void* (*stack)(std::size_t bytes) noexcept;
  bool (*start_thread)(int process, void* (*body)(void*), void* argument, std::size_t stack_bytes) noexcept;
  /// Where each process has the library's state to itself; null: all have one memory.
  const far::Table* far;
};
inline constexpr std::uint32_t kTableLayout = 4;

/// Null until the processes are one program.
using FindTable = const Table*();
inline constexpr const char* kFindTable = "weft_omp_image";

}  // namespace weft::omp::program
