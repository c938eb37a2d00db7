// The image as the OpenMP library sees it: that of libweft_image.so where oshrun has put it before the program, else
// one process, of which nothing is shared.
#include "omp/image/image.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/lines.hpp"
#include "omp/program/table.hpp"

namespace weft::omp::image {
namespace {

using program::kFindTable;
using program::kTableLayout;
using program::Table;
using FindTable = program::FindTable;

constinit std::atomic<const Table*> g_table = nullptr;
constinit std::atomic<bool> g_alone = false;

const char* file_of(const void* place) noexcept {
  Dl_info info{};
  return ::dladdr(place, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "one that is not known";
}

// A table of another layout leads anywhere; the library that it is of is too old to have compared the builds.
[[noreturn, gnu::cold]] void fail_by_layout(const void* theirs) noexcept {
  base::fail("OpenMP", "%s is of Weft %s, and oshrun has put %s, of another build, before the program: %s",
             file_of(&g_table), WEFT_OMP_BUILD, file_of(theirs), program::kOneInstallation);
}

// Constructors of libraries may ask before the processes have become one program; that is none yet, and not for ever.
const Table* look() noexcept {
  auto* const find = reinterpret_cast<FindTable*>(::dlsym(RTLD_DEFAULT, kFindTable));
  if (find == nullptr) {
    g_alone.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  const Table* const found = find();
  if (found != nullptr) {
    if (found->layout != kTableLayout) {
      fail_by_layout(reinterpret_cast<const void*>(find));
    }
    // Relaxed, here and below: the table was there before main, and does not change.
    g_table.store(found, std::memory_order_relaxed);
  }
  return found;
}

const Table* table() noexcept {
  const Table* const known = g_table.load(std::memory_order_relaxed);
  return known != nullptr || g_alone.load(std::memory_order_relaxed) ? known : look();
}

}  // namespace

int process() noexcept { return table() != nullptr ? table()->process : 0; }
int processes() noexcept { return table() != nullptr ? table()->processes : 1; }
int threads_of_each() noexcept { return table() != nullptr ? table()->threads_of_each : 0; }

bool will_tell() noexcept {
  if (table() != nullptr || g_alone.load(std::memory_order_relaxed)) {
    return false;
  }
  auto* const will = reinterpret_cast<program::WillTell*>(::dlsym(RTLD_DEFAULT, program::kWillTell));
  return will != nullptr && will();
}

void everywhere(void (*body)(void*), void* argument) noexcept {
  if (const Table* const is = table()) is->everywhere(body, argument);
}
void barrier() noexcept {
  if (const Table* const is = table()) is->barrier();
}
void release() noexcept {
  if (const Table* const is = table()) is->release();
}
void acquire(const void* site, bool locked) noexcept {
  if (const Table* const is = table()) is->acquire(site, locked);
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  const Table* const is = table();
  return is != nullptr ? is->allocate(bytes, alignment) : std::malloc(bytes);
}
// What this library takes by malloc is its process's where memory is pages.
void* allocate_for_program(std::size_t bytes, bool zeros, std::size_t alignment) noexcept {
  const Table* const is = table();
  if (is != nullptr && is->far != nullptr) {
    if (!std::has_single_bit(alignment)) {
      return nullptr;
    }
    void* const block = is->allocate(std::max<std::size_t>(bytes, 1), std::max<std::size_t>(alignment, 16));
    return block != nullptr && zeros ? std::memset(block, 0, bytes) : block;
  }
  void* block = nullptr;
  if (alignment > alignof(std::max_align_t)) {
    return ::posix_memalign(&block, alignment, bytes) == 0 ? block : nullptr;
  }
  return zeros ? std::calloc(1, bytes) : std::malloc(bytes);
}
void free(void* block) noexcept {
  const Table* const is = table();
  is != nullptr ? is->free(block) : std::free(block);
}
bool is_shared(const void* address) noexcept {
  const Table* const is = table();
  return is != nullptr && is->is_shared(address);
}
std::size_t shared_bytes() noexcept {
  const Table* const is = table();
  return is != nullptr ? is->shared_bytes : 0;
}
void* stack(std::size_t bytes) noexcept {
  const Table* const is = table();
  return is != nullptr ? is->stack(bytes) : nullptr;
}

constinit std::atomic<bool> g_is_not_far = false;

const far::Table* find_far() noexcept {
  const Table* const is = table();
  const far::Table* const found = is != nullptr ? is->far : nullptr;
  if (found == nullptr && (is != nullptr || g_alone.load(std::memory_order_relaxed))) {
    g_is_not_far.store(true, std::memory_order_relaxed);
  }
  return found;
}

void map(const weft_omp_mapping& directive, bool alone) noexcept {
  if (far() != nullptr) table()->map(directive, alone);
}

Home home_of(std::uintptr_t at) noexcept {
  Home home;
  if (far() != nullptr) home.process = table()->home_of(at, &home.from, &home.to, &home.array);
  return home;
}

boot::PeThreads* threads() noexcept {
  const Table* const is = table();
  return is != nullptr ? is->threads : nullptr;
}

bool start_thread(int process, void* (*body)(void*), void* argument, std::size_t stack_bytes) noexcept {
  const Table* const is = table();
  return is != nullptr && is->start_thread(process, body, argument, stack_bytes);
}

}  // namespace weft::omp::image

#pragma GCC visibility push(default)
extern "C" const char* weft_omp_build() { return WEFT_OMP_BUILD; }
#pragma GCC visibility pop
