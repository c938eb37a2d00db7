#include "omp/program/threads.hpp"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include <mutex>

#include "dsm/heap.hpp"
#include "dsm/windows.hpp"
#include "os/mapping.hpp"

namespace weft::omp::program {
namespace {

// A thread that this process has started. Its stack is another one's when it has ended.
struct Started {
  pthread_t thread;
  void* stack;
  std::size_t bytes;
  Started* next;
};
constinit Started* g_started = nullptr;
constinit std::mutex g_started_lock;

// A thread of this process that has ended, and had such a stack.
Started* take_ended(std::size_t bytes) noexcept {
  const std::scoped_lock guard(g_started_lock);
  for (Started** at = &g_started; *at != nullptr; at = &(*at)->next) {
    Started* const each = *at;
    // Joined is who leaves nothing on its stack any more.
    if (each->bytes == bytes && ::pthread_tryjoin_np(each->thread, nullptr) == 0) {
      *at = each->next;
      return each;
    }
  }
  return nullptr;
}

int look_at_stack(dl_phdr_info* is, std::size_t /*size*/, void* /*unused*/) {
  for (int k = 0; k < is->dlpi_phnum; ++k) {
    if (is->dlpi_phdr[k].p_type == PT_GNU_STACK) {
      return (is->dlpi_phdr[k].p_flags & PF_X) != 0 ? 1 : 0;
    }
  }
  return 0;
}

}  // namespace

bool has_code_on_stacks() noexcept {
  static const bool has = ::dl_iterate_phdr(look_at_stack, nullptr) != 0;
  return has;
}

void* make_stack(std::size_t bytes) noexcept {
  // What a fault needs lies in it, and what the kernel writes by itself: so none may happen there.
  void* const stack = dsm::allocate_pinned(os::round_up(bytes, os::kPage) + os::kPage);
  if (stack == nullptr) {
    return nullptr;
  }
  // Only this process's threads run there, so only here is the end of it closed.
  (void)::mprotect(stack, os::kPage, PROT_NONE);
  return static_cast<char*>(stack) + os::kPage;
}

bool start_here(const Birth& birth) noexcept {
  Started* started = take_ended(birth.stack_bytes);
  if (started == nullptr) {
    void* const stack = make_stack(birth.stack_bytes);
    if (stack == nullptr) {
      return false;
    }
    started = new Started{{}, stack, birth.stack_bytes, nullptr};
  }
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setstack(&attributes, started->stack, started->bytes);
  const int error = ::pthread_create(&started->thread, &attributes, birth.body, birth.argument);
  (void)::pthread_attr_destroy(&attributes);
  if (error != 0) {
    return false;
  }
  const std::scoped_lock guard(g_started_lock);
  started->next = g_started;
  g_started = started;
  return true;
}

}  // namespace weft::omp::program
