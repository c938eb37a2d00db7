#include "win/far.hpp"

#include <algorithm>
#include <cstring>

#include "job/node.hpp"
#include "rma/target.hpp"
#include "transport/questions.hpp"
#include "win/far_asked.hpp"
#include "win/far_waits.hpp"
#include "win/far_wire.hpp"
#include "win/waits.hpp"

namespace weft::win {
namespace {

constinit transport::Questions g_questions{};

Question question_for(const Member& member, int origin, Asks asks) noexcept {
  Question question{};
  question.line = member.beyond().line_place;
  question.origin = static_cast<std::uint32_t>(origin);
  question.asks = asks;
  return question;
}

template <class Note>
void tell(const Member& member, const Question& question, const void* data, std::uint64_t bytes,
          transport::Pending& pending, const Note& note) noexcept {
  const transport::Message message{kFarKind, &question, sizeof question, data, bytes};
  wait_far(note, [&] { return job::node().network->tell(member.pe, message, pending) != transport::Told::kAgain; });
}

// What an answer makes less; raised before. also: null where there is no such one.
struct Counts {
  Unanswered::Left& left;
  Unanswered::Left* also = nullptr;
};

void ask(const Member& member, Question& question, const void* data, std::uint64_t bytes,
         transport::Questions::Room room, const Counts& counts, transport::Pending& pending, bool kept) noexcept {
  wait_far([&] {
    question.token = g_questions.begin(member.pe, room, counts.left, kept, 0, counts.also);
    return question.token != 0;
  });
  tell(member, question, data, bytes, pending, sync::WaitNote());
}

template <class Note>
transport::Reply ask_and_wait(const Member& member, Question question, const void* data, std::uint64_t bytes,
                              transport::Questions::Room room, const Note& note) noexcept {
  std::atomic<std::uint32_t> left = 1;
  transport::Pending pending;
  ask(member, question, data, bytes, room, {left}, pending, true);
  // Acquire: what the other one has done, and the answer's data.
  wait_far(note, [&] { return left.load(std::memory_order_acquire) == 0 && pending.done(); });
  return g_questions.end(question.token);
}

void wait_for_earlier(UnderWay& under_way) noexcept {
  if (!under_way.unanswered.none()) {
    send_joined(under_way);
    Unanswered::Earlier earlier(under_way.unanswered);
    wait_far([&] { return earlier.done(); });
  }
}

boot::OfWindow lock_of(lock::Mode mode) noexcept {
  return mode == lock::Mode::kShared ? boot::OfWindow::kShared : boot::OfWindow::kExclusive;
}

Question lock_question(const Member& member, int origin, lock::Mode mode, Asks asks) noexcept {
  Question question = question_for(member, origin, asks);
  question.exclusive = mode == lock::Mode::kExclusive ? 1 : 0;
  return question;
}

Question change_question(const Member& member, int origin, const FarChange& change, Asks asks) noexcept {
  Question question = question_for(member, origin, asks);
  question.address = change.address;
  question.count = change.count;
  question.op = change.op;
  question.element = change.element;
  question.wants_before = change.before != nullptr ? 1 : 0;
  question.has_data = change.with != nullptr ? 1 : 0;
  return question;
}

// Behind those of the same elements that are under way, where that is asked for: the data of two messages may be
// complete in any order. What other threads begin meanwhile has no order with it. joined: null for one of these, which
// come one behind the other.
void come_behind(const Member* joined, const Span& span, const FarChange& change, UnderWay& under_way) noexcept {
  if (change.order == Order::kBehind &&
      (under_way.unanswered.meet(span) || (joined != nullptr && joined_meet(*joined, span, under_way)))) {
    wait_for_earlier(under_way);
  }
}

// Of one that is not waited for.
Unanswered::Left& begin_change(const Member& member, const Span& span, const FarChange& change,
                               UnderWay& under_way) noexcept {
  come_behind(&member, span, change, under_way);
  return change.order == Order::kNone ? under_way.unanswered.begin() : under_way.unanswered.begin(span);
}

// Long ones that are under way to one member together: more only fill the connection, and the caches of both ends.
constexpr std::uint32_t kMostLong = 4;

// Null: it is not long.
Unanswered::Left* begin_long(const Member& member, const FarChange& change) noexcept {
  if (change.with == nullptr || change.bytes <= kMostOfRows) {
    return nullptr;
  }
  Unanswered::Left& left = *member.beyond().long_changes;
  wait_far([&] {
    // Relaxed: a number only.
    std::uint32_t now = left.load(std::memory_order_relaxed);
    return now < kMostLong && left.compare_exchange_strong(now, now + 1, std::memory_order_relaxed);
  });
  return &left;
}

// All that lies between the first and the last one, too.
Span span_of(const Member& member, std::size_t extent, const FarRow* rows, std::size_t n_rows) noexcept {
  Span span{member.rank, rows[0].address, rows[0].address};
  for (std::size_t k = 0; k < n_rows; ++k) {
    span.low = std::min(span.low, rows[k].address);
    span.high = std::max(span.high, rows[k].address + rows[k].count * extent);
  }
  return span;
}

// Until a member has taken what it is told.
WaitTold taking(const Member& member) noexcept {
  return {member, boot::OfWindow::kCompletion, nullptr, 0, boot::kToBeTaken};
}

// Until fewer than `left` have not answered whether all has come. For people it is one member after the other.
void await_one(const MemberList& members, const UnderWay& under_way, std::uint32_t left) noexcept {
  // Acquire: pairs with the answers' arrival.
  const auto has_answered = [&] { return under_way.through.load(std::memory_order_acquire) < left; };
  const transport::Questions::Open open = g_questions.open(under_way.through);
  // None: an answer is coming just now.
  open.pe < 0 ? wait_far(has_answered) : wait_far(taking(members[static_cast<int>(open.about)]), has_answered);
}

}  // namespace

transport::Questions& far_questions() noexcept { return g_questions; }

void finish_far(UnderWay& under_way) noexcept {
  if (!under_way.unanswered.none()) {
    send_joined(under_way);  // it goes on while this waits for the moves
  }
  rma::complete(under_way.moves);
  wait_for_earlier(under_way);
}

void lock_far(const Member& member, int origin, lock::Mode mode) noexcept {
  (void)ask_and_wait(member, lock_question(member, origin, mode, Asks::kLock), nullptr, 0, {},
                     WaitTold(member, lock_of(mode), nullptr));
}

void lock_far_late(const Member& member, int origin) noexcept {
  (void)ask_and_wait(member, lock_question(member, origin, lock::Mode::kShared, Asks::kLockLate), nullptr, 0, {},
                     WaitTold(member, boot::OfWindow::kShared, nullptr));
}

void unlock_far(const Member& member, int origin, lock::Mode mode, UnderWay& under_way) noexcept {
  tell(member, lock_question(member, origin, mode, Asks::kUnlock), nullptr, 0, under_way.moves, taking(member));
}

void tell_far(const Member& member, int origin, bool posted, UnderWay& under_way) noexcept {
  tell(member, question_for(member, origin, posted ? Asks::kPosted : Asks::kCompleted), nullptr, 0, under_way.moves,
       taking(member));
}

void ask_through(const MemberList& members, int rank, int origin, UnderWay& under_way) noexcept {
  const Member& member = members[rank];
  Question question = question_for(member, origin, Asks::kThrough);
  under_way.through.fetch_add(1, std::memory_order_relaxed);
  const auto begins = [&] {
    question.token =
        g_questions.begin(member.pe, {}, under_way.through, false, static_cast<std::uint64_t>(member.rank));
    return question.token != 0;
  };
  while (!begins()) {
    // Relaxed: only the answers to this thread's questions change it meanwhile. This one is in it.
    const std::uint32_t left = under_way.through.load(std::memory_order_relaxed);
    if (left > 1) {
      await_one(members, under_way, left);
    } else {
      wait_far([&] { return begins(); });  // for other questions, which have notes of their own
      break;
    }
  }
  tell(member, question, nullptr, 0, under_way.moves, taking(member));
}

void await_through(const MemberList& members, UnderWay& under_way) noexcept {
  // Acquire: as in await_one().
  while (const std::uint32_t left = under_way.through.load(std::memory_order_acquire)) {
    await_one(members, under_way, left);
  }
}

bool find_far(const Member& member, int origin, std::uint64_t address, std::uint64_t bytes, Far* found) noexcept {
  Question question = question_for(member, origin, Asks::kFind);
  question.address = address;
  question.count = bytes;
  Far got;
  const transport::Reply reply =
      ask_and_wait(member, question, nullptr, 0, {reinterpret_cast<std::byte*>(&got.key), sizeof got.key},
                   WaitTold(member, boot::OfWindow::kElements, nullptr));
  if (reply.a == 0) {
    return false;
  }
  *found = {got.key, reply.b, member.beyond().far.moves};
  return true;
}

void change_far(const Member& member, int origin, const FarChange& change, UnderWay& under_way) noexcept {
  const std::uint64_t bytes = change.with != nullptr ? change.bytes : 0;
  const Span span{member.rank, change.address, change.address + change.reach};
  if (change.before == nullptr && change.with != nullptr && change.bytes <= kMostOfJoined) {
    come_behind(nullptr, span, change, under_way);
    if (join_far(member, origin, change, under_way)) {
      return;
    }
  }
  Question question = change_question(member, origin, change, Asks::kChange);
  if (change.before == nullptr) {
    Unanswered::Left* const long_left = begin_long(member, change);
    ask(member, question, change.with, bytes, {}, {begin_change(member, span, change, under_way), long_left},
        under_way.moves, false);
    return;
  }
  come_behind(&member, span, change, under_way);
  (void)ask_and_wait(member, question, change.with, bytes, {static_cast<std::byte*>(change.before), change.bytes},
                     WaitTold(member, boot::OfWindow::kElements, nullptr));
}

namespace {

// What tells of them, and behind that what goes in.
struct RowsTold {
  RowsTold(const FarChange& change, const FarRow* rows, std::size_t n_rows) noexcept : bytes(n_rows * sizeof(FarRow)) {
    std::memcpy(data, rows, bytes);
    if (change.with != nullptr) {
      std::memcpy(data + bytes, change.with, change.bytes);
      bytes += change.bytes;
    }
  }
  std::byte data[kMostOfRows];
  std::size_t bytes;
};

Question rows_question(const Member& member, int origin, const FarChange& change, std::size_t n_rows) noexcept {
  Question question = change_question(member, origin, change, Asks::kChangeRows);
  question.address = n_rows;
  return question;
}

void ask_of_rows(const Member& member, Question question, const RowsTold& told, transport::Questions::Room room,
                 Unanswered::Left& left) noexcept {
  transport::Pending pending;
  ask(member, question, told.data, told.bytes, room, {left}, pending, false);
  wait_far([&] { return pending.done(); });  // what is told is the caller's
}

}  // namespace

void change_rows_far(const Member& member, int origin, const FarChange& change, std::size_t extent, const FarRow* rows,
                     std::size_t n_rows, UnderWay& under_way) noexcept {
  const Question question = rows_question(member, origin, change, n_rows);
  const RowsTold told(change, rows, n_rows);
  const Span span = span_of(member, extent, rows, n_rows);
  if (change.before == nullptr) {
    ask_of_rows(member, question, told, {}, begin_change(member, span, change, under_way));
    return;
  }
  come_behind(&member, span, change, under_way);
  (void)ask_and_wait(member, question, told.data, told.bytes, {static_cast<std::byte*>(change.before), change.bytes},
                     WaitTold(member, boot::OfWindow::kElements, nullptr));
}

void read_rows_far(const Member& member, int origin, const FarChange& change, const FarRow* rows, std::size_t n_rows,
                   Unanswered::Left& left) noexcept {
  ask_of_rows(member, rows_question(member, origin, change, n_rows), RowsTold(change, rows, n_rows),
              {static_cast<std::byte*>(change.before), change.bytes}, left);
}

bool network_joins_puts() noexcept { return job::node().network->joins_puts(); }

void await_rows(const Unanswered::Left& left) noexcept {
  // Acquire: pairs with the answers' arrival.
  wait_far([&] { return left.load(std::memory_order_acquire) == 0; });
}

void swap_far(const Member& member, int origin, const FarChange& change, const void* compare,
              UnderWay& under_way) noexcept {
  come_behind(&member, {member.rank, change.address, change.address + change.reach}, change, under_way);
  const Question question = change_question(member, origin, change, Asks::kSwap);
  std::byte both[64];
  std::memcpy(both, compare, change.bytes);
  std::memcpy(both + change.bytes, change.with, change.bytes);
  (void)ask_and_wait(member, question, both, 2 * change.bytes, {static_cast<std::byte*>(change.before), change.bytes},
                     WaitTold(member, boot::OfWindow::kElements, nullptr));
}

}  // namespace weft::win
