// Messages go by the network where there is one, and by rings in memory in a job of one node. What is asked of process
// 0 in process 0 takes no way at all.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>

#include "base/lines.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "dsm/owed.hpp"
#include "dsm/state.hpp"
#include "dsm/waits.hpp"
#include "dsm/windows.hpp"
#include "job/agent.hpp"
#include "job/node.hpp"
#include "omp/far/board.hpp"
#include "omp/far/far.hpp"
#include "omp/far/meetings.hpp"
#include "omp/far/parcel.hpp"
#include "omp/far/questions.hpp"
#include "omp/far/ring.hpp"
#include "progress/work.hpp"

namespace weft::omp::far {
namespace {

using transport::Arrival;
using transport::Landing;

constexpr transport::Kind kKind = dsm::kOfFrontEnd;

constinit transport::Transport* g_network = nullptr;

constinit Questions g_questions{};
constinit std::atomic<std::uint32_t> g_running = 0;  // processes that have not said kDone

// What process 0 wants, until it is read; what came with it, until it is done.
struct Inbox {
  std::atomic<bool> full = false;
  Message message;
  alignas(64) std::byte given[kMostGiven] = {};
};
constinit Inbox g_inbox{};

constinit Meetings g_meetings{};

constinit std::atomic<bool> g_reading = false;

constinit Over g_over{};

// Process 0 has been told that a lock is free, which others may see behind the next barrier. Relaxed: all threads of a
// process are at its barrier before one of them meets others.
constinit std::atomic<bool> g_gave_back = false;

[[noreturn]] void fail_of(int process, const char* what) noexcept {
  base::fail("OpenMP", "process %d has sent %s; does it run another build of Weft?", process, what);
}

bool by_rings() noexcept { return g_network == nullptr; }

Ring& ring_of(int process) noexcept { return *reinterpret_cast<Ring*>(dsm::room_of_front_end(process)); }
static_assert(sizeof(Ring) + kMostGiven <= dsm::kRoomBytes);
// Behind the ring: what comes with process 0's message, of which there is one at a time.
std::byte* given_in_room(int process) noexcept { return dsm::room_of_front_end(process) + sizeof(Ring); }

void take_answer(int process, const Message& answer) noexcept {
  if (!g_questions.answer(answer)) {
    fail_of(process, "an answer that nobody has asked for");
  }
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
void take(int process, const Message& message, void* owed, const std::byte* given) noexcept {
  switch (message.what) {
    case What::kRun:
      if (process != 0 || g_inbox.full.load(std::memory_order_acquire)) {
        fail_of(process, "what only process 0 may want, one thing at a time");
      }
      g_inbox.message = message;
      if (message.given > 0) {
        std::memcpy(g_inbox.given, given, message.given);
      }
      g_inbox.full.store(true, std::memory_order_release);
      return;
    case What::kDone:
      // Release: what it released before is seen by who finds all done.
      if (g_running.fetch_sub(1, std::memory_order_acq_rel) == 0) {
        fail_of(process, "that it has done what nobody wanted");
      }
      return;
    case What::kIsOver: is_over(message.a, message.b); return;
    case What::kArrive:
      if (!g_meetings.come(process, message.b, message.a)) {
        fail_of(process, "that it is at a barrier which it has no part in");
      }
      return;
    default: break;
  }
  if (message.many > job::node().n_pes || !tell_board(message, {process, message.token, owed})) {
    fail_of(process, "a question that is none");
  }
}

// ---- By the network

Landing place(void* /*self*/, const Arrival& arrival, transport::Answerer& /*answerer*/) noexcept {
  if (arrival.bytes == 0) {
    return {};
  }
  if (arrival.bytes > kMostParcel) {
    fail_of(arrival.pe, "more with a message than there can be");
  }
  auto* const room = new (std::nothrow) std::byte[arrival.bytes];
  if (room == nullptr) {
    base::fail("OpenMP", "no memory for what process %d says", arrival.pe);
  }
  return {room, nullptr};
}

void arrived(void* /*self*/, const Arrival& arrival, transport::Answerer& answerer) noexcept {
  const std::unique_ptr<std::byte[]> data(static_cast<std::byte*>(arrival.landing.at));
  Message message;
  if (arrival.head_bytes != sizeof message || (arrival.is_answer && arrival.bytes != 0)) {
    fail_of(arrival.pe, "a message of the wrong length");
  }
  std::memcpy(&message, arrival.head, sizeof message);
  if (arrival.is_answer) {
    take_answer(arrival.pe, message);
    return;
  }
  const Opened opened = open_parcel(arrival.pe, message, {data.get(), arrival.bytes});
  if (opened.wrong != nullptr) {
    fail_of(arrival.pe, opened.wrong);
  }
  // Before anybody is told of the message, who then acquires.
  if (!dsm::hear(arrival.pe, {opened.owed, opened.many})) {
    fail_of(arrival.pe, "that pages have changed which there are not");
  }
  transport::Owed* owed = nullptr;
  if (wants_answer(message.what)) {
    owed = answerer.keep();
    if (owed == nullptr) {
      base::fail("OpenMP", "no memory for what process %d asks", arrival.pe);
    }
  }
  take(arrival.pe, message, owed, data.get());
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
    if (is_answer) {
      take_answer(from, message);
      continue;
    }
    if (!may_be_given(from, message)) {
      fail_of(from, "more than a function is given");
    }
    take(from, message, nullptr, given_in_room(job::node().me));
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

// To the process, when it can be told. For people it is part of what the note is about.
template <class Note = sync::WaitNote>
void send(int process, const Message& message, const void* given = nullptr, const Note& note = {}) noexcept {
  const int me = job::node().me;
  if (process == me) {
    take(me, message, nullptr, nullptr);
  } else if (by_rings()) {
    if (given != nullptr) {
      std::memcpy(given_in_room(process), given, message.given);
    }
    put_into_ring(process, false, message);
  } else {
    const Parcel parcel(process, message, given);
    transport::Pending pending;
    dsm::wait_until([&] { return g_network->tell(process, parcel.of_kind(kKind), pending) != transport::Told::kAgain; },
                    note);
    dsm::wait_until([&] { return pending.done(); }, note);
  }
}

Message ask(Message message, const Patient& patient) noexcept {
  wait_for([&] { return (message.token = g_questions.begin()) != 0; });
  send(0, message, nullptr, PatientNote{patient});
  wait_for([&] { return g_questions.is_answered(message.token); }, PatientNote{patient});
  return g_questions.end(message.token);
}

// Of process 0, from which all hear what comes next.
void release() noexcept { dsm::release(dsm::kOweAll); }

Message meet(const Message& question, std::uint64_t constructs, bool alone, const Patient& patient) noexcept {
  const int me = job::node().me;
  const int many = question.many;
  if (alone || many > kMostMeet) {
    dsm::release();
    return ask(question, patient);
  }
  dsm::release(dsm::kOweAll);
  // Of two processes one is process 0, which the arrival reaches behind the rest. A third one is told by us, and might
  // ask for the lock before process 0 has it back.
  if (many > 2 && me != 0 && g_gave_back.exchange(false, std::memory_order_relaxed)) {
    Message heard;
    heard.what = What::kHeard;
    (void)ask(heard, patient);
  }
  const PatientNote note{patient};
  Message arrived = question;
  arrived.what = What::kArrive;
  for (int process = 0; process < many; ++process) {
    if (process != me) {
      arrived.b = g_meetings.next(process);
      send(process, arrived, nullptr, note);
    }
  }
  Message answer;
  answer.a = question.a;
  for (int process = 0; process < many; ++process) {
    if (process == me) {
      continue;
    }
    wait_for([&] { return g_meetings.has_come(process); }, note);
    if (const std::uint64_t brought = g_meetings.meet(process); brought != 0) {
      answer.a = brought;
    }
  }
  if (me == 0) {
    forget_constructs(constructs);
  }
  return answer;
}

void say(const Message& message) noexcept {
  send(0, message);
  if (message.what == What::kUnlock && (message.how & kMayBeTested) != 0) {
    g_gave_back.store(true, std::memory_order_relaxed);
  }
}

void say_to_others(int processes, const Message& message) noexcept {
  for (int process = 0; process < processes; ++process) {
    if (process != job::node().me) {
      send(process, message);
    }
  }
}

void finish(const Patient& patient, const void* site) noexcept {
  if (!all_are_idle() && !(read_ring() && all_are_idle())) {
    dsm::release();  // somebody in the region may look for what this process has written by plain loads
  }
  wait_for(all_are_idle, PatientNote{patient});
  dsm::acquire(dsm::site_of(site));
}

// ---- Threads of processes

constinit std::uint32_t* g_threads = nullptr;  // in shared memory

int usual_threads(int process) noexcept { return static_cast<int>(g_threads[process]); }

constexpr Table kTable{.usual_threads = usual_threads,
                       .run = nullptr,  // which needs more (omp/program)
                       .finish = finish,
                       .release = release,
                       .ask = ask,
                       .meet = meet,
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
  Message message = g_inbox.message;
  if (message.given > 0) {
    message.b = reinterpret_cast<std::uintptr_t>(g_inbox.given);
  }
  g_inbox.full.store(false, std::memory_order_release);
  return message;
}

// Acquire: pairs with take().
bool all_are_idle() noexcept { return g_running.load(std::memory_order_acquire) == 0; }

bool others_wait() noexcept { return job::node().me == 0 && all_are_idle(); }

// Where there is a third process, all hear of it before process 0 says that the region is over.
void tell_done() noexcept {
  dsm::release(job::node().n_pes == 2 ? 0 : dsm::kOweNobody);
  Message message;
  message.what = What::kDone;
  send(0, message);
}

void run(int processes, void (*body)(void*), void* argument, std::size_t bytes, const void* site,
         const Carry& carry) noexcept {
  clear_board();
  g_running.store(static_cast<std::uint32_t>(processes - 1), std::memory_order_relaxed);
  release();
  Message message;
  message.what = What::kRun;
  message.token = carry.modes;
  message.version = carry.version;
  message.given = static_cast<std::uint16_t>(bytes);
  message.a = reinterpret_cast<std::uintptr_t>(body);
  message.b = reinterpret_cast<std::uintptr_t>(argument);
  message.c = dsm::site_of(site);
  for (int process = 1; process < processes; ++process) {
    send(process, message, argument);
  }
  dsm::begin_interval(dsm::site_of(site));
}

}  // namespace weft::omp::far
