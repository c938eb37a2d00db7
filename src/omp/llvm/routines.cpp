// __kmpc_* for memory, and what LLVM's omp.h has beside the standard: kmp_*.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "omp/image/image.hpp"
#include "omp/llvm/kmp.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/team/team.hpp"

namespace weft::omp::llvm {
namespace {

constexpr int kThroughput = 2;  // the only one of LLVM's modes: threads wait as they always do
constexpr int kUsualBlocktime = 200;
constexpr unsigned long kUsualStack = 4UL << 20;

std::size_t stack_bytes() noexcept { return g_settings.stack_bytes != 0 ? g_settings.stack_bytes : kUsualStack; }

// LLVM's own blocks may be freed by free() too.
void* aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return image::allocate_for_program(bytes, false, std::max(alignment, sizeof(void*)));
}

// LLVM counts disabled, default, mandatory.
std::int32_t offload() noexcept { return static_cast<std::int32_t>((g_settings.target_offload + 1) % 3); }

struct Mask {
  cpu_set_t processors;
};

// -1: there is no mask; -2: the processor has no place in it.
int check(Mask* const* mask, int processor) noexcept {
  if (mask == nullptr || *mask == nullptr) {
    return -1;
  }
  return processor < 0 || processor >= CPU_SETSIZE ? -2 : 0;
}

}  // namespace
}  // namespace weft::omp::llvm

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): programs call them so.
extern "C" {
using Handle = std::uintptr_t;
using weft::omp::g_settings;

void* omp_alloc(size_t bytes, Handle allocator);
void* omp_aligned_alloc(size_t alignment, size_t bytes, Handle allocator);
void* omp_calloc(size_t n, size_t bytes, Handle allocator);
void* omp_realloc(void* block, size_t bytes, Handle allocator, Handle free_allocator);
void omp_free(void* block, Handle allocator);
Handle omp_init_allocator(Handle space, int n, const void* traits);
void omp_destroy_allocator(Handle allocator);
void omp_set_default_allocator(Handle allocator);
Handle omp_get_default_allocator(void);

void* __kmpc_alloc(int32_t, size_t bytes, Handle allocator) { return omp_alloc(bytes, allocator); }
void* __kmpc_aligned_alloc(int32_t, size_t alignment, size_t bytes, Handle allocator) {
  return omp_aligned_alloc(alignment, bytes, allocator);
}
void* __kmpc_calloc(int32_t, size_t n, size_t bytes, Handle allocator) { return omp_calloc(n, bytes, allocator); }
void* __kmpc_realloc(int32_t, void* block, size_t bytes, Handle allocator, Handle free_allocator) {
  return omp_realloc(block, bytes, allocator, free_allocator);
}
void __kmpc_free(int32_t, void* block, Handle allocator) { omp_free(block, allocator); }
Handle __kmpc_init_allocator(int32_t, Handle space, int32_t n, void* traits) {
  return omp_init_allocator(space, n, traits);
}
void __kmpc_destroy_allocator(int32_t, Handle allocator) { omp_destroy_allocator(allocator); }
void __kmpc_set_default_allocator(int32_t, Handle allocator) { omp_set_default_allocator(allocator); }
Handle __kmpc_get_default_allocator(int32_t) { return omp_get_default_allocator(); }
int32_t __kmpc_get_target_offload(void) { return weft::omp::llvm::offload(); }

void* kmp_malloc(size_t bytes) { return weft::omp::image::allocate_for_program(bytes, false); }
void* kmp_aligned_malloc(size_t bytes, size_t alignment) { return weft::omp::llvm::aligned(bytes, alignment); }
void* kmp_calloc(size_t n, size_t bytes) {
  std::size_t all = 0;
  return __builtin_mul_overflow(n, bytes, &all) ? nullptr : weft::omp::image::allocate_for_program(all, true);
}
void* kmp_realloc(void* block, size_t bytes) {
  return block == nullptr ? weft::omp::image::allocate_for_program(bytes, false) : std::realloc(block, bytes);
}
void kmp_free(void* block) { std::free(block); }

// Before the first region.
void kmp_set_stacksize_s(size_t bytes) { g_settings.stack_bytes = bytes; }
void kmp_set_stacksize(int bytes) { kmp_set_stacksize_s(bytes > 0 ? static_cast<size_t>(bytes) : 0); }
size_t kmp_get_stacksize_s(void) { return weft::omp::llvm::stack_bytes(); }
int kmp_get_stacksize(void) { return static_cast<int>(weft::omp::llvm::stack_bytes()); }
// How long threads wait before they sleep is OMP_WAIT_POLICY's and GOMP_SPINCOUNT's affair: these are hints.
int kmp_get_blocktime(void) {
  if (g_settings.blocktime >= 0) {
    return g_settings.blocktime;
  }
  const int policy = g_settings.wait_policy;
  return policy == 1 ? INT_MAX : policy == 0 ? 0 : weft::omp::llvm::kUsualBlocktime;
}
void kmp_set_blocktime(int) {}
int kmp_get_library(void) { return weft::omp::llvm::kThroughput; }
void kmp_set_library(int) {}
void kmp_set_library_serial(void) {}
void kmp_set_library_turnaround(void) {}
void kmp_set_library_throughput(void) {}
void kmp_set_defaults(const char*) {}
void kmp_set_disp_num_buffers(int) {}
void kmp_set_warnings_on(void) {}
void kmp_set_warnings_off(void) {}

// Of the thread that calls.
using weft::omp::llvm::Mask;
void kmp_create_affinity_mask(Mask** mask) { *mask = static_cast<Mask*>(std::calloc(1, sizeof(Mask))); }
void kmp_destroy_affinity_mask(Mask** mask) {
  std::free(*mask);
  *mask = nullptr;
}
int kmp_get_affinity_max_proc(void) { return static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF)); }
int kmp_set_affinity(Mask** mask) {
  const int wrong = weft::omp::llvm::check(mask, 0);
  return wrong != 0 ? wrong : ::sched_setaffinity(0, sizeof(cpu_set_t), &(*mask)->processors);
}
int kmp_get_affinity(Mask** mask) {
  const int wrong = weft::omp::llvm::check(mask, 0);
  return wrong != 0 ? wrong : ::sched_getaffinity(0, sizeof(cpu_set_t), &(*mask)->processors);
}
int kmp_set_affinity_mask_proc(int processor, Mask** mask) {
  const int wrong = weft::omp::llvm::check(mask, processor);
  if (wrong == 0) {
    CPU_SET(static_cast<unsigned>(processor), &(*mask)->processors);
  }
  return wrong;
}
int kmp_unset_affinity_mask_proc(int processor, Mask** mask) {
  const int wrong = weft::omp::llvm::check(mask, processor);
  if (wrong == 0) {
    CPU_CLR(static_cast<unsigned>(processor), &(*mask)->processors);
  }
  return wrong;
}
int kmp_get_affinity_mask_proc(int processor, Mask** mask) {
  const int wrong = weft::omp::llvm::check(mask, processor);
  return wrong != 0 ? wrong : CPU_ISSET(static_cast<unsigned>(processor), &(*mask)->processors) ? 1 : 0;
}

// Of a tool there is none.
int omp_control_tool(int, int, void*) { return -2; }
int omp_control_tool_(const int32_t*, const int32_t*) { return -2; }

// The handles, for programs that have them as variables.
extern const Handle omp_null_allocator = 0, omp_default_mem_alloc = 1, omp_large_cap_mem_alloc = 2,
                    omp_const_mem_alloc = 3, omp_high_bw_mem_alloc = 4, omp_low_lat_mem_alloc = 5,
                    omp_cgroup_mem_alloc = 6, omp_pteam_mem_alloc = 7, omp_thread_mem_alloc = 8;
extern const Handle omp_default_mem_space = 0, omp_large_cap_mem_space = 1, omp_const_mem_space = 2,
                    omp_high_bw_mem_space = 3, omp_low_lat_mem_space = 4;

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
