#include "profile/mpi_messages.hpp"

#include <atomic>

#include "interpose/site.hpp"
#include "msg/listener.hpp"
#include "profile/session.hpp"

namespace weft::profile {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local Passed t_passed;

// One word for all threads, as whichever looks for messages finds them: ticks since the recording began, above the PE.
// Of threads that wait at the same time one may so take another's message for its own.
constinit std::atomic<std::uint64_t> g_awaited = 0;
constexpr int kPeBits = Meetings::kPeBits;

constinit std::atomic<bool> g_on = false;

// What the MPI library sends for itself (record 0052).
constexpr bool is_internal(std::uint32_t context) { return context >> 31 != 0; }

// Relaxed, where nothing else is said: numbers for people, which order nothing.
bool counts(std::uint32_t context) noexcept {
  return g_on.load(std::memory_order_relaxed) && !is_internal(context) && session_counts();
}

void sent(int pe, std::uint32_t context, std::uint64_t bytes) noexcept {
  if (!counts(context)) {
    return;
  }
  ++t_passed.sent;
  t_passed.sent_bytes += bytes;
  if (ThreadRecorder* thread = recorder(); thread != nullptr) {
    thread->count_sent(pe, bytes);
  }
}

void add(Came& tally, std::uint64_t count, std::uint64_t bytes) noexcept {
  tally.count.fetch_add(count, std::memory_order_relaxed);
  tally.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

// Ranks that are out of MPI_Init send to those that are in it yet, and the recording begins when that returns.
constinit Came g_early[kWays][kSizeClasses]{};

// By whoever comes first, each number once.
void move_early(int way, int size) noexcept {
  Came& early = g_early[way][size];
  const std::uint64_t count = early.count.exchange(0, std::memory_order_relaxed);
  const std::uint64_t bytes = early.bytes.exchange(0, std::memory_order_relaxed);
  if (session_header() != nullptr && (count != 0 || bytes != 0)) {
    add(session_header()->came[way][size], count, bytes);
  }
}

void came(int /*pe*/, std::uint32_t context, std::uint64_t bytes, msg::Way way) noexcept {
  const int of = static_cast<int>(way);
  const int size = size_class(bytes);
  if (counts(context)) {
    add(session_header()->came[of][size], 1, bytes);
  } else if (!is_internal(context) && !g_on.load(std::memory_order_relaxed)) {
    add(g_early[of][size], 1, bytes);
    // Sequentially consistent, as in count_messages: it has moved what was added before it set g_on, or this sees g_on.
    // Acquire with that: the recording is open.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (g_on.load(std::memory_order_acquire)) {
      move_early(of, size);
    }
  }
}

void awaited(int pe, std::uint32_t context) noexcept {
  if (counts(context)) {
    const std::uint64_t since = session_clock().now() - session_header()->first.ticks;
    g_awaited.store(since << kPeBits | static_cast<unsigned>(pe), std::memory_order_relaxed);
  }
}

}  // namespace

Passed passed() noexcept { return t_passed; }

Awaited latest_awaited() noexcept {
  const std::uint64_t word = g_awaited.load(std::memory_order_relaxed);
  if (word == 0) {
    return {};
  }
  return {static_cast<int>(word & ((1U << kPeBits) - 1)), session_header()->first.ticks + (word >> kPeBits)};
}

void count_messages() noexcept {
  // Release: who sees it sees the recording.
  g_on.store(true, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (int way = 0; way < kWays; ++way) {
    for (int size = 0; size < kSizeClasses; ++size) {
      move_early(way, size);
    }
  }
}

static_assert(msg::kWays == kWays);

}  // namespace weft::profile

// libmpi_abi.so asks for it when it begins.
extern "C" [[gnu::visibility("default")]] const weft::msg::Listener weft_messages_tool;
extern "C" const weft::msg::Listener weft_messages_tool = {weft::profile::sent, weft::profile::came,
                                                           weft::profile::awaited, weft::interpose::interrupted_site};
