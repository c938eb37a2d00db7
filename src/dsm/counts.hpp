// What has been done since the process began: for weft_shared_stats, tests, and the profile (record.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/result.hpp"
#include "dsm/protocol/diff.hpp"
#include "dsm/record.hpp"
#include "os/clock.hpp"

namespace weft::dsm {

/// In the recording where one is made; else this process's own.
extern constinit std::atomic<std::uint64_t>* g_counts;
/// Null: none is made. What takes a clock, or counts where nothing is counted otherwise, looks at it.
extern constinit Record* g_record;

inline void count(Count what, std::uint64_t by = 1) noexcept {
  g_counts[static_cast<std::size_t>(what)].fetch_add(by, std::memory_order_relaxed);
}
inline std::uint64_t counted(Count what) noexcept {
  return g_counts[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
}

inline void count_if_recorded(Count what) noexcept {
  if (g_record != nullptr) {
    count(what);
  }
}

/// Pages come from a home, and changes of a page go there.
void note_fetched(int home, std::uint32_t first, std::uint32_t pages) noexcept;
void note_sent(int home, std::uint32_t page, const protocol::Changes& changes) noexcept;

/// The time until its end, where a recording is made.
class Timed {
 public:
  explicit Timed(Count what) noexcept : what_(what), begin_(g_record == nullptr ? 0 : os::now_ns()) {}
  ~Timed() {
    if (begin_ != 0) [[unlikely]] {
      end();
    }
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  void end() const noexcept;
  Count what_;
  std::uint64_t begin_;
};

/// Once the range is there. Opened the first time; whoever shares memory anew goes on in the same recording, if that
/// has room for it: another range has other cells.
base::Result<void> open_record(const char* folder, bool of_openmp) noexcept;
/// This PE has come to its end.
void end_record() noexcept;
/// A window was added.
void record_window(std::uintptr_t at, std::uint64_t bytes, std::uint64_t offset) noexcept;
/// In a forked child, which is no PE: the file is its parent's.
void forget_record() noexcept;

}  // namespace weft::dsm
