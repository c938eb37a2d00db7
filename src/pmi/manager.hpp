// A process manager: who has started the processes of a job where it is not oshrun, and keeps a store of values for
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"

namespace weft::pmi {

/// Most bytes of one value.
inline constexpr std::size_t kMostValue = 480;

class Manager {
 public:
  /// For messages: "PMI-1", "PMIx".
  virtual const char* name() const noexcept = 0;
  /// What it calls the job, as it does no other one at the time.
  virtual const char* job_name() const noexcept = 0;

  /// Kept for the others to read; they can after the next fence. Each PE may put a key once.
  virtual base::Result<void> put(const char* key, std::span<const std::byte> value) noexcept = 0;
  /// Returns when all PEs of the job have called it.
  virtual base::Result<void> fence() noexcept = 0;
  /// The last fence of all: false when the others have not come within so many milliseconds.
  virtual bool fence_within(int milliseconds) noexcept = 0;
  /// What that PE has put. It must have exactly the size of `value`.
  virtual base::Result<void> get(int pe, const char* key, std::span<std::byte> value) noexcept = 0;

  /// Asks the manager to end the whole job with this exit status. May return before that has happened.
  virtual void abort(int status, const char* message) noexcept = 0;
  /// This process needs the manager no more, and its end is no failure.
  virtual void finalize() noexcept = 0;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

 protected:
  Manager() = default;
  ~Manager() = default;  // they live until the process ends

  int rank_ = -1;
  int size_ = 0;
};

/// Whether this can be process `rank` of `size`: launchers tell both, and tables are made of them.
base::Result<void> check_place(std::int64_t rank, std::int64_t size) noexcept;

/// A value of fixed size, as it is.
template <class T>
base::Result<void> put(Manager& manager, const char* key, const T& value) noexcept {
  static_assert(sizeof(T) <= kMostValue);
  return manager.put(key, std::as_bytes(std::span(&value, 1)));
}
template <class T>
base::Result<T> get(Manager& manager, int pe, const char* key) noexcept {
  T value{};
  const auto got = manager.get(pe, key, std::as_writable_bytes(std::span(&value, 1)));
  return got ? base::Result<T>(value) : got.error();
}

/// PEs that wait for others to come to shmem_init say so when it takes this long. One that has ended without calling it
/// would have all others wait in silence, as not every manager notices.
inline constexpr int kLongFenceSeconds = 30;
void tell_of_long_fence(const Manager& manager) noexcept;

}  // namespace weft::pmi
