#include "shmem/support.hpp"

#include "base/lines.hpp"
#include "base/no_memory.hpp"
#include "base/options.hpp"
#include "job/node.hpp"
#include "memory/fault.hpp"
#include "shmem/calls.hpp"
#include "shmem/checks.hpp"
#include "shmem/collectives.hpp"
#include "shmem/locks.hpp"
#include "shmem/runtime.hpp"

#define WEFT_PUBLIC __attribute__((visibility("default")))

using weft::api::Call;
namespace job = weft::job;

namespace {

#ifdef __SIZEOF_FLOAT128__
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif
static_assert(sizeof(Quad) == 16);

}  // namespace

extern "C" {

WEFT_PUBLIC void weft_support_fail(const char* routine, const char* text) noexcept {
  weft::base::fail(routine, "%s", text);
}

WEFT_PUBLIC void weft_support_no_memory(std::size_t bytes) noexcept { weft::base::no_memory(bytes); }

WEFT_PUBLIC void weft_support_set_caller(const char* (*name)(), const void* (*site)()) noexcept {
  static job::Caller caller;
  caller = {name, site};
  job::set_caller(name == nullptr ? nullptr : &caller);
}

WEFT_PUBLIC void weft_support_set_tool_site(const void* (*tell)()) noexcept { job::set_tool_site(tell); }

WEFT_PUBLIC void weft_support_say(const char* routine, const char* text) noexcept {
  weft::base::say(routine, "%s", text);
}

WEFT_PUBLIC const char* weft_support_caller_name() noexcept { return job::caller_name(); }

WEFT_PUBLIC const void* weft_support_caller_site() noexcept { return job::caller_site(); }

WEFT_PUBLIC void weft_support_set_place(bool (*hook)(char* text, std::size_t size)) noexcept {
  weft::base::set_place_hook(hook);
}

WEFT_PUBLIC void weft_support_memory(weft_support_ranges* ranges) noexcept {
  const weft::memory::Space& space = job::node().space;
  *ranges = {space.blocks().lo, space.blocks().hi, space.statics().lo, space.statics().hi};
}

WEFT_PUBLIC const char* weft_support_describe(const void* address) noexcept {
  return weft::memory::describe_address(job::node().space, reinterpret_cast<std::uintptr_t>(address));
}

WEFT_PUBLIC std::uint64_t weft_support_heap_in_use() noexcept {
  return weft::shmem::ready() ? weft::shmem::book().in_use() : 0;
}

WEFT_PUBLIC std::uint64_t weft_support_heap_bytes() noexcept {
  return weft::shmem::ready() ? weft::shmem::book().bytes() : 0;
}

WEFT_PUBLIC int weft_support_block(const void* address) noexcept {
  weft::shmem::need_ready();
  const weft::memory::Range heap = job::node().space.heap();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!heap.holds(at)) {
    return -3;
  }
  if (weft::shmem::book().size_of(at - heap.lo)) {
    return 0;
  }
  return weft::shmem::book().block_start(at - heap.lo) ? -5 : -4;
}

WEFT_PUBLIC int weft_support_lock_home(const long* lock) noexcept {
  weft::shmem::need_symmetric(lock, sizeof *lock, "lock");
  return weft::lock::home_of(lock);
}

WEFT_PUBLIC std::uint64_t weft_support_heap_asked() noexcept {
  const auto options = weft::base::read_options();
  const std::uint64_t bytes = job::node().space.heap().bytes();
  return options ? weft::base::heap_bytes_of_program(*options, bytes) : bytes;
}

WEFT_PUBLIC void weft_support_set_lock(int* lock) noexcept {
  weft::shmem::enter(Call::shmem_set_lock, __builtin_return_address(0));
  weft::shmem::need_ready();
  weft::shmem::checked::set_lock(lock);
}

WEFT_PUBLIC void weft_support_clear_lock(int* lock) noexcept {
  weft::shmem::enter(Call::shmem_clear_lock, __builtin_return_address(0));
  weft::shmem::need_ready();
  weft::shmem::checked::clear_lock(lock);
}

WEFT_PUBLIC int weft_support_test_lock(int* lock) noexcept {
  weft::shmem::enter(Call::shmem_test_lock, __builtin_return_address(0));
  weft::shmem::need_ready();
  return weft::shmem::checked::test_lock(lock) ? 0 : 1;
}

WEFT_PUBLIC void weft_support_reduce_real16(int operation, void* dest, const void* source, int nreduce, int first,
                                            int log_stride, int size, void* psync) noexcept {
  namespace shmem = weft::shmem;
  static constexpr struct {
    Call call;
    decltype(&shmem::combine_max<Quad>) combine;
  } kOperations[] = {
      {Call::shmem_longdouble_max_to_all, shmem::combine_max<Quad>},
      {Call::shmem_longdouble_min_to_all, shmem::combine_min<Quad>},
      {Call::shmem_longdouble_sum_to_all, shmem::combine_sum<Quad>},
      {Call::shmem_longdouble_prod_to_all, shmem::combine_prod<Quad>},
  };
  const auto& chosen = kOperations[operation];
  shmem::enter(chosen.call, __builtin_return_address(0));
  auto* words = static_cast<long*>(psync);
  shmem::reduce_over(shmem::ActiveSet{first, log_stride, size, words},
                     {dest, source, shmem::need_count(nreduce), sizeof(Quad), chosen.combine});
}

}  // extern "C"
