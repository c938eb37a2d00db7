// What members of other nodes ask of this process's part of a window, and what it does for them.
//
// Handlers never wait: who asks for a lock that is not free gets a place in its queue and is answered later, and so is
// who changes elements for which a lock is needed that somebody has. That change is made when it is the place's turn,
// whether or not who asked for it still lives: so nobody has to give a place back.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/lines.hpp"
#include "job/agent.hpp"
#include "job/node.hpp"
#include "lock/elsewhere.hpp"
#include "os/clock.hpp"
#include "progress/work.hpp"
#include "win/far.hpp"
#include "win/far_asked.hpp"
#include "win/far_changes.hpp"
#include "win/far_wire.hpp"
#include "win/window.hpp"

namespace weft::win {
namespace {

using transport::Arrival;
using transport::Landing;
using transport::Reply;

// Data of a question, which an answer waits for.
using Bytes = std::unique_ptr<std::byte[]>;

// A member that waits for the window's lock: it has a place in the queue or, late, a round.
struct WaitsForLock {
  Line* line;
  lock::Mode mode;
  std::uint32_t position;
  std::optional<lock::Politeness> late;
  int pe;
  std::uint64_t token;
  transport::Owed* owed;
};
// A change that has a place in the queue of the elements' lock.
struct WaitsToChange {
  Window* window;
  Question question;
  Place place;
  int pe;
  Bytes data;
  std::uint64_t bytes;
  transport::Owed* owed;
};

struct Home {
  std::mutex mutex;  // of all of this
  struct Shown {
    Window* window;
    std::vector<std::uint8_t> holds;  // by member: kNone, or the mode of the lock that it has asked for, and one more
  };
  static constexpr std::uint8_t kNone = 0;
  std::unordered_map<std::uint64_t, Shown> windows;
  std::vector<WaitsForLock> locks;
  std::vector<WaitsToChange> changes;
};
// For the life of the process: pollers may look at it until its end.
Home& home() noexcept {
  static Home& made = *new Home;
  return made;
}
// Whether any of them wait: a hint for pollers (g_serve), without the mutex.
constinit std::atomic<bool> g_waiting = false;
// Before the look that follows on putting somebody there. Relaxed, and a fence behind it. Where that look misses a
// change of the queue, who made it sees that somebody waits, and calls the agent (lock/elsewhere.hpp). The agent looks
// at the hint behind a fence of its own, before each sleep (Progress::sleep_announced()). That one is behind the
// change, and so behind this one, and the agent finds that there is something to do.
void hint_before_looking() noexcept {
  g_waiting.store(true, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

// ---- Locks

bool goes_in(const WaitsForLock& each) noexcept {
  lock::SharedLock& lock = each.line->lock;
  std::atomic<std::uint32_t>& elsewhere = each.line->elsewhere;
  const bool is_in =
      each.late ? lock::let_in_late_from_elsewhere(lock, elsewhere, each.position, each.late->is_over(os::now_ns()))
                : lock::let_in_from_elsewhere(lock, elsewhere, each.mode, each.position);
  if (!is_in) {
    return false;
  }
  const Reply reply{each.token, 0, 0};
  (void)each.owed->answer({kFarKind, &reply, sizeof reply, nullptr, 0});
  return true;
}

// Whoever is let in may let in the next one. Under the mutex.
void let_in(Home& here) noexcept {
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 0; k < here.locks.size(); ++k) {
      if (goes_in(here.locks[k])) {
        here.locks.erase(here.locks.begin() + static_cast<std::ptrdiff_t>(k));
        found = true;
        break;
      }
    }
  }
}

// False: it is answered later.
bool take_lock_for(Home& here, Line& line, const Question& question, int pe, transport::Answerer& answerer) noexcept {
  WaitsForLock waits{
      &line,  question.exclusive != 0 ? lock::Mode::kExclusive : lock::Mode::kShared, 0, {}, pe, question.token,
      nullptr};
  if (question.asks == Asks::kLockLate) {
    const lock::LateTurn turn = lock::ask_late_from_elsewhere(line.lock, line.elsewhere);
    if (turn.is_inside) {
      return true;
    }
    waits.position = turn.round;
    waits.late.emplace(os::now_ns());
  } else {
    const lock::Turn turn = lock::queue_from_elsewhere(line.lock, line.elsewhere, waits.mode, pe);
    if (turn.is_inside) {
      return true;
    }
    waits.position = turn.position;
  }
  waits.owed = answerer.keep();
  if (waits.owed == nullptr) {
    base::fail(nullptr, "no memory for PEs that wait for a window's lock");
  }
  here.locks.push_back(waits);
  hint_before_looking();
  let_in(here);
  return false;
}

// ---- Elements

// Under the mutex. False: it has a place and is to come again.
bool change(Window& window, const Question& question, const Asked& asked, Place* place, const auto& answer) noexcept {
  Before before;
  if (!change_for(window, question, asked, place, &before)) {
    return false;
  }
  const Reply reply{question.token, 0, 0};
  answer(transport::Message{kFarKind, &reply, sizeof reply, before.at, before.bytes});
  return true;
}

// Under the mutex. Who goes in may let in the next one, which is behind it in the list too.
void go_on_changing(Home& here) noexcept {
  std::erase_if(here.changes, [](WaitsToChange& each) {
    return change(*each.window, each.question, {each.data.get(), each.bytes, each.pe}, &each.place,
                  [&](const transport::Message& message) { (void)each.owed->answer(message); });
  });
}

void change_or_queue(Home& here, Window& window, const Question& question, const Arrival& arrival, Bytes& data,
                     transport::Answerer& answerer) noexcept {
  Place place;
  if (change(window, question, {data.get(), arrival.bytes, arrival.pe}, &place,
             [&](const transport::Message& message) { (void)answerer.answer(message); })) {
    return;
  }
  transport::Owed* const owed = answerer.keep();
  if (owed == nullptr) {
    base::fail(nullptr, "no memory for changes of a window that wait");
  }
  here.changes.push_back({&window, question, place, arrival.pe, std::move(data), arrival.bytes, owed});
  hint_before_looking();
  go_on_changing(here);
}

// ---- Messages

// Relaxed: mostly nobody waits, and who comes to wait looks himself; see hint_before_looking() for who is called.
constinit progress::Poller g_serve{.what = []() noexcept {
  if (g_waiting.load(std::memory_order_relaxed)) {
    serve_far_waiters();
  }
  return false;
}};

Landing place(void* /*self*/, const Arrival& arrival, transport::Answerer& /*answerer*/) noexcept {
  if (arrival.is_answer) {
    Landing landing;
    if (!far_questions().place(arrival, &landing)) {
      fail_of(arrival.pe, "an answer that nobody has asked for");
    }
    return landing;
  }
  if (arrival.bytes == 0) {
    return {};
  }
  auto* const room = arrival.bytes > kMostOfQuestion ? nullptr : new (std::nothrow) std::byte[arrival.bytes];
  if (room == nullptr) {
    fail_of(arrival.pe, "more data than there is room for");
  }
  return {room, nullptr};
}

void answer_find(Window& window, const Question& question, transport::Answerer& answerer) noexcept {
  Far found;
  const bool is_there = window.find_own_key(question.address, question.count, &found);
  const Reply reply{question.token, is_there ? 1U : 0U, found.base};
  (void)answerer.answer({kFarKind, &reply, sizeof reply, &found.key, is_there ? sizeof found.key : 0});
}

// Of a member's one lock: it is asked for once, and given back as it was taken.
void check_lock(std::uint8_t& holds, const Question& question, int pe) noexcept {
  const auto mode = static_cast<std::uint8_t>(1 + question.exclusive);
  const bool takes = question.asks != Asks::kUnlock;
  if (question.exclusive > (question.asks == Asks::kLockLate ? 0 : 1) || holds != (takes ? Home::kNone : mode)) {
    fail_of(pe, takes ? "a request for a lock that it has" : "a lock back that it has not");
  }
  holds = takes ? mode : Home::kNone;
}

// The order of the others is what kThrough counts on.
bool may_have_data(Asks asks) noexcept {
  return asks == Asks::kChange || asks == Asks::kSwap || asks == Asks::kChangeRows || asks == Asks::kChangeMany;
}

// False: it is answered, or will be, or nobody wants an answer.
bool is_to_be_answered(Home& here, Home::Shown& shown, const Question& question, const Arrival& arrival, Bytes& data,
                       transport::Answerer& answerer) noexcept {
  Window& window = *shown.window;
  Line& line = window.own_line();
  switch (question.asks) {
    case Asks::kLock:
    case Asks::kLockLate: return take_lock_for(here, line, question, arrival.pe, answerer);
    case Asks::kUnlock:
      lock::leave(line.lock, question.exclusive != 0 ? lock::Mode::kExclusive : lock::Mode::kShared);
      let_in(here);
      return false;
    case Asks::kPosted:
    case Asks::kCompleted: window.raise_own_flag(question.origin, question.asks == Asks::kPosted); return false;
    // Messages without data come in their order (transport/kinds.hpp), and what is not answered has none.
    case Asks::kThrough: return true;
    case Asks::kFind: answer_find(window, question, answerer); return false;
    case Asks::kChange:
    case Asks::kChangeRows:
    case Asks::kChangeMany:
    case Asks::kSwap: change_or_queue(here, window, question, arrival, data, answerer); return false;
  }
  fail_of(arrival.pe, "a question that is none");
}

void arrived(void* /*self*/, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  if (arrival.is_answer) {
    far_questions().arrived(arrival);
    note_answer();
    return;
  }
  Bytes data(static_cast<std::byte*>(arrival.landing.at));
  Question question{};
  if (arrival.head_bytes != sizeof question) {
    fail_of(arrival.pe, "a question of the wrong length");
  }
  std::memcpy(&question, arrival.head, sizeof question);
  if (arrival.bytes != 0 && !may_have_data(question.asks)) {
    fail_of(arrival.pe, "data with a question that has none");
  }
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  const auto found = here.windows.find(question.line);
  if (found == here.windows.end() || question.origin >= found->second.holds.size() ||
      found->second.window->member(static_cast<int>(question.origin)).pe != arrival.pe) {
    fail_of(arrival.pe, "a question for a window that there is not");
  }
  if (question.asks == Asks::kLock || question.asks == Asks::kLockLate || question.asks == Asks::kUnlock) {
    check_lock(found->second.holds[question.origin], question, arrival.pe);
  }
  if (is_to_be_answered(here, found->second, question, arrival, data, answerer)) {
    const Reply reply{question.token, 0, 0};
    (void)answerer.answer({kFarKind, &reply, sizeof reply, nullptr, 0});
  }
  // Relaxed: under the mutex nobody else stores, and a hint that is too old costs a look for nothing.
  g_waiting.store(!here.locks.empty() || !here.changes.empty(), std::memory_order_relaxed);
}

void lost(void* /*self*/, const Arrival& arrival) noexcept {
  if (!arrival.is_answer) {
    delete[] static_cast<std::byte*>(arrival.landing.at);
  }
}

}  // namespace

void open_far(transport::Transport* network) noexcept {
  if (network != nullptr) {
    (void)transport::kinds().add(kFarKind, {.place = place, .arrived = arrived, .lost = lost});
  }
}

namespace {

// Places hold the window by its address. All are used before epochs end, and a window ends behind its epochs.
void check_nobody_waits(const Home& here, Window& window) noexcept {
  const auto of_lock = std::find_if(here.locks.begin(), here.locks.end(),
                                    [&](const WaitsForLock& each) { return each.line == &window.own_line(); });
  const auto of_change = std::find_if(here.changes.begin(), here.changes.end(),
                                      [&](const WaitsToChange& each) { return each.window == &window; });
  if (of_lock != here.locks.end() || of_change != here.changes.end()) {
    base::fail(nullptr, "windows: a window ends while PE %d waits for %s; has it ended its epoch?",
               of_lock != here.locks.end() ? of_lock->pe : of_change->pe,
               of_lock != here.locks.end() ? "its lock" : "a change of it");
  }
}

}  // namespace

void show_far(std::uint64_t line, Window* window) noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  const std::vector<std::uint8_t> holds(static_cast<std::size_t>(window->size()), Home::kNone);
  if (here.windows.emplace(line, Home::Shown{window, holds}).second) {
    job::agent().expect_others(true);
  }
  if (!g_serve.listed) {
    progress::add_poller(g_serve);
  }
}

void hide_far(std::uint64_t line) noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  const auto found = here.windows.find(line);
  if (found == here.windows.end()) {
    return;
  }
  check_nobody_waits(here, *found->second.window);
  here.windows.erase(found);
  job::agent().expect_others(false);
}

void serve_far_waiters() noexcept {
  Home& here = home();
  const std::scoped_lock lock(here.mutex);
  let_in(here);
  go_on_changing(here);
  g_waiting.store(!here.locks.empty() || !here.changes.empty(), std::memory_order_relaxed);
}

void tell_far_waiters(const Member& home) noexcept {
  if (home.number() == job::node().local) {
    serve_far_waiters();
  } else {
    job::wake_agent(home.number());
  }
}

}  // namespace weft::win
