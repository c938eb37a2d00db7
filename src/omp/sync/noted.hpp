// What threads tell people of themselves, where the program runs in a job (boot/threads.hpp): who they are, and what
// they wait for once they have waited for as long as people notice. So nothing of it is in the way of a wait that ends.
#pragma once

#include <atomic>
#include <cstdint>

#include "boot/threads.hpp"
#include "omp/far/message.hpp"

namespace weft::omp {

using boot::ThreadWaits;

/// Of this thread: where it tells, null where nobody listens; and what names it in the words of mutexes (mutex.hpp).
struct Noted {
  boot::ThreadRecord* record;
  std::uint32_t mark;
};
/// Of a thread that has used nothing but locks.
inline constexpr std::uint32_t kSomebody = ~1U;
extern __thread Noted t_noted __attribute__((tls_model("initial-exec")));

constexpr std::uint32_t mark_of(std::uint32_t id) noexcept { return id << 1; }
/// 0: nobody knows.
constexpr std::uint32_t id_of(std::uint32_t mark) noexcept { return mark >> 1 == kSomebody >> 1 ? 0 : mark >> 1; }
inline std::uint32_t own_id() noexcept { return id_of(t_noted.mark); }

/// Where a thread comes from: the team that has made it; none of a thread of the program's own.
struct Birthplace {
  const void* team = nullptr;
  std::uint32_t number = 0;  // in this process
  std::uint32_t level = 0;
  std::uint32_t primary = 0;
};
/// Writes where this thread is now. The code of the region, null for none.
using TellPosition = const void*(boot::ThreadRecord& record) noexcept;
void begin_notes(const Birthplace& from, TellPosition* position) noexcept;
void end_notes() noexcept;

/// A region over processes that have pages: which of its threads are here; none: it is over.
void note_far_region(const void* team, int first, int here, int size) noexcept;
/// In such, who holds a lock is known by what its thread notes.
void note_held(const void* lock) noexcept;
void note_released(const void* lock) noexcept;

struct Awaited {
  ThreadWaits why = ThreadWaits::kNot;  // kNot: not told
  const void* site = nullptr;
  const void* object = nullptr;
  std::uint64_t wanted = 0;
  const std::atomic<long>* left = nullptr;                             // instead of `wanted`
  std::uint32_t (*holder)(const Awaited& awaited) noexcept = nullptr;  // who is to end it; 0: not known
};

/// A wait of this thread.
class LongWait {
 public:
  explicit LongWait(const Awaited& awaited) noexcept : awaited_(awaited) {}
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;
  ~LongWait() {
    if (told_) {
      over();
    }
  }
  /// It has been found to go on.
  void looked(std::uint32_t holder = 0) noexcept {
    if (t_noted.record != nullptr && awaited_.why != ThreadWaits::kNot) {
      tell(holder);
    }
  }
  /// How long it may sleep before it looks again; 0: until it is woken.
  std::uint64_t nap_ns() const noexcept {
    return t_noted.record == nullptr || (told_ && awaited_.why == ThreadWaits::kRegion) ? 0 : kNap;
  }

 private:
  static constexpr std::uint64_t kNap = 100'000'000;
  void tell(std::uint32_t holder) noexcept;
  void over() noexcept;

  const Awaited& awaited_;
  std::uint64_t begun_ = 0;
  bool told_ = false;
};

/// The question (omp/far), as something that is waited for.
far::Message ask(const far::Message& question, const Awaited& awaited) noexcept;
/// At a barrier of several processes (omp/far/message.hpp): the same.
far::Message meet(const far::Message& question, std::uint64_t constructs, bool alone, const Awaited& awaited) noexcept;
/// Until the other processes are through with the region.
void finish_there(const Awaited& awaited) noexcept;

}  // namespace weft::omp

/// What the call of a construct returns to in the program; in the function that the program has called.
#define WEFT_SITE __builtin_return_address(0)
