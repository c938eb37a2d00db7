// Messages go by the network where there is one, and by rings in memory in a job of one node. What is asked of process
// 0 in process 0 takes no way at all.
#include <sched.h>

#include <array>
#include <atomic>
#include <cstring>

#include "base/lines.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/state.hpp"
#include "dsm/waits.hpp"
#include "dsm/windows.hpp"
#include "job/agent.hpp"
#include "job/node.hpp"
#include "omp/far/board.hpp"
#include "omp/far/far.hpp"
#include "omp/far/ring.hpp"
#include "progress/work.hpp"

namespace weft::omp::far {
namespace {

using transport::Arrival;
using transport::Landing;

// Behind those of dsm, whose front end this one is.
constexpr transport::Kind kKind = transport::first_kind_of(boot::Interface::kSharedPages) + 13;

constinit transport::Transport* g_network = nullptr;
constinit transport::Pending g_told{};  // of messages without data, which are done when they are told

// Of this process: questions that wait for their answers. A token is a turn and a place.
struct Question {
  std::atomic<std::uint32_t> turn = 0;  // even: free
  std::atomic<bool> answered = false;
  Message answer;
};
constexpr std::uint32_t kQuestions = 1024;
constinit std::array<Question, kQuestions> g_questions{};
constinit std::atomic<std::uint32_t> g_next_question = 0;

constinit std::atomic<std::uint32_t> g_running = 0;  // processes that have not said kDone

// What process 0 wants, until it is read.
struct Inbox {
  std::atomic<bool> full = false;
  Message message;
};
constinit Inbox g_inbox{};

constinit std::atomic<bool> g_reading = false;

constinit Over g_over{};

[[noreturn]] void fail_of(int process, const char* what) noexcept {
  base::fail("OpenMP", "process %d has sent %s; does it run another build of Weft?", process, what);
}

bool by_rings() noexcept { return g_network == nullptr; }

Ring& ring_of(int process) noexcept { return *reinterpret_cast<Ring*>(dsm::room_of_front_end(process)); }
static_assert(sizeof(Ring) <= dsm::kRoomBytes);

void take_answer(int process, const Message& answer) noexcept {
  const auto number = static_cast<std::uint32_t>(answer.token);
  const auto turn = static_cast<std::uint32_t>(answer.token >> 32);
  Question* const question = number < kQuestions ? &g_questions[number] : nullptr;
  if (question == nullptr || turn % 2 == 0 || question->turn.load(std::memory_order_relaxed) != turn) {
    fail_of(process, "an answer that nobody has asked for");
  }
  question->answer = answer;
  // Release: pairs with ask().
  question->answered.store(true, std::memory_order_release);
}

// What comes late is of a lower number, and said of nobody any more.
void raise(std::atomic<std::uint64_t>& word, std::uint64_t to) noexcept {
  std::uint64_t is = word.load(std::memory_order_relaxed);
  // Sequentially consistent: before the look for sleepers, who set `wake` before they look here.
  while (is < to && !word.compare_exchange_weak(is, to, std::memory_order_seq_cst, std::memory_order_relaxed)) {
  }
}

void is_over(std::uint64_t region, std::uint64_t construct) noexcept {
  if (construct != 0) {
    raise(g_over.construct, construct);
    return;
  }
  raise(g_over.region, region);
  if (auto* const wake = g_over.wake.load(std::memory_order_seq_cst)) {
    wake();
  }
}

// Of any thread; never waits.
void take(int process, const Message& message, void* owed) noexcept {
  switch (message.what) {
    case What::kRun:
      if (process != 0 || g_inbox.full.load(std::memory_order_acquire)) {
        fail_of(process, "what only process 0 may want, one thing at a time");
      }
      g_inbox.message = message;
      g_inbox.full.store(true, std::memory_order_release);
      return;
    case What::kDone:
      // Release: what it released before is seen by who finds all done.
      if (g_running.fetch_sub(1, std::memory_order_acq_rel) == 0) {
        fail_of(process, "that it has done what nobody wanted");
      }
      return;
    case What::kIsOver: is_over(message.a, message.b); return;
    default: break;
  }
  if (message.many > job::node().n_pes || !tell_board(message, {process, message.token, owed})) {
    fail_of(process, "a question that is none");
  }
}

bool wants_answer(What what) noexcept {
  return what != What::kRun && what != What::kDone && what != What::kPost && what != What::kUnlock &&
         what != What::kIsOver;
}

// ---- By the network

Landing place(void* /*self*/, const Arrival& /*arrival*/, transport::Answerer& /*answerer*/) noexcept { return {}; }

void arrived(void* /*self*/, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  Message message;
  if (arrival.head_bytes != sizeof message || arrival.bytes != 0) {
    fail_of(arrival.pe, "a message of the wrong length");
  }
  std::memcpy(&message, arrival.head, sizeof message);
  if (arrival.is_answer) {
    take_answer(arrival.pe, message);
    return;
  }
  transport::Owed* owed = nullptr;
  if (wants_answer(message.what)) {
    owed = answerer.keep();
    if (owed == nullptr) {
      base::fail("OpenMP", "no memory for what process %d asks", arrival.pe);
    }
  }
  take(arrival.pe, message, owed);
}

// ---- By memory

bool read_ring() noexcept {
  // Acquire and release: of the ring's head.
  if (!by_rings() || g_reading.exchange(true, std::memory_order_acquire)) {
    return false;
  }
  bool some = false;
  Ring& ring = ring_of(job::node().me);
  int from = 0;
  bool is_answer = false;
  Message message;
  while (ring.get(&from, &is_answer, &message)) {
    some = true;
    if (from < 0 || from >= job::node().n_pes) {
      fail_of(from, "a message");
    }
    is_answer ? take_answer(from, message) : take(from, message, nullptr);
  }
  g_reading.store(false, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // as a poller has to
  return some;
}
constinit progress::Poller g_poll{.what = read_ring};

void put_into_ring(int process, bool is_answer, const Message& message) noexcept {
  // Its agent empties it without waiting for anybody.
  while (!ring_of(process).put(job::node().me, is_answer, message)) {
    ::sched_yield();
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // before the look for a sleeping agent
  job::wake_agent(job::node().here(process));
}

// ---- Waiting

// Stands in for sync::WaitNote.
struct PatientNote {
  const Patient& patient;
  int begin(std::uint64_t /*detail*/ = 0) const noexcept {
    patient.looked(patient.self);
    return 0;
  }
  void looked(int /*place*/, std::uint64_t /*waited_ns*/) const noexcept { patient.looked(patient.self); }
  void end(int /*place*/) const noexcept {}
};

template <class Done, class Note = sync::WaitNote>
void wait_for(Done&& done, const Note& note = {}) noexcept {
  dsm::wait_until([&] { return done() || (read_ring() && done()); }, note);
}

Message ask(Message message, const Patient& patient) noexcept {
  const std::uint32_t number = [] {
    std::uint32_t found = kQuestions;
    wait_for([&] {
      for (std::uint32_t k = 0; k < kQuestions && found == kQuestions; ++k) {
        const std::uint32_t each = g_next_question.fetch_add(1, std::memory_order_relaxed) % kQuestions;
        std::uint32_t turn = g_questions[each].turn.load(std::memory_order_relaxed);
        // Acquire: who had it before has done with it.
        if (turn % 2 == 0 &&
            g_questions[each].turn.compare_exchange_strong(turn, turn + 1, std::memory_order_acquire)) {
          found = each;
        }
      }
      return found != kQuestions;
    });
    return found;
  }();
  Question& question = g_questions[number];
  question.answered.store(false, std::memory_order_relaxed);
  message.token = static_cast<std::uint64_t>(question.turn.load(std::memory_order_relaxed)) << 32 | number;
  send(0, message);
  // Acquire: pairs with take_answer().
  wait_for([&] { return question.answered.load(std::memory_order_acquire); }, PatientNote{patient});
  const Message answer = question.answer;
  question.turn.fetch_add(1, std::memory_order_release);
  return answer;
}

void say(const Message& message) noexcept { send(0, message); }

void say_to_others(int processes, const Message& message) noexcept {
  for (int process = 0; process < processes; ++process) {
    if (process != job::node().me) {
      send(process, message);
    }
  }
}

void finish(const Patient& patient, const void* site) noexcept {
  // Acquire: pairs with take().
  wait_for([] { return g_running.load(std::memory_order_acquire) == 0; }, PatientNote{patient});
  dsm::acquire(dsm::site_of(site));
}

// ---- Threads of processes

constinit std::uint32_t* g_threads = nullptr;  // in shared memory

int usual_threads(int process) noexcept { return static_cast<int>(g_threads[process]); }

constexpr Table kTable{.usual_threads = usual_threads,
                       .run = run,
                       .finish = finish,
                       .ask = ask,
                       .say = say,
                       .say_to_others = say_to_others,
                       .over = &g_over};

}  // namespace

const Table& table() noexcept { return kTable; }

void opening(transport::Transport* network) noexcept {
  g_network = network;
  if (network != nullptr) {
    (void)transport::kinds().add(kKind, {.place = place, .arrived = arrived});
  }
}

void begin() noexcept {
  if (by_rings()) {
    progress::add_poller(g_poll);
  }
}

void tell_threads(int here) noexcept {
  const job::Node& node = job::node();
  g_threads = static_cast<std::uint32_t*>(dsm::from(
      0, node.me == 0 ? dsm::allocate_zeros(sizeof(std::uint32_t) * static_cast<std::size_t>(node.n_pes)) : nullptr));
  if (g_threads == nullptr) {
    base::fail("OpenMP", "no shared memory is left for the program; raise WEFT_SHARED_SIZE");
  }
  g_threads[node.me] = static_cast<std::uint32_t>(here);
  dsm::barrier();
}

void send(int process, const Message& message) noexcept {
  const int me = job::node().me;
  if (process == me) {
    take(me, message, nullptr);
  } else if (by_rings()) {
    put_into_ring(process, false, message);
  } else {
    dsm::wait_until([&] {
      return g_network->tell(process, {kKind, &message, sizeof message, nullptr, 0}, g_told) != transport::Told::kAgain;
    });
  }
}

void reply(const Asker& asker, Message answer) noexcept {
  answer.token = asker.token;
  if (asker.process == job::node().me) {
    take_answer(asker.process, answer);
    // Threads of this process may sleep for it: who is in a handler is followed by that, who is not does so itself.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    progress::ring_all();
  } else if (asker.owed != nullptr) {
    (void)static_cast<transport::Owed*>(asker.owed)->answer({kKind, &answer, sizeof answer, nullptr, 0});
  } else {
    put_into_ring(asker.process, true, answer);
  }
}

Message next_wanted() noexcept {
  wait_for([] { return g_inbox.full.load(std::memory_order_acquire); });
  const Message message = g_inbox.message;
  g_inbox.full.store(false, std::memory_order_release);
  return message;
}

bool all_are_idle() noexcept { return g_running.load(std::memory_order_acquire) == 0; }

void run(int processes, void (*body)(void*), void* argument, const void* site) noexcept {
  clear_board();
  g_running.store(static_cast<std::uint32_t>(processes - 1), std::memory_order_relaxed);
  dsm::release();
  Message message;
  message.what = What::kRun;
  message.a = reinterpret_cast<std::uintptr_t>(body);
  message.b = reinterpret_cast<std::uintptr_t>(argument);
  message.c = dsm::site_of(site);
  for (int process = 1; process < processes; ++process) {
    send(process, message);
  }
  dsm::begin_interval(dsm::site_of(site));
}

}  // namespace weft::omp::far
