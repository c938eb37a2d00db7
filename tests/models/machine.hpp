// What the explorer's parts share: the state of all PEs and of the memory between them, and the PE that runs.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "models/explore.hpp"

namespace weft::explore {

inline constexpr int kPes = 4;
inline constexpr int kWords = 20;
inline constexpr int kMessages = 16;  // of one word, that somebody may still see
inline constexpr int kLog = 1000;     // operations of one PE in one turn
inline constexpr std::size_t kStack = 8192;
inline constexpr int kCounts = 8;
inline constexpr std::uint64_t kMostStates = 5'000'000;

#if WEFT_EXPLORES_X86
inline constexpr bool kX86 = true;
#else
inline constexpr bool kX86 = false;
#endif

[[noreturn]] void give_up(const std::string& why);

/// Of 128 bits, so that two states pass for one once in many lifetimes.
struct Hash {
  std::uint64_t a = 0x9e3779b97f4a7c15U;
  std::uint64_t b = 0xc2b2ae3d27d4eb4fU;
  void add(std::uint64_t value) noexcept {
    a = (a ^ value) * 0xff51afd7ed558ccdU;
    a ^= a >> 32;
    b = (b + value) * 0xc4ceb9fe1a85ec53U;
    b ^= b >> 29;
  }
  void add(const void* at, std::size_t bytes) noexcept {
    const auto* from = static_cast<const char*>(at);
    for (std::size_t k = 0; k < bytes; k += 8) {
      std::uint64_t value = 0;
      std::memcpy(&value, from + k, std::min<std::size_t>(8, bytes - k));
      add(value);
    }
  }
  bool operator==(const Hash&) const = default;
};
struct HashOf {
  std::size_t operator()(const Hash& hash) const noexcept { return hash.a; }
};

// --- memory ----------------------------------------------------------------------------------------------------------

/// For each word, which message is the oldest that may still be seen.
struct View {
  std::array<std::uint8_t, kWords> at{};
  void join(const View& other) noexcept {
    for (int w = 0; w < kWords; ++w) {
      at[w] = std::max(at[w], other.at[w]);
    }
  }
};

/// A value that a word had, and what is seen by who acquires it.
struct Message {
  std::uint64_t value;
  View view;
};
struct Word {
  std::uint8_t count;
  std::array<Message, kMessages> messages;
  Message& last() noexcept { return messages[count - 1]; }
};

enum class What : std::uint8_t { kLoad, kStore, kUpdate, kFence, kSleep, kWake, kCount, kYield, kTurn };

/// What a PE does next.
struct Request {
  What what = What::kTurn;
  std::uint8_t word = 0;
  std::uint8_t shift = 0;  // bits; the operation may be one on half a word
  std::uint8_t bytes = 0;
  std::memory_order order = std::memory_order_relaxed;
  Change change = Change::kAdd;
  bool is_omitted = false;
  std::uint8_t slot = 0;
  std::uint64_t operand = 0;
  std::uint64_t compare = 0;
  const char* file = "";
  unsigned line = 0;
};

enum class Status : std::uint8_t { kRuns, kSleeps, kIdle, kHasEnded };

struct Pe {
  Status status = Status::kRuns;
  std::uint8_t call = 0;
  std::uint16_t logged = 0;
  bool has_waited = false;                  // for news: who does not see them waits still
  std::uint8_t word = 0;                    // asleep on it
  std::uint8_t half = 0;                    // and where in it
  std::uint32_t mask = 0;                   // of the sleep
  std::uint32_t looked_at = 0;              // words, since the last yield
  std::array<std::uint8_t, kWords> seen{};  // of those: which message, and one more; 0: one that is forgotten
  View now;                                 // what it sees
  View acquired;                            // what it sees after a fence
  View released;                            // what is seen by who acquires its relaxed stores
  Hash at;                                  // where in its turn it is
  Hash yielded_at;                          // where it was at its last yield, and how much it had logged
  std::uint16_t yielded_logged = 0;
  Request next;
  std::array<std::uint64_t, kLog> log{};  // the last member: of it only what is logged is copied
};

struct State {
  std::array<Word, kWords> words;
  std::array<Pe, kPes> pes;
  View fences;  // what all full fences have seen
  std::array<std::int8_t, kCounts> counts{};
};

struct Shared {
  std::uintptr_t at;
  std::size_t bytes;
  std::string name;
};

// --- the PE that runs ------------------------------------------------------------------------------------------------

struct Runner {
  const Model* model = nullptr;
  std::vector<Fault> faults;
  std::vector<unsigned> fault_lines;
  std::vector<Shared> shared;
  std::array<std::uint32_t, kPes> looks{};  // words at which each PE has ever looked
  bool looks_at_more = false;

  bool running = false;
  // Of the PE whose turn it is. Always in these places: a pointer on its stack would tell two states apart.
  std::array<std::uint64_t, kLog> log{};
  int logged = 0;
  Request next;
  Hash at;
  int played = 0;
  const std::byte* frame = nullptr;
  bool stutters = false;  // since a yield
  std::array<std::uint64_t, kWords> last{};
  std::array<bool, kWords> has_last{};
  std::string error;
  bool has_ended = false;  // its turn
  bool again = false;      // and there is another one
  ucontext_t engine{};
  ucontext_t turn{};
  ucontext_t registers{};  // with which every turn begins: what the caller has in its own is not the same each time
  alignas(64) std::array<std::byte, kStack> stack{};
};
extern Runner g;

// --- operations.cpp: what the code under test calls ------------------------------------------------------------------

unsigned line_of(const Fault& fault);
std::uint64_t part(std::uint64_t word, const Request& of) noexcept;
std::uint64_t with_part(std::uint64_t word, const Request& of, std::uint64_t value) noexcept;
std::uint64_t raw(const void* at, std::size_t bytes) noexcept;
std::uint64_t changed(Change change, std::uint64_t before, std::uint64_t operand, std::uint64_t compare) noexcept;

// --- steps.cpp: what may happen, and what it does --------------------------------------------------------------------

/// What may happen next: a PE goes on; where it looks, at this message.
struct Step {
  std::int8_t pe;
  std::uint8_t which;
};

void steps_of(const State& s, int pe, std::vector<Step>& steps);
void take(State& s, Step step);
/// Runs a PE to its next operation that concerns others.
void run_to_next(State& s, int pe);
void forget(State& s) noexcept;

}  // namespace weft::explore
