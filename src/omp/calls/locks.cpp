// Critical sections, atomic sections, and the locks of omp.h: those of today and, under OMP_1.0, those of OpenMP 2.5,
// whose nested locks belong to threads instead of tasks.
#include <unistd.h>

#include <new>

#include "omp/sync/fatal.hpp"
#include "omp/sync/mutex.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {
namespace {

Mutex g_critical;
Mutex g_atomic;

struct NestLock {
  Mutex lock;
  int count;
  void* owner;
};
static_assert(sizeof(NestLock) == 16);

// The owner is read by others while it changes; none of them can find itself there by mistake.
void* owner_of(const NestLock& lock) noexcept { return __atomic_load_n(&lock.owner, __ATOMIC_RELAXED); }
void own(NestLock& lock, void* owner) noexcept { __atomic_store_n(&lock.owner, owner, __ATOMIC_RELAXED); }

void set_nest(NestLock& lock) noexcept {
  void* const me = self().task;
  if (owner_of(lock) != me) {
    lock.lock.lock();
    own(lock, me);
  }
  ++lock.count;
}

void unset_nest(NestLock& lock) noexcept {
  if (--lock.count == 0) {
    own(lock, nullptr);
    lock.lock.unlock();
  }
}

int test_nest(NestLock& lock) noexcept {
  void* const me = self().task;
  if (owner_of(lock) == me) {
    return ++lock.count;
  }
  if (!lock.lock.try_lock()) {
    return 0;
  }
  own(lock, me);
  return lock.count = 1;
}

struct OldNestLock {
  std::atomic<int> owner;
  int count;
};

int thread_id() noexcept {
  static thread_local int id = 0;
  return id != 0 ? id : (id = ::gettid());
}

bool try_old(OldNestLock& lock) noexcept {
  int free = 0;
  if (lock.owner.load(std::memory_order_relaxed) == thread_id()) {
    ++lock.count;
    return true;
  }
  // Acquire: what the last owner wrote.
  if (lock.owner.compare_exchange_strong(free, thread_id(), std::memory_order_acquire, std::memory_order_relaxed)) {
    lock.count = 1;
    return true;
  }
  return false;
}

void unset_old(OldNestLock& lock) noexcept {
  if (--lock.count == 0) {
    lock.owner.store(0, std::memory_order_release);  // what this owner wrote
  }
}

// Fortran's variable for a nested lock has 8 bytes: they hold its address.
NestLock& behind(void** lock) noexcept { return *static_cast<NestLock*>(*lock); }

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::Mutex;
using weft::omp::NestLock;
using weft::omp::OldNestLock;

void GOMP_critical_start(void) { weft::omp::g_critical.lock(); }
void GOMP_critical_end(void) { weft::omp::g_critical.unlock(); }
void GOMP_critical_name_start(void** name) { reinterpret_cast<Mutex*>(name)->lock(); }
void GOMP_critical_name_end(void** name) { reinterpret_cast<Mutex*>(name)->unlock(); }
void GOMP_atomic_start(void) { weft::omp::g_atomic.lock(); }
void GOMP_atomic_end(void) { weft::omp::g_atomic.unlock(); }

// Of each the name of today and the one that old programs are linked to.
#if !defined(__clang__)
#define NOW(name) __attribute__((symver(name "@@OMP_3.0")))
#define OLD(name) __attribute__((symver(name "@OMP_1.0")))
#else  // which has no such attribute: its assembler says so
#define NOW(name)
#define OLD(name)
__asm__(".symver weft_init_lock, omp_init_lock@@OMP_3.0");
__asm__(".symver weft_destroy_lock, omp_destroy_lock@@OMP_3.0");
__asm__(".symver weft_set_lock, omp_set_lock@@OMP_3.0");
__asm__(".symver weft_unset_lock, omp_unset_lock@@OMP_3.0");
__asm__(".symver weft_test_lock, omp_test_lock@@OMP_3.0");
__asm__(".symver weft_init_nest_lock, omp_init_nest_lock@@OMP_3.0");
__asm__(".symver weft_destroy_nest_lock, omp_destroy_nest_lock@@OMP_3.0");
__asm__(".symver weft_set_nest_lock, omp_set_nest_lock@@OMP_3.0");
__asm__(".symver weft_unset_nest_lock, omp_unset_nest_lock@@OMP_3.0");
__asm__(".symver weft_test_nest_lock, omp_test_nest_lock@@OMP_3.0");
__asm__(".symver weft_init_lock_f, omp_init_lock_@@OMP_3.0");
__asm__(".symver weft_destroy_lock_f, omp_destroy_lock_@@OMP_3.0");
__asm__(".symver weft_set_lock_f, omp_set_lock_@@OMP_3.0");
__asm__(".symver weft_unset_lock_f, omp_unset_lock_@@OMP_3.0");
__asm__(".symver weft_test_lock_f, omp_test_lock_@@OMP_3.0");
__asm__(".symver weft_init_nest_lock_f, omp_init_nest_lock_@@OMP_3.0");
__asm__(".symver weft_destroy_nest_lock_f, omp_destroy_nest_lock_@@OMP_3.0");
__asm__(".symver weft_set_nest_lock_f, omp_set_nest_lock_@@OMP_3.0");
__asm__(".symver weft_unset_nest_lock_f, omp_unset_nest_lock_@@OMP_3.0");
__asm__(".symver weft_test_nest_lock_f, omp_test_nest_lock_@@OMP_3.0");
#endif

NOW("omp_init_lock") void weft_init_lock(Mutex* lock) { new (lock) Mutex; }
NOW("omp_destroy_lock") void weft_destroy_lock(Mutex*) {}
NOW("omp_set_lock") void weft_set_lock(Mutex* lock) { lock->lock(); }
NOW("omp_unset_lock") void weft_unset_lock(Mutex* lock) { lock->unlock(); }
NOW("omp_test_lock") int weft_test_lock(Mutex* lock) { return lock->try_lock() ? 1 : 0; }
NOW("omp_init_nest_lock") void weft_init_nest_lock(NestLock* lock) { new (lock) NestLock{{}, 0, nullptr}; }
NOW("omp_destroy_nest_lock") void weft_destroy_nest_lock(NestLock*) {}
NOW("omp_set_nest_lock") void weft_set_nest_lock(NestLock* lock) { weft::omp::set_nest(*lock); }
NOW("omp_unset_nest_lock") void weft_unset_nest_lock(NestLock* lock) { weft::omp::unset_nest(*lock); }
NOW("omp_test_nest_lock") int weft_test_nest_lock(NestLock* lock) { return weft::omp::test_nest(*lock); }

NOW("omp_init_lock_") void weft_init_lock_f(Mutex* lock) { new (lock) Mutex; }
NOW("omp_destroy_lock_") void weft_destroy_lock_f(Mutex*) {}
NOW("omp_set_lock_") void weft_set_lock_f(Mutex* lock) { lock->lock(); }
NOW("omp_unset_lock_") void weft_unset_lock_f(Mutex* lock) { lock->unlock(); }
NOW("omp_test_lock_") int weft_test_lock_f(Mutex* lock) { return lock->try_lock() ? 1 : 0; }
NOW("omp_init_nest_lock_") void weft_init_nest_lock_f(void** lock) {
  *lock = new (weft::omp::need_memory(sizeof(NestLock))) NestLock{{}, 0, nullptr};
}
NOW("omp_destroy_nest_lock_") void weft_destroy_nest_lock_f(void** lock) {
  std::free(*lock);
  *lock = nullptr;
}
NOW("omp_set_nest_lock_") void weft_set_nest_lock_f(void** lock) { weft::omp::set_nest(weft::omp::behind(lock)); }
NOW("omp_unset_nest_lock_") void weft_unset_nest_lock_f(void** lock) { weft::omp::unset_nest(weft::omp::behind(lock)); }
NOW("omp_test_nest_lock_") int weft_test_nest_lock_f(void** lock) {
  return weft::omp::test_nest(weft::omp::behind(lock));
}

#define OLD_LOCKS(suffix, form)                                                                                       \
  OLD("omp_init_lock" suffix) void weft_init_lock_25##form(Mutex* lock) { new (lock) Mutex; }                         \
  OLD("omp_destroy_lock" suffix) void weft_destroy_lock_25##form(Mutex*) {}                                           \
  OLD("omp_set_lock" suffix) void weft_set_lock_25##form(Mutex* lock) { lock->lock(); }                               \
  OLD("omp_unset_lock" suffix) void weft_unset_lock_25##form(Mutex* lock) { lock->unlock(); }                         \
  OLD("omp_test_lock" suffix) int weft_test_lock_25##form(Mutex* lock) { return lock->try_lock() ? 1 : 0; }           \
  OLD("omp_init_nest_lock" suffix) void weft_init_nest_25##form(OldNestLock* lock) { new (lock) OldNestLock{0, 0}; }  \
  OLD("omp_destroy_nest_lock" suffix) void weft_destroy_nest_25##form(OldNestLock*) {}                                \
  OLD("omp_set_nest_lock" suffix) void weft_set_nest_25##form(OldNestLock* lock) {                                    \
    weft::omp::wait_briefly([&] { return weft::omp::try_old(*lock); });                                               \
  }                                                                                                                   \
  OLD("omp_unset_nest_lock" suffix) void weft_unset_nest_25##form(OldNestLock* lock) { weft::omp::unset_old(*lock); } \
  OLD("omp_test_nest_lock" suffix) int weft_test_nest_25##form(OldNestLock* lock) {                                   \
    return weft::omp::try_old(*lock) ? lock->count : 0;                                                               \
  }
OLD_LOCKS("", )
OLD_LOCKS("_", _f)

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
