// What libweft_image.so offers libweft_omp.so, which is loaded alone where a program is one process: it looks for
// weft_omp_image and calls by the table that it gets. Both are of one build: libweft_image.so compares them at the
// start, and libweft_omp.so sees by the layout whether it does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boot/threads.hpp"
#include "omp/far/message.hpp"
#include "weft/omp_directives.h"

namespace weft::omp::program {

struct Table {
  std::uint32_t layout;  // stays first
  int process;
  int processes;
  std::size_t shared_bytes;  // of the memory that all share
  int threads_of_each;       // which each process is to have where the program does not say; 0: nobody has said
  void (*everywhere)(void (*body)(void*), void* argument) noexcept;
  void (*barrier)() noexcept;
  void (*release)() noexcept;
  void (*acquire)(const void* site, bool locked) noexcept;
  void* (*allocate)(std::size_t bytes, std::size_t alignment) noexcept;
  void (*free)(void* block) noexcept;
  bool (*is_shared)(const void* address) noexcept;
  void* (*stack)(std::size_t bytes) noexcept;
  bool (*start_thread)(int process, void* (*body)(void*), void* argument, std::size_t stack_bytes) noexcept;
  /// Where each process has the library's state to itself; null: all have one memory.
  const far::Table* far;
  /// Where this process's threads tell people what they wait for.
  boot::PeThreads* threads;
  /// Where `far`. `alone`: the thread of main in process 0, outside of regions.
  void (*map)(const weft_omp_mapping& directive, bool alone) noexcept;
  /// The process at which a byte is to be at home, by what was said of its array; -1: nothing was.
  int (*home_of)(std::uintptr_t at, std::uintptr_t* from, std::uintptr_t* to, std::uintptr_t* array) noexcept;
};
inline constexpr std::uint32_t kTableLayout = 11;

/// Null until the processes are one program.
using FindTable = const Table*();
inline constexpr const char* kFindTable = "weft_omp_image";

/// What to do where they are not.
inline constexpr const char* kOneInstallation =
    "they are to be of one installation; start the program with the oshrun that belongs to the first, or compile it "
    "anew";

/// Of libweft_omp.so: says what it has to say of the environment, or not, as soon as the image knows who is to.
using Tell = void(bool say);
inline constexpr const char* kTell = "weft_omp_tell";
/// Of the image: that is still to come.
using WillTell = bool();
inline constexpr const char* kWillTell = "weft_omp_image_will_tell";

/// Of libweft_omp.so, which knows what this thread tells people: waits until `look` says that it is over, for the
/// thread that makes the variable of that guard; and that this thread does.
using AwaitStatic = void(const void* guard, const void* site, bool (*look)(void*), void* argument);
inline constexpr const char* kAwaitStatic = "weft_omp_await_static";
using NoteStatic = void(const void* guard, bool makes);
inline constexpr const char* kNoteStatic = "weft_omp_note_static";

/// Of libweft_omp.so: its build.
using FindBuild = const char*();
inline constexpr const char* kFindBuild = "weft_omp_build";

}  // namespace weft::omp::program
