#include "win/far.hpp"

#include <cstring>

#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "rma/target.hpp"
#include "sync/waiter.hpp"
#include "transport/questions.hpp"
#include "win/far_asked.hpp"
#include "win/far_wire.hpp"
#include "win/waits.hpp"

namespace weft::win {
namespace {

constinit transport::Questions g_questions{};

template <class Note, class Done>
void wait_far(const Note& note, Done&& done) noexcept {
  const job::Node& node = job::node();
  sync::wait(node.patience, node.value_bell(node.local), &job::shared_head(node.job).value_sleepers, note, done);
}

template <class Done>
void wait_far(Done&& done) noexcept {
  wait_far(sync::WaitNote(), done);
}

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

// `left` has been raised.
void ask(const Member& member, Question& question, const void* data, std::uint64_t bytes,
         transport::Questions::Room room, std::atomic<std::uint32_t>& left, transport::Pending& pending,
         bool kept) noexcept {
  wait_far([&] { return (question.token = g_questions.begin(member.pe, room, left, kept)) != 0; });
  tell(member, question, data, bytes, pending, sync::WaitNote());
}

template <class Note>
transport::Reply ask_and_wait(const Member& member, Question question, const void* data, std::uint64_t bytes,
                              transport::Questions::Room room, const Note& note) noexcept {
  std::atomic<std::uint32_t> left = 1;
  transport::Pending pending;
  ask(member, question, data, bytes, room, left, pending, true);
  // Acquire: what the other one has done, and the answer's data.
  wait_far(note, [&] { return left.load(std::memory_order_acquire) == 0 && pending.done(); });
  return g_questions.end(question.token);
}

void wait_for(const std::atomic<std::uint32_t>& left) noexcept {
  // Acquire: pairs with the answers' arrival.
  if (left.load(std::memory_order_acquire) != 0) {
    wait_far([&] { return left.load(std::memory_order_acquire) == 0; });
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
  rma::complete(under_way.moves);
  wait_for(under_way.changes);
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
  Question question = change_question(member, origin, change, Asks::kChange);
  const std::uint64_t bytes = change.with != nullptr ? change.bytes : 0;
  // The data of two messages may be complete in any order.
  if (change.behind_changes) {
    wait_for(under_way.changes);
  }
  if (change.before == nullptr) {
    under_way.changes.fetch_add(1, std::memory_order_relaxed);
    ask(member, question, change.with, bytes, {}, under_way.changes, under_way.moves, false);
    return;
  }
  (void)ask_and_wait(member, question, change.with, bytes, {static_cast<std::byte*>(change.before), change.bytes},
                     WaitTold(member, boot::OfWindow::kElements, nullptr));
}

void change_rows_far(const Member& member, int origin, const FarChange& change, const FarRow* rows, std::size_t n_rows,
                     UnderWay& under_way) noexcept {
  if (change.behind_changes) {
    wait_for(under_way.changes);  // as above
  }
  Question question = change_question(member, origin, change, Asks::kChangeRows);
  question.address = n_rows;
  std::byte data[kMostRows * sizeof(FarRow) + kMostOfRows];
  std::size_t bytes = n_rows * sizeof(FarRow);
  std::memcpy(data, rows, bytes);
  if (change.with != nullptr) {
    std::memcpy(data + bytes, change.with, change.bytes);
    bytes += change.bytes;
  }
  if (change.before == nullptr) {
    under_way.changes.fetch_add(1, std::memory_order_relaxed);
    transport::Pending pending;
    ask(member, question, data, bytes, {}, under_way.changes, pending, false);
    wait_far([&] { return pending.done(); });  // the data is this function's
    return;
  }
  (void)ask_and_wait(member, question, data, bytes, {static_cast<std::byte*>(change.before), change.bytes},
                     WaitTold(member, boot::OfWindow::kElements, nullptr));
}

void swap_far(const Member& member, int origin, const FarChange& change, const void* compare,
              UnderWay& under_way) noexcept {
  if (change.behind_changes) {
    wait_for(under_way.changes);  // as above
  }
  const Question question = change_question(member, origin, change, Asks::kSwap);
  std::byte both[64];
  std::memcpy(both, compare, change.bytes);
  std::memcpy(both + change.bytes, change.with, change.bytes);
  (void)ask_and_wait(member, question, both, 2 * change.bytes, {static_cast<std::byte*>(change.before), change.bytes},
                     WaitTold(member, boot::OfWindow::kElements, nullptr));
}

}  // namespace weft::win
