#include "boot/presence.hpp"

#include <linux/futex.h>
#include <pthread.h>

#include <cstring>

namespace weft::boot {
namespace {

static_assert(sizeof(pthread_mutex_t) <= Presence::kLockBytes);

// Where the C library keeps the word that the kernel knows of.
#if defined(__GLIBC__)
constexpr std::size_t kWord = 0;
#else
constexpr std::size_t kWord = sizeof(int);  // musl
#endif

}  // namespace

void show_presence(PeRecord& record) noexcept {
  // Anew, where the program has executed itself before shmem_init.
  auto* lock = reinterpret_cast<pthread_mutex_t*>(record.presence.lock);
  pthread_mutexattr_t kind;
  ::pthread_mutexattr_init(&kind);
  ::pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  ::pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  if (::pthread_mutex_init(lock, &kind) == 0) {
    (void)::pthread_mutex_lock(lock);
  }
  ::pthread_mutexattr_destroy(&kind);
}

bool seems_replaced(const PeRecord& record) noexcept {
  // Relaxed: nothing else goes with it.
  const auto& word = *reinterpret_cast<const std::atomic<std::uint32_t>*>(record.presence.lock + kWord);
  return (word.load(std::memory_order_relaxed) & FUTEX_OWNER_DIED) != 0;
}

}  // namespace weft::boot
