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

// Relaxed, everywhere here: numbers for people, which order nothing.
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

void came(int /*pe*/, std::uint32_t context, std::uint64_t bytes, msg::Way way) noexcept {
  if (!counts(context)) {
    return;
  }
  Came& tally = session_header()->came[static_cast<int>(way)][size_class(bytes)];
  tally.count.fetch_add(1, std::memory_order_relaxed);
  tally.bytes.fetch_add(bytes, std::memory_order_relaxed);
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

void count_messages() noexcept { g_on.store(true, std::memory_order_relaxed); }

static_assert(msg::kWays == kWays);

}  // namespace weft::profile

// libmpi_abi.so asks for it when it begins.
extern "C" [[gnu::visibility("default")]] const weft::msg::Listener weft_messages_tool;
extern "C" const weft::msg::Listener weft_messages_tool = {weft::profile::sent, weft::profile::came,
                                                           weft::profile::awaited, weft::interpose::interrupted_site};
