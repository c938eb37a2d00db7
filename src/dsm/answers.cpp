// What PEs of other nodes ask of this one, and what it answers (elsewhere.hpp).
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "base/lines.hpp"
#include "dsm/closed.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/guests.hpp"
#include "dsm/order.hpp"
#include "dsm/owed.hpp"
#include "dsm/parts.hpp"
#include "dsm/pushes.hpp"
#include "dsm/questions.hpp"
#include "job/agent.hpp"
#include "progress/work.hpp"

namespace weft::dsm {
namespace {

using transport::Arrival;
using transport::Landing;

static_assert(kEndOfKinds == kOfFrontEnd && kOfFrontEnd < kFirst + transport::kKindsOfEach);

// ---- What others ask of this PE

void take_notices(const Question& question, const Arrival& arrival) noexcept {
  Notices& theirs = *notices_of(arrival.pe);
  const auto* at = static_cast<const std::byte*>(arrival.landing.at);
  for (std::uint64_t k = 0; k < arrival.bytes / sizeof(Run); ++k) {
    Run run{};
    std::memcpy(&run, at + k * sizeof run, sizeof run);
    note_announced(arrival.pe, run, question.b);
    theirs.add(run);
  }
  (void)theirs.publish();
}

Reply answer_book(const Question& question, int pe) noexcept {
  switch (static_cast<Book>(question.what)) {
    case Book::kAllocate: {
      const Arena::Given given = g.arena->allocate(question.a, question.b, pe);
      return {question.token, given.offset, given.untouched ? 1U : 0U};
    }
    case Book::kRelease: return {question.token, static_cast<std::uint64_t>(g.arena->release(question.a, pe)), 0};
    case Book::kRoom: return {question.token, g.arena->room_of(question.a), 0};
    case Book::kRoomBehind: return {question.token, g.arena->room_behind(question.a), 0};
    case Book::kLeft: return {question.token, g.arena->bytes_left(), 0};
    case Book::kReturned: {
      const Returned next = returned_here(question.a);
      return {question.token, next.number, next.run.first | std::uint64_t{next.run.pages} << 32};
    }
    case Book::kLost: {
      const Arena::Lost lost = g.arena->lost_at(question.a);
      // A block has fewer than 2^48 bytes, and PEs are fewer than 2^16 (state.hpp).
      static_assert(kMostBytes < std::uint64_t{1} << 48 && kMostPes < 65535);
      return {question.token, lost.begin, lost.bytes | static_cast<std::uint64_t>(lost.pe + 1) << 48};
    }
  }
  fail_of(pe, "a question that is none");
}

// The word, which is at home here and of a size that there is.
void* word_at(const Question& question, int pe, std::uint64_t bytes) noexcept {
  const bool is_good = question.a <= g.bytes && bytes <= g.bytes - question.a && bytes > 0 &&
                       question.a % std::min<std::uint64_t>(bytes, 8) == 0;
  if (!is_good) {
    fail_of(pe, "a word that there is not");
  }
  return part_of(g.me)->contents + question.a;
}

Reply answer_operate(const Question& question, int pe) noexcept {
  const std::uint64_t bytes = question.bytes;
  if (question.what >= kOps || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) {
    fail_of(pe, "an operation that there is not");
  }
  void* const word = word_at(question, pe, bytes);
  const std::uint64_t before =
      carry_out(word, {static_cast<Op>(question.what), question.bytes, question.b, question.c});
  tell_home(*part_of(g.me), question.a, static_cast<Op>(question.what));
  return {question.token, before, carry_out(word, {Op::kLoad, question.bytes})};
}

Reply answer_pair(const Question& asked, int pe) noexcept {
  const auto question = std::bit_cast<PairQuestion>(asked);
  const std::uint64_t at = std::uint64_t{question.number} * sizeof(Pair);
  if (!is_of_pairs(static_cast<Op>(question.what)) || at >= g.bytes) {
    fail_of(pe, "an operation that there is not");
  }
  const Pair before =
      carry_out_pair(part_of(g.me)->contents + at, {static_cast<Op>(question.what),
                                                    {question.first, question.second},
                                                    {question.expected_first, question.expected_second}});
  tell_home(*part_of(g.me), at, static_cast<Op>(question.what));
  return {question.token, before.first, before.second};
}

// PEs of other nodes that wait for a lock which is at home here. Each has drawn its ticket.
struct WaitsForLock {
  LockWords* words;
  std::uint32_t ticket;
  int pe;
  std::uint64_t token;
  transport::Owed* owed;
};
struct Waiting {
  std::mutex mutex;
  std::vector<WaitsForLock> all;
};
Waiting& waiting() noexcept {
  static Waiting& made = *new Waiting;
  return made;
}
constinit std::atomic<bool> g_waiting = false;

// Those whose turn it is. Who gives a lock back comes here behind that, who waits is put into the list before it comes
// here: whichever has the mutex second sees what the other has done.
void serve_waiting() noexcept {
  Waiting& here = waiting();
  const std::scoped_lock lock(here.mutex);
  std::erase_if(here.all, [](const WaitsForLock& each) {
    // Acquire: what was written under the lock is here before its next holder is told.
    if (std::atomic_ref<std::uint32_t>(each.words->serving).load(std::memory_order_acquire) != each.ticket) {
      return false;
    }
    hold(*each.words, each.pe);
    std::atomic_ref<std::uint32_t>(each.words->elsewhere).fetch_sub(1, std::memory_order_relaxed);
    const Reply reply{each.token, 1, 0};
    (void)each.owed->answer({kLock, &reply, sizeof reply, nullptr, 0});
    return true;
  });
  g_waiting.store(!here.all.empty(), std::memory_order_relaxed);
}
// Relaxed: mostly nobody waits, and who comes to wait looks himself.
constinit progress::Poller g_serve{.what = []() noexcept {
  if (g_waiting.load(std::memory_order_relaxed)) {
    serve_waiting();
  }
  return false;
}};

void answer_lock(const Question& question, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  auto& words = *static_cast<LockWords*>(word_at(question, arrival.pe, sizeof(LockWords)));
  Reply reply{question.token, 0, 0};
  switch (static_cast<Turn>(question.what)) {
    case Turn::kTry: reply.a = try_words(words, arrival.pe) ? 1 : 0; break;
    case Turn::kGive:
      reply.a = give_words_back(words, arrival.pe);
      serve_waiting();
      break;
    case Turn::kTake: {
      // seq_cst, and before the ticket is drawn: who gives the lock back sees that somebody may wait.
      std::atomic_ref<std::uint32_t>(words.elsewhere).fetch_add(1, std::memory_order_seq_cst);
      const std::uint32_t ticket = draw_ticket(words);
      if (std::atomic_ref<std::uint32_t>(words.serving).load(std::memory_order_acquire) == ticket) {
        std::atomic_ref<std::uint32_t>(words.elsewhere).fetch_sub(1, std::memory_order_relaxed);
        hold(words, arrival.pe);
        reply.a = 1;
        break;
      }
      transport::Owed* const owed = answerer.keep();
      if (owed == nullptr) {
        base::fail(nullptr, "no memory for PEs that wait for a lock");
      }
      Waiting& here = waiting();
      {
        const std::scoped_lock lock(here.mutex);
        here.all.push_back({&words, ticket, arrival.pe, question.token, owed});
        g_waiting.store(true, std::memory_order_relaxed);
      }
      serve_waiting();
      return;
    }
    default: fail_of(arrival.pe, "a question that is none");
  }
  (void)answerer.answer({kLock, &reply, sizeof reply, nullptr, 0});
}

// ---- What PEs show each other

struct Shown {
  Hub hub;
  std::atomic<bool> here;
};
constinit Shown* g_shown = nullptr;  // by number in the job
constinit std::atomic<int> g_n_shown = 0;

Question question_of(const Arrival& arrival) noexcept {
  Question question{};
  if (arrival.head_bytes != sizeof question) {
    fail_of(arrival.pe, "a question of the wrong length");
  }
  std::memcpy(&question, arrival.head, sizeof question);
  return question;
}

void take_shown(const Arrival& arrival) noexcept {
  if (arrival.head_bytes != sizeof(Hub) || g_shown[arrival.pe].here.exchange(true)) {
    fail_of(arrival.pe, "what it has said before");
  }
  std::memcpy(&g_shown[arrival.pe].hub, arrival.head, sizeof(Hub));
  g_n_shown.fetch_add(1, std::memory_order_release);
}

Landing place(void* /*self*/, const Arrival& arrival, transport::Answerer& /*answerer*/) noexcept {
  if (arrival.is_answer) {
    return place_answer(arrival);
  }
  if (arrival.bytes == 0) {
    return {};
  }
  const bool has_data = arrival.kind == kDiff || arrival.kind == kNotices || arrival.kind == kPush;
  if (!has_data || arrival.bytes > kParcelBytes + kMostDiffBytes) {
    fail_of(arrival.pe, "more data than there can be");
  }
  auto* const room = new (std::nothrow) std::byte[arrival.bytes];
  if (room == nullptr) {
    base::fail(nullptr, "no memory for %llu bytes that PE %d has sent about shared memory",
               static_cast<unsigned long long>(arrival.bytes), arrival.pe);
  }
  return {room, nullptr};
}

void arrived(void* /*self*/, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  if (arrival.is_answer) {
    answered(arrival);
    return;
  }
  if (arrival.kind == kShow) {
    take_shown(arrival);
    return;
  }
  const Question question = question_of(arrival);
  Reply reply{question.token, 0, 0};
  switch (arrival.kind) {
    case kFetch: answer_fetch(question, arrival, answerer); return;
    case kLock: answer_lock(question, arrival, answerer); return;
    case kTake: answer_take(question, arrival, answerer); return;
    case kDiff:
      answer_diff(question, arrival, answerer);
      delete[] static_cast<std::byte*>(arrival.landing.at);
      return;
    case kFix: reply = answer_fix(question, arrival.pe); break;
    case kNotices: take_notices(question, arrival); break;
    case kPush: reply.a = take_push(question, arrival); break;
    case kSettle: {
      const Settled settled = settle(arrival.pe, question.a);
      reply = {question.token, settled.told, settled.all ? 1U : 0U};
      break;
    }
    case kHomes: {
      if (g.arena == nullptr) {
        fail_of(arrival.pe, "a question for PE 0");
      }
      const Homes found = settle_homes(question.first, question.count, arrival.pe, question.what != 0);
      reply = {question.token, found.pages, found.claimed};
      (void)answerer.answer({kHomes, &reply, sizeof reply, found.homes, sizeof found.homes});
      return;
    }
    case kBook:
      if (g.arena == nullptr) {
        fail_of(arrival.pe, "a question for PE 0");
      }
      reply = answer_book(question, arrival.pe);
      break;
    case kOperate: reply = answer_operate(question, arrival.pe); break;
    case kOperatePair: reply = answer_pair(question, arrival.pe); break;
    default: break;
  }
  delete[] static_cast<std::byte*>(arrival.landing.at);
  (void)answerer.answer({arrival.kind, &reply, sizeof reply, nullptr, 0});
}

void lost(void* /*self*/, const Arrival& arrival) noexcept {
  if (!arrival.is_answer) {
    delete[] static_cast<std::byte*>(arrival.landing.at);
  }
}

template <class Do>
void each_elsewhere(Do&& call) noexcept {
  for (int pe = 0; pe < g.n_pes; ++pe) {
    if (job::g_node.here(pe) < 0) {
      call(pe);
    }
  }
}

}  // namespace

void opening(transport::Transport* network) noexcept {
  ask_by(network);
  if (network == nullptr) {
    return;
  }
  for (int kind = kShow; kind < kEndOfKinds; ++kind) {
    (void)transport::kinds().add(static_cast<transport::Kind>(kind),
                                 {.place = place, .arrived = arrived, .lost = lost});
  }
}

void tell_waiting_elsewhere(int home) noexcept {
  if (home == g.me) {
    serve_waiting();
  } else {
    job::wake_agent(job::g_node.here(home));
  }
}

void show_elsewhere(const Hub& hub) noexcept {
  int others = 0;
  each_elsewhere([&](int pe) {
    ++others;
    tell(pe, kShow, &hub, sizeof hub);
  });
  // Acquire: pairs with take_shown().
  wait_until([&] { return g_n_shown.load(std::memory_order_acquire) >= others; });
}

const Hub& shown_elsewhere(int pe) noexcept { return g_shown[pe].hub; }

bool begin_elsewhere() noexcept {
  if (!several_nodes()) {
    return true;
  }
  g_shown = new (std::nothrow) Shown[static_cast<std::size_t>(g.n_pes)]();
  progress::add_poller(g_serve);
  return g_shown != nullptr;
}

void forget_elsewhere() noexcept {
  forget_pushes();
  forget_owed();
  progress::remove_poller(g_serve);
  delete[] g_shown;
  g_shown = nullptr;
  g_n_shown.store(0, std::memory_order_relaxed);
}

}  // namespace weft::dsm
