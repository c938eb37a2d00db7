#include "omp/program/threads.hpp"

#include <pthread.h>

#include <mutex>

#include "dsm/owed.hpp"
#include "omp/program/stacks.hpp"

namespace weft::omp::program {
namespace {

// A thread that this process has started. Its stack is another one's when it has ended.
struct Started {
  Birth birth;
  pthread_t thread;
  void* stack;
  void* for_handlers;
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
    if (each->birth.stack_bytes == bytes && ::pthread_tryjoin_np(each->thread, nullptr) == 0) {
      *at = each->next;
      return each;
    }
  }
  return nullptr;
}

// Where a thread runs first.
void* run_started(void* given) {
  auto* const started = static_cast<Started*>(given);
  started->for_handlers = handle_signals_elsewhere(started->for_handlers);
  dsm::take_part();
  return started->birth.body(started->birth.argument);
}

}  // namespace

bool start_here(const Birth& birth) noexcept {
  dsm::come_from_outside();  // a team of a thread that takes no part is as much outside as that one
  Started* started = take_ended(birth.stack_bytes);
  if (started == nullptr) {
    void* const stack = make_stack(birth.stack_bytes);
    if (stack == nullptr) {
      return false;
    }
    started = new Started{birth, {}, stack, nullptr, nullptr};
  }
  started->birth = birth;
  pthread_attr_t attributes;
  (void)::pthread_attr_init(&attributes);
  (void)::pthread_attr_setstack(&attributes, started->stack, birth.stack_bytes);
  const int error = ::pthread_create(&started->thread, &attributes, run_started, started);
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
