// Critical sections, atomic sections, and the locks of omp.h: those of today and, under OMP_1.0, those of OpenMP 2.5,
// whose nested locks belong to threads instead of tasks.
#include <unistd.h>

#include <new>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/sync/locks.hpp"
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

// How often who has it; not always the lock's own words.
struct Owned {
  int& count;
  void*& owner;
};
Owned words_of(NestLock& lock) noexcept {
  Nest* const far = far_nest(&lock);
  return far != nullptr ? Owned{far->count, far->owner} : Owned{lock.count, lock.owner};
}

// The owner is read by others while it changes; none of them can find itself there by mistake.
void* owner_of(const Owned& lock) noexcept { return __atomic_load_n(&lock.owner, __ATOMIC_RELAXED); }
void own(const Owned& lock, void* owner) noexcept { __atomic_store_n(&lock.owner, owner, __ATOMIC_RELAXED); }

void set_nest(NestLock& lock, const void* site) noexcept {
  void* const me = self().task;
  const Owned here = words_of(lock);
  if (owner_of(here) != me) {
    omp::lock(lock.lock, ThreadWaits::kNestedLock, site);
    own(here, me);
  }
  ++here.count;
}

void unset_nest(NestLock& lock) noexcept {
  const Owned here = words_of(lock);
  if (--here.count == 0) {
    own(here, nullptr);
    omp::unlock(lock.lock, Shows::kTests);
  }
}

int test_nest(NestLock& lock) noexcept {
  void* const me = self().task;
  const Owned here = words_of(lock);
  if (owner_of(here) == me) {
    return ++here.count;
  }
  if (!omp::try_lock(lock.lock)) {
    return 0;
  }
  own(here, me);
  return here.count = 1;
}

struct OldNestLock {
  std::atomic<int> owner;
  int count;
};

int thread_id() noexcept {
  static thread_local int id = 0;
  return id != 0 ? id : (id = ::gettid());
}

// Where the words are not used: their owner is a thread, and the count is the process's.
bool try_far_old(OldNestLock& lock, Nest& here, bool waits, const void* site) noexcept {
  void* const me = &t_thread;
  auto& mutex = reinterpret_cast<Mutex&>(lock);
  if (__atomic_load_n(&here.owner, __ATOMIC_RELAXED) == me) {
    ++here.count;
    return true;
  }
  if (waits) {
    omp::lock(mutex, ThreadWaits::kNestedLock, site);
  } else if (!omp::try_lock(mutex)) {
    return false;
  }
  __atomic_store_n(&here.owner, me, __ATOMIC_RELAXED);
  here.count = 1;
  return true;
}

bool try_old(OldNestLock& lock, bool waits, const void* site = nullptr) noexcept {
  if (Nest* const here = far_nest(&lock); here != nullptr) {
    return try_far_old(lock, *here, waits, site);
  }
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
  if (Nest* const here = far_nest(&lock); here != nullptr) {
    if (--here->count == 0) {
      __atomic_store_n(&here->owner, nullptr, __ATOMIC_RELAXED);
      omp::unlock(reinterpret_cast<Mutex&>(lock), Shows::kTests);
    }
    return;
  }
  if (--lock.count == 0) {
    lock.owner.store(0, std::memory_order_release);  // what this owner wrote
  }
}

int test_old(OldNestLock& lock) noexcept {
  const Nest* const here = far_nest(&lock);
  return !try_old(lock, false) ? 0 : here != nullptr ? here->count : lock.count;
}

// Fortran's variable for a nested lock has 8 bytes: they hold its address.
// Where the words are not used, its own address is as good.
NestLock& behind(void** lock) noexcept {
  return image::far() != nullptr ? *reinterpret_cast<NestLock*>(lock) : *static_cast<NestLock*>(*lock);
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::Mutex;
using weft::omp::NestLock;
using weft::omp::OldNestLock;
using weft::omp::ThreadWaits;

void GOMP_critical_start(void) { weft::omp::lock(weft::omp::g_critical, ThreadWaits::kUnnamed, WEFT_SITE); }
void GOMP_critical_end(void) { weft::omp::unlock(weft::omp::g_critical); }
void GOMP_critical_name_start(void** name) {
  weft::omp::lock(*reinterpret_cast<Mutex*>(name), ThreadWaits::kCritical, WEFT_SITE);
}
void GOMP_critical_name_end(void** name) { weft::omp::unlock(*reinterpret_cast<Mutex*>(name)); }
void GOMP_atomic_start(void) { weft::omp::lock(weft::omp::g_atomic, ThreadWaits::kAtomic, WEFT_SITE); }
void GOMP_atomic_end(void) { weft::omp::unlock(weft::omp::g_atomic); }

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
NOW("omp_destroy_lock") void weft_destroy_lock(Mutex* lock) { weft::omp::forget_lock(lock); }
NOW("omp_set_lock") void weft_set_lock(Mutex* lock) { weft::omp::lock(*lock, ThreadWaits::kLock, WEFT_SITE); }
NOW("omp_unset_lock") void weft_unset_lock(Mutex* lock) { weft::omp::unlock(*lock, weft::omp::Shows::kTests); }
NOW("omp_test_lock") int weft_test_lock(Mutex* lock) { return weft::omp::try_lock(*lock) ? 1 : 0; }
NOW("omp_init_nest_lock") void weft_init_nest_lock(NestLock* lock) { new (lock) NestLock{{}, 0, nullptr}; }
NOW("omp_destroy_nest_lock") void weft_destroy_nest_lock(NestLock* lock) { weft::omp::forget_lock(lock); }
NOW("omp_set_nest_lock") void weft_set_nest_lock(NestLock* lock) { weft::omp::set_nest(*lock, WEFT_SITE); }
NOW("omp_unset_nest_lock") void weft_unset_nest_lock(NestLock* lock) { weft::omp::unset_nest(*lock); }
NOW("omp_test_nest_lock") int weft_test_nest_lock(NestLock* lock) { return weft::omp::test_nest(*lock); }

NOW("omp_init_lock_") void weft_init_lock_f(Mutex* lock) { new (lock) Mutex; }
NOW("omp_destroy_lock_") void weft_destroy_lock_f(Mutex* lock) { weft::omp::forget_lock(lock); }
NOW("omp_set_lock_") void weft_set_lock_f(Mutex* lock) { weft::omp::lock(*lock, ThreadWaits::kLock, WEFT_SITE); }
NOW("omp_unset_lock_") void weft_unset_lock_f(Mutex* lock) { weft::omp::unlock(*lock, weft::omp::Shows::kTests); }
NOW("omp_test_lock_") int weft_test_lock_f(Mutex* lock) { return weft::omp::try_lock(*lock) ? 1 : 0; }
NOW("omp_init_nest_lock_") void weft_init_nest_lock_f(void** lock) {
  *lock = new (weft::omp::need_memory(sizeof(NestLock))) NestLock{{}, 0, nullptr};
}
NOW("omp_destroy_nest_lock_") void weft_destroy_nest_lock_f(void** lock) {
  weft::omp::forget_lock(lock);
  std::free(*lock);
  *lock = nullptr;
}
NOW("omp_set_nest_lock_") void weft_set_nest_lock_f(void** lock) {
  weft::omp::set_nest(weft::omp::behind(lock), WEFT_SITE);
}
NOW("omp_unset_nest_lock_") void weft_unset_nest_lock_f(void** lock) { weft::omp::unset_nest(weft::omp::behind(lock)); }
NOW("omp_test_nest_lock_") int weft_test_nest_lock_f(void** lock) {
  return weft::omp::test_nest(weft::omp::behind(lock));
}

#define OLD_LOCKS(suffix, form)                                                                                       \
  OLD("omp_init_lock" suffix) void weft_init_lock_25##form(Mutex* lock) { new (lock) Mutex; }                         \
  OLD("omp_destroy_lock" suffix) void weft_destroy_lock_25##form(Mutex* lock) { weft::omp::forget_lock(lock); }       \
  OLD("omp_set_lock" suffix) void weft_set_lock_25##form(Mutex* lock) {                                               \
    weft::omp::lock(*lock, ThreadWaits::kLock, WEFT_SITE);                                                            \
  }                                                                                                                   \
  OLD("omp_unset_lock" suffix) void weft_unset_lock_25##form(Mutex* lock) {                                           \
    weft::omp::unlock(*lock, weft::omp::Shows::kTests);                                                               \
  }                                                                                                                   \
  OLD("omp_test_lock" suffix) int weft_test_lock_25##form(Mutex* lock) { return weft::omp::try_lock(*lock) ? 1 : 0; } \
  OLD("omp_init_nest_lock" suffix) void weft_init_nest_25##form(OldNestLock* lock) { new (lock) OldNestLock{0, 0}; }  \
  OLD("omp_destroy_nest_lock" suffix) void weft_destroy_nest_25##form(OldNestLock* lock) {                            \
    weft::omp::forget_lock(lock);                                                                                     \
  }                                                                                                                   \
  OLD("omp_set_nest_lock" suffix) void weft_set_nest_25##form(OldNestLock* lock) {                                    \
    const void* const site = WEFT_SITE;                                                                               \
    weft::omp::wait_briefly([&] { return weft::omp::try_old(*lock, true, site); });                                   \
  }                                                                                                                   \
  OLD("omp_unset_nest_lock" suffix) void weft_unset_nest_25##form(OldNestLock* lock) { weft::omp::unset_old(*lock); } \
  OLD("omp_test_nest_lock" suffix) int weft_test_nest_25##form(OldNestLock* lock) { return weft::omp::test_old(*lock); }
OLD_LOCKS("", )
OLD_LOCKS("_", _f)

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
