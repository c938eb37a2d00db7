// How several processes are one OpenMP program: who this one is, and what the regions ask of the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "boot/threads.hpp"
#include "omp/far/message.hpp"
#include "weft/omp_directives.h"

namespace weft::omp::image {

int process() noexcept;
int processes() noexcept;
/// Threads that each process is to have where the program does not say how many; 0: nobody has said.
int threads_of_each() noexcept;

/// oshrun wants several processes to be one program, which are not yet: then it calls weft_omp_tell().
bool will_tell() noexcept;

/// In process 0, by one thread: every other process runs body(argument) once, on its serving thread. What process 0
/// wrote before is seen there.
void everywhere(void (*body)(void*), void* argument) noexcept;

/// One thread of each process: it releases, waits for the others, acquires.
void barrier() noexcept;
void release() noexcept;
/// The interval that begins is called by the site that it follows, if that is known (dsm/order.hpp).
void acquire(const void* site = nullptr, bool locked = false) noexcept;

/// Memory that has the same address and contents in all processes. Null: none is left.
void* allocate(std::size_t bytes, std::size_t alignment = 64) noexcept;
/// For the program, by a routine that it has called: free() takes it back. Where there is one memory as malloc.
void* allocate_for_program(std::size_t bytes, bool zeros, std::size_t alignment = 16) noexcept;
void free(void* block) noexcept;
bool is_shared(const void* address) noexcept;
/// How much there is of such memory; 0 in one process.
std::size_t shared_bytes() noexcept;
/// For the stack of a thread, its thread-local storage included. Null: let the C library take one.
void* stack(std::size_t bytes) noexcept;

/// Where each process has this library's state to itself, as their memory is pages: how they speak. Null: one memory.
/// far() is null for good. Locks ask at each use, so that is a load.
extern constinit std::atomic<bool> g_is_not_far;
const far::Table* find_far() noexcept __attribute__((cold));
inline const far::Table* far() noexcept {
  // Relaxed: it is set once, and nothing else goes by it.
  return g_is_not_far.load(std::memory_order_relaxed) ? nullptr : find_far();
}

/// The array is at home where the directive says. `alone`: said by the thread of main in process 0, outside of regions.
void map(const weft_omp_mapping& directive, bool alone) noexcept;

/// Where a byte is to be at home, by what was said of its array, which begins at `array`; -1: nothing was said. All
/// from `from` on up to `to` is there.
struct Home {
  int process = -1;
  std::uintptr_t from = 0, to = 0, array = 0;
};
Home home_of(std::uintptr_t at) noexcept;

/// Where there are several processes: in which this one's threads tell people what they wait for. Null: nowhere.
boot::PeThreads* threads() noexcept;

/// Where there are several processes: a detached thread in one of them, on a stack that all share. False: there is no
/// memory for it here; another process that has none ends the program with a line.
bool start_thread(int process, void* (*body)(void*), void* argument, std::size_t stack_bytes) noexcept;

}  // namespace weft::omp::image
