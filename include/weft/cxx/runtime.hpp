/// The life of the library (9.1, 9.2), PEs, barriers over all of them and locks. Programs include <weft/shmem.hpp>.
#pragma once

#include <weft/cxx/base.hpp>

namespace shmem {

/// The library is initialised while an object of this class lives. Constructor and destructor are collective over all
/// PEs (9.1.1, 9.1.4): the destructor is a barrier and completes all operations. There may be several, one inside the
/// other. Make it the first object of main(): what else owns symmetric memory, contexts or teams ends before it.
class runtime {
 public:
  runtime() {
    shmem_init();
    int provided = 0;
    shmem_query_thread(&provided);
    provided_ = static_cast<thread_level>(provided);
  }
  /// With threads (9.2.1). False when the library could not start; it says why on stderr.
  explicit runtime(thread_level requested) {
    int provided = 0;
    started_ = shmem_init_thread(static_cast<int>(requested), &provided) == 0;
    provided_ = static_cast<thread_level>(provided);
  }
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime() {
    if (started_) shmem_finalize();
  }

  explicit operator bool() const noexcept { return started_; }
  /// What the library grants, which may be more or less than was asked for.
  [[nodiscard]] thread_level provided() const noexcept { return provided_; }

 private:
  bool started_ = true;
  thread_level provided_ = thread_level::single;
};

/// Number of this PE, and of PEs (9.1.2, 9.1.3).
[[nodiscard]] WEFT_CXX int my_pe() { return shmem_my_pe(); }
[[nodiscard]] WEFT_CXX int n_pes() { return shmem_n_pes(); }

/// Ends all PEs with this exit status; one PE is enough to call it (9.1.6).
[[noreturn]] inline void global_exit(int status) { shmem_global_exit(status); }

/// A pointer for loads and stores to the object of `pe` that `dest` is here, or null where that is impossible (9.1.9).
/// It is not a symmetric address.
template <class T>
[[nodiscard]] WEFT_CXX T* ptr(T* dest, int pe) {
  return static_cast<T*>(shmem_ptr(dest, pe));
}

/// Waits for all PEs, and completes all operations of the default context first (9.10.1).
WEFT_CXX void barrier_all() { shmem_barrier_all(); }

/// Waits for all PEs. Stores are visible afterwards; puts are not completed (9.10.4).
WEFT_CXX void sync_all() { shmem_sync_all(); }

/// A lock of all PEs (9.13), as std::lock_guard and std::unique_lock want it. `word` is symmetric and 0 on all PEs at
/// first; who has waited longest is next. Unlocking completes the operations of the default context first.
class mutex {
 public:
  explicit mutex(long* word) noexcept : word_{word} {}
  void lock() { shmem_set_lock(word_); }
  void unlock() { shmem_clear_lock(word_); }
  [[nodiscard]] bool try_lock() { return shmem_test_lock(word_) == 0; }

 private:
  long* word_;
};

}  // namespace shmem
