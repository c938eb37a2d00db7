// How questions to PEs of other nodes are put, and what is said in them (elsewhere.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "dsm/state.hpp"
#include "dsm/waits.hpp"
#include "sync/waiter.hpp"
#include "transport/questions.hpp"
#include "transport/transport.hpp"

namespace weft::dsm {

// Kinds of messages, from the front end's first one on.
inline constexpr transport::Kind kFirst = transport::first_kind_of(boot::Interface::kSharedPages);
enum Kind : transport::Kind {
  kShow = kFirst,  // a Hub; no answer
  kFetch,
  kDiff,
  kNotices,
  kHomes,
  kBook,
  kOperate,
  kLock,
  kOperatePair,
  kTake,
  kFix,
  kPush,
  kSettle,
  kEndOfKinds,
};

/// What is asked: the same head for all kinds. The token comes back with the answer.
struct Question {
  std::uint64_t token;
  std::uint32_t first;  // a page
  std::uint32_t count;
  std::uint8_t what;  // Op, or what of the book or lock
  std::uint8_t bytes;
  std::uint16_t unused;
  std::uint32_t unused_too;
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
};
static_assert(sizeof(Question) == transport::kMostHead && std::is_trivially_copyable_v<Question>);

/// Of kOperatePair, whose words take the room of all that it has no use for.
struct PairQuestion {
  std::uint64_t token;
  std::uint64_t first;
  std::uint8_t what;  // Op
  std::uint8_t unused[3];
  std::uint32_t number;  // of the pair: where it is, by its size
  std::uint64_t second;
  std::uint64_t expected_first;
  std::uint64_t expected_second;
};
static_assert(sizeof(PairQuestion) == sizeof(Question) && offsetof(PairQuestion, what) == offsetof(Question, what));
static_assert(kMostBytes / 16 <= UINT32_MAX);

using transport::Reply;

enum class Book : std::uint8_t { kAllocate, kRelease, kRoom, kLeft, kRoomBehind, kReturned, kLost };
enum class Turn : std::uint8_t { kTake, kTry, kGive };

inline constexpr std::uint32_t kPagesOfMessage = transport::kMostAnswer / kPageBytes;
inline constexpr std::size_t kParcelBytes = 65536;
inline constexpr std::size_t kRunsOfMessage = kParcelBytes / sizeof(std::uint64_t);

/// Null: one node.
void ask_by(transport::Transport* network) noexcept;
bool several_nodes() noexcept;

/// A message without an answer and without data.
void tell(int pe, transport::Kind kind, const void* head, std::size_t bytes) noexcept;
/// `left` has been raised, and goes down when the answer is here; its data is where it was wanted then. Data of the
/// question stays as it is until `pending` says that all is complete.
struct Data {
  const void* at = nullptr;
  std::uint64_t bytes = 0;
};
using Room = transport::Questions::Room;
void ask(int pe, Kind kind, Question question, Data data, Room room, std::atomic<std::uint32_t>& left,
         transport::Pending& pending) noexcept;
/// One question, and its answer.
Reply ask_and_wait(int pe, Kind kind, Question question, Room room = {},
                   const sync::WaitNote* of_program = nullptr) noexcept;

/// In two parts: `left`, which is 1, goes down when the answer is here, and then end_kept() gives it, once.
std::uint64_t ask_kept(int pe, Kind kind, Question question, std::atomic<std::uint32_t>& left) noexcept;
Reply end_kept(std::uint64_t token) noexcept;

/// For people: one that is not answered, of those whose answers make `left` go down; `about` as number_of() has it.
transport::Questions::Open open_question(const std::atomic<std::uint32_t>& left) noexcept;

/// Of handlers: an answer to a question of this PE.
transport::Landing place_answer(const transport::Arrival& arrival) noexcept;
void answered(const transport::Arrival& arrival) noexcept;

/// Ends the program: that PE has sent what cannot be.
[[noreturn]] void fail_of(int pe, const char* what) noexcept;

}  // namespace weft::dsm
