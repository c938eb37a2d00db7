#include "shmem/checks.hpp"

#include <cinttypes>

#include "base/lines.hpp"
#include "memory/fault.hpp"
#include "shmem/runtime.hpp"
#include "shmem/shortage.hpp"

namespace weft::shmem {
namespace {

// Not inlined: else each call that is right saves the registers that these lines need.
[[noreturn, gnu::cold, gnu::noinline]] void not_symmetric(std::uintptr_t at, std::size_t bytes,
                                                          const char* argument) noexcept {
  const memory::Space& space = job::node().space;
  if (at == 0 && shortage() != nullptr) {
    base::fail(job::current_call(), "%s is NULL, with %zu bytes to transfer; %s", argument, bytes, shortage());
  }
  if (at == 0) {
    base::fail(
        job::current_call(),
        "%s is NULL, with %zu bytes to transfer; did shmem_malloc find no room? (SHMEM_SYMMETRIC_SIZE is %zu MiB)",
        argument, bytes, space.heap().bytes() >> 20);
  }
  if (space.private_statics().holds(at)) {
    base::fail(job::current_call(),
               "%s, 0x%" PRIxPTR
               ", is static data, which is not symmetric, because %d threads ran already when libweft.so was loaded "
               "(dlopen); use memory from shmem_malloc, or load the library before threads start: link the program "
               "with it or set LD_PRELOAD",
               argument, at, space.threads_at_claim());
  }
  if (space.heap().holds(at) && !space.blocks().holds(at)) {
    base::fail(job::current_call(),
               "%s, 0x%" PRIxPTR ", lies %zu bytes past the end of the symmetric heap; check the number of elements",
               argument, at, at - space.blocks().hi);
  }
  if (space.symmetric(at, 1)) {
    const memory::Range part = space.heap().holds(at) ? space.blocks() : space.statics();
    base::fail(job::current_call(),
               "%s, %zu bytes at 0x%" PRIxPTR ", runs %zu bytes past the end of the %s; check the number of elements",
               argument, bytes, at, bytes - (part.hi - at),
               space.heap().holds(at) ? "symmetric heap" : "program's static data");
  }
  base::fail(job::current_call(), "%s, 0x%" PRIxPTR ", is not symmetric: it is %s; use memory from %s", argument, at,
             memory::describe_address(space, at),
             job::caller_name() == nullptr ? "shmem_malloc or a global or static variable of the program"
                                           : "SHPALLOC or a variable that is in COMMON or has SAVE");
}

}  // namespace

constinit std::atomic<bool> g_ready = false;

void fail_not_ready() noexcept {
  base::fail(job::current_call(), finalised() ? "called after shmem_finalize; call shmem_init again first"
                                              : "called before shmem_init; call shmem_init first");
}

void fail_no_such_pe(int pe) noexcept {
  base::fail(job::current_call(), "PE %d does not exist; the PEs of this job are 0 to %d", pe, job::node().n_pes - 1);
}

void need_symmetric(const void* address, std::size_t bytes, const char* argument) noexcept {
  need_ready();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!job::node().space.symmetric(at, bytes)) [[unlikely]] {
    not_symmetric(at, bytes, argument);
  }
}

void need_buffer(const void* address, std::size_t bytes, const char* argument) noexcept {
  if (address == nullptr) [[unlikely]] {
    const char* why = shortage();
    base::fail(job::current_call(), "%s is NULL, with %zu bytes to transfer%s%s", argument, bytes,
               why == nullptr ? "" : "; ", why == nullptr ? "" : why);
  }
}

void* peer(const void* address, std::size_t bytes, int pe, const char* argument) noexcept {
  need_symmetric(address, bytes, argument);
  need_pe(pe);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const int number = job::node().here(pe);
  if (number >= 0) [[likely]] {
    return reinterpret_cast<void*>(job::node().space.peer(at, number));
  }
  need_ready();  // a forked child that used the network would take its parent's words from it
  if (!job::node().space.heap().holds(at) && !job::same_program(pe)) [[unlikely]] {
    if (job::keeps_statics(pe)) {
      base::fail(
          job::current_call(),
          "%s, 0x%" PRIxPTR
          ", is in the program's static data, and PE %d had several threads when it loaded libweft.so, so its own "
          "is not symmetric; use memory from shmem_malloc",
          argument, at, pe);
    }
    base::fail(job::current_call(),
               "%s, 0x%" PRIxPTR
               ", is in the program's static data, and PE %d runs another program; use memory from "
               "shmem_malloc",
               argument, at, pe);
  }
  return nullptr;
}

void fail_too_many(std::size_t count, std::size_t size) noexcept {
  base::fail(job::current_call(), "%zu elements of %zu bytes are more than any memory; is the count negative?", count,
             size);
}

void misaligned(const void* address, std::size_t alignment, const char* argument) noexcept {
  base::fail(job::current_call(), "%s, 0x%" PRIxPTR ", is not aligned to %zu bytes, as its type must be", argument,
             reinterpret_cast<std::uintptr_t>(address), alignment);
}

}  // namespace weft::shmem
