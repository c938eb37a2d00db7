#include "omp/sync/locks.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/sync/turns.hpp"

namespace weft::omp {
namespace {

// A lock that this process has met. Its threads agree among themselves first, so one question at a time is put, and
// hand the lock on among themselves so many times before another process is asked for it.
constexpr int kMostHandedOn = 16;
struct Known {
  const void* name;
  Turns among_threads;
  int handed_on;  // changed by who has the turn
  Nest nest;
  Known* next;
};
struct Bucket {
  Mutex mutex;
  Known* first = nullptr;
};
constexpr std::size_t kBuckets = 256;
constinit Bucket g_buckets[kBuckets];

Bucket& bucket_of(const void* name) noexcept {
  return g_buckets[reinterpret_cast<std::uintptr_t>(name) / sizeof(std::uint32_t) % kBuckets];
}

Known& known(const void* name) noexcept {
  Bucket& bucket = bucket_of(name);
  const Guard guard(bucket.mutex);
  for (Known* each = bucket.first; each != nullptr; each = each->next) {
    if (each->name == name) {
      return *each;
    }
  }
  bucket.first = new (need_memory(sizeof(Known))) Known{name, {}, 0, {0, nullptr}, bucket.first};
  return *bucket.first;
}

far::Message of_lock(far::What what, const void* name) noexcept {
  far::Message message;
  message.what = what;
  message.a = reinterpret_cast<std::uintptr_t>(name);
  return message;
}

}  // namespace

namespace {

[[gnu::noinline]] void lock_far(Mutex& mutex, ThreadWaits why, const void* site) noexcept {
  const Awaited awaited{.why = why, .site = site, .object = &mutex};
  if (known(&mutex).among_threads.take(awaited)) {
    note_held(&mutex);  // and what others wrote under it, this process has got already
    return;
  }
  (void)ask(of_lock(far::What::kLock, &mutex), awaited);
  note_held(&mutex);
  image::acquire(site, true);
}

}  // namespace

void lock(Mutex& mutex, ThreadWaits why, const void* site) noexcept {
  if (image::far() == nullptr) {
    mutex.lock(why, site);
  } else {
    lock_far(mutex, why, site);
  }
}

bool try_lock(Mutex& mutex) noexcept {
  if (image::far() == nullptr) {
    return mutex.try_lock();
  }
  Known& here = known(&mutex);
  if (!here.among_threads.try_take()) {
    return false;
  }
  if (ask(of_lock(far::What::kTry, &mutex), {}).a == 0) {
    here.among_threads.give();
    return false;
  }
  note_held(&mutex);
  image::acquire();
  return true;
}

namespace {

[[gnu::noinline]] void unlock_far(Mutex& mutex, const far::Table& far, Shows shows) noexcept {
  Known& here = known(&mutex);
  // Also where the next one is a thread of this process, which needs none: behind it this thread may store a flag that
  // the compiler makes a plain store of, and who finds that in another process finds what was written under the lock.
  image::release();
  note_released(&mutex);
  // Counted before: behind leave() the next one may be here.
  if (++here.handed_on <= kMostHandedOn && here.among_threads.leave()) {
    return;
  }
  here.handed_on = 0;
  far::Message message = of_lock(far::What::kUnlock, &mutex);
  message.how = shows == Shows::kTests ? far::kMayBeTested : 0;
  far.say(message);
  here.among_threads.give();
}

}  // namespace

void unlock(Mutex& mutex, Shows shows) noexcept {
  if (const far::Table* const far = image::far(); far == nullptr) {
    mutex.unlock();
  } else {
    unlock_far(mutex, *far, shows);
  }
}

Nest* far_nest(const void* lock) noexcept { return image::far() == nullptr ? nullptr : &known(lock).nest; }

void forget_lock(const void* lock) noexcept {
  if (image::far() == nullptr) {
    return;
  }
  Bucket& bucket = bucket_of(lock);
  const Guard guard(bucket.mutex);
  for (Known** at = &bucket.first; *at != nullptr; at = &(*at)->next) {
    if ((*at)->name == lock) {
      Known* const gone = *at;
      *at = gone->next;
      std::free(gone);
      return;
    }
  }
}

}  // namespace weft::omp
