#include "profile/session.hpp"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>

#include "os/recorded.hpp"
#include "profile/files.hpp"
#include "profile/modules.hpp"

namespace weft::profile {
namespace {

struct Session {
  Header* header = nullptr;
  std::atomic<bool> counting = false;
  Clock clock{false};
  MeetingBook meetings;
  char folder[PATH_MAX] = "";
  ThreadPart* parts[kMaxThreads] = {};
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_key_t at_thread_end = 0;
};
constinit Session g_session;

// Initial-exec: read at each call.
struct Thread {
  ThreadRecorder recorder;
  bool refused = false;  // no room for it
};
[[gnu::tls_model("initial-exec")]] constinit thread_local Thread t_thread;

class Locked {
 public:
  Locked() { (void)::pthread_mutex_lock(&g_session.lock); }
  ~Locked() { (void)::pthread_mutex_unlock(&g_session.lock); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

Place find_place_locked(std::uint64_t address) noexcept {
  const Locked locked;
  return find_place(*g_session.header, address);
}

// Another thread may go on counting in the part.
void leave_part(void* ended) noexcept {
  auto* part = static_cast<ThreadPart*>(ended);
  part->life_ticks += part->seen - part->began;
  part->began = part->seen;
  t_thread.recorder = ThreadRecorder();
  part->owned.store(0, std::memory_order_release);
}

// A forked child is no PE, and the files are its parent's.
void forget_all() noexcept {
  g_session.counting.store(false, std::memory_order_relaxed);
  g_session.header = nullptr;
  t_thread.recorder = ThreadRecorder();
}

ThreadPart* find_part() noexcept {
  Header& header = *g_session.header;
  const std::uint32_t there = header.parts.load(std::memory_order_relaxed);
  for (std::uint32_t k = 0; k < there; ++k) {
    // Acquire: what the thread before wrote.
    if (g_session.parts[k]->owned.load(std::memory_order_acquire) == 0) {
      return g_session.parts[k];
    }
  }
  ThreadPart* part = add_part(g_session.folder, &header);
  if (part != nullptr) {
    g_session.parts[there] = part;
  }
  return part;
}

[[gnu::noinline]] ThreadRecorder* join() noexcept {
  if (t_thread.refused) {
    return nullptr;
  }
  const Locked locked;
  ThreadPart* part = find_part();
  if (part == nullptr) {
    t_thread.refused = true;
    g_session.header->lost_threads.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  part->owned.store(1, std::memory_order_relaxed);
  // The first thread is there since the library was started.
  part->began = g_session.header->parts.load(std::memory_order_relaxed) == 1 && part->used == 0
                    ? g_session.header->first.ticks
                    : g_session.clock.now();
  part->seen = part->began;
  ++part->used;
  (void)::pthread_setspecific(g_session.at_thread_end, part);
  t_thread.recorder = ThreadRecorder(part, g_session.header->n_pes, g_session.header->trace_room, find_place_locked);
  return &t_thread.recorder;
}

void describe_process(Header* header) noexcept {
  header->started_at = static_cast<std::uint64_t>(std::time(nullptr));
  os::describe_process(header->host, header->program);
  cpu_set_t cpus;
  static_assert(sizeof cpus == sizeof header->processors);
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    std::memcpy(header->processors, &cpus, sizeof cpus);
  }
}

}  // namespace

base::Result<void> open_session(const Beginning& beginning) noexcept {
  const Locked locked;
  if (g_session.header != nullptr) {
    return {};
  }
  if (const auto made = os::make_folder(beginning.folder); !made) {
    return made.error();
  }
  if (beginning.n_pes == 1) {
    forget_meetings(beginning.folder);
  }
  const auto header = make_recording(beginning.folder, beginning.pe, beginning.n_pes, beginning.trace_room);
  if (!header) {
    return header.error();
  }
  const auto meetings = open_meetings(beginning.folder);
  if (!meetings) {
    return meetings.error();
  }
  if (const int problem = ::pthread_key_create(&g_session.at_thread_end, leave_part); problem != 0) {
    return base::Error::make("no key for the data of threads: %s", std::strerror(problem));
  }
  // Parts for further threads are added wherever the program has gone to by then.
  if (::realpath(beginning.folder, g_session.folder) == nullptr) {
    return base::Error::make("%s: %s", beginning.folder, std::strerror(errno));
  }
  (*header)->interface = beginning.interface;
  (*header)->calls = beginning.calls;
  (*header)->calls_hash = beginning.calls_hash;
  std::copy(std::begin(beginning.hashes), std::end(beginning.hashes), (*header)->hashes);
  (*header)->uses_tsc = g_session.clock.uses_tsc() ? 1 : 0;
  (*header)->first = beginning.moment;
  describe_process(*header);
  std::uint64_t nobody = 0;
  (void)(*meetings)->origin.compare_exchange_strong(nobody, beginning.moment.ticks, std::memory_order_relaxed);
  g_session.meetings.use(*meetings, beginning.pe);
  g_session.header = *header;
  note_moment();
  (void)::pthread_atfork(nullptr, nullptr, forget_all);
  g_session.counting.store(true, std::memory_order_release);
  return {};
}

Header* session_header() noexcept { return g_session.header; }
const Clock& session_clock() noexcept { return g_session.clock; }
MeetingBook& session_meetings() noexcept { return g_session.meetings; }
const char* session_folder() noexcept { return g_session.header == nullptr ? "" : g_session.folder; }
Place session_place(std::uint64_t address) noexcept { return find_place_locked(address); }

void choose_clock() noexcept { g_session.clock = Clock(tsc_can_be_trusted()); }

void count_calls(bool on) noexcept {
  g_session.counting.store(on && g_session.header != nullptr, std::memory_order_relaxed);
}

bool session_counts() noexcept { return g_session.counting.load(std::memory_order_relaxed); }

void note_moment() noexcept {
  if (g_session.header != nullptr) {
    g_session.header->latest = g_session.clock.moment();
  }
}

void mark_end(State state) noexcept {
  Header* header = g_session.header;
  if (header == nullptr || (header->state == State::kFinalised && state == State::kExited)) {
    return;
  }
  note_moment();
  header->end = header->latest.ticks;
  header->state = state;
}

ThreadRecorder* recorder() noexcept {
  if (!g_session.counting.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  return t_thread.recorder.is_open() ? &t_thread.recorder : join();
}

}  // namespace weft::profile
