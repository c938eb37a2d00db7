#include "memory/fork.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "base/lines.hpp"
#include "os/mapping.hpp"

namespace weft::memory {
namespace {

Space* g_space = nullptr;
Adopted* g_adopted = nullptr;
void (*g_in_child)() = nullptr;
void* g_saved = nullptr;
// From before the fork to after it, on both sides: threads that fork at once have one copy each, one after the other.
pthread_mutex_t g_forking = PTHREAD_MUTEX_INITIALIZER;

// The copy is taken in the parent before the fork: afterwards parent and peers go on writing to the shared pages.
void before_fork() {
  ::pthread_mutex_lock(&g_forking);
  g_adopted->save_for_child();
  const std::size_t bytes = g_space->statics().bytes();
  if (bytes == 0) {
    return;  // it is not shared
  }
  void* room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_saved = room == MAP_FAILED ? nullptr : room;
  if (g_saved != nullptr) {
    g_space->save_statics(g_saved);
  }
}

void drop_statics() {
  if (g_saved != nullptr) {
    ::munmap(g_saved, g_space->statics().bytes());
    g_saved = nullptr;
  }
  ::pthread_mutex_unlock(&g_forking);
}

void drop_copies() {
  g_adopted->drop_saved();
  drop_statics();
}

void in_child() {
  const bool has_windows = g_adopted->give_child();  // first: this library's own data may lie in such pages too
  base::leave_parent();
  if (!has_windows) {
    base::fail(
        "fork",
        "the child has no copy of its own of what windows of its parent have: no memory, or /proc cannot be read");
  }
  if (g_saved == nullptr && g_space->statics().bytes() > 0) {
    // Going on would change the parent's variables.
    base::fail("fork", "no memory for the child's own copy of %zu KiB of static data",
               g_space->statics().bytes() >> 10);
  }
  g_space->leave_job_after_fork(g_saved);
  drop_statics();
  g_in_child();
}

}  // namespace

void watch_forks(Space& space, Adopted& adopted, void (*child_hook)()) noexcept {
  g_space = &space;
  g_adopted = &adopted;
  g_in_child = child_hook;
  ::pthread_atfork(before_fork, drop_copies, in_child);
}

}  // namespace weft::memory
