#include "pmi/session.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "os/clock.hpp"
#include "os/process.hpp"
#include "pmi/arrays.hpp"
#include "pmi/cards.hpp"
#include "pmi/environment.hpp"
#include "pmi/identity.hpp"
#include "pmi/names.hpp"
#include "pmi/node.hpp"
#include "pmi/pmi1.hpp"
#include "pmi/pmix.hpp"
#include "pmi/watch.hpp"

namespace weft::pmi {
namespace {

struct Session {
  Manager* manager = nullptr;
  pid_t owner = 0;  // a forked child has no part in it
  boot::JobHeader* job = nullptr;
  int local = 0;
  std::uint64_t heap_inode = 0;
  FileOf* statics = nullptr;  // of each PE of the node
  bool watched = false;
};
constinit Session g_session;

base::Result<Manager*> open_pmi1(const Environment& environment) noexcept {
  // Made here, not as a variable with a value: its two lines of text would be loaded into every PE.
  alignas(Pmi1) static std::byte room[sizeof(Pmi1)];
  Pmi1& pmi1 = *new (room) Pmi1;
  const auto opened = pmi1.open(environment.pmi1_fd, environment.pmi1_rank, environment.pmi1_size);
  return opened ? base::Result<Manager*>(&pmi1) : opened.error();
}

// Both are named where a launcher was started by another; the one whose server answers is ours, and PMIx first: its
// variables name the server, while a descriptor may have been closed and be another file by now.
base::Result<Manager*> open_manager() noexcept {
  const Environment environment = read_environment();
  if (environment.pmi1_port && !environment.pmix) {
    return base::Error::make(
        "the launcher wants to be called over TCP (PMI_PORT), which Weft does not do; with MPICH's mpiexec leave out "
        "-pmi-port");
  }
  const bool pmi1_first = environment.pmi1 && environment.pmix && environment.pmix_size == 1;
  base::Result<Manager*> first = environment.pmix && !pmi1_first ? open_pmix() : open_pmi1(environment);
  if (first || !environment.pmix || !environment.pmi1) {
    return first;
  }
  base::Result<Manager*> second = pmi1_first ? open_pmix() : open_pmi1(environment);
  return second ? second : first;
}

// Finds this PE's number on the node, and where its neighbours' static data lies.
base::Result<void> find_neighbours(Manager& manager, boot::JobHeader* job) noexcept {
  const int n = static_cast<int>(job->n_pes);
  g_session.statics = make_array<FileOf>(n);
  if (g_session.statics == nullptr) {
    return no_memory(n);
  }
  int local = 0;
  for (int pe = 0; pe < manager.size(); ++pe) {
    if (job->n_nodes > 1 && boot::peer_card(job, pe)->node != job->node) {
      continue;
    }
    if (local == n) {
      return base::Error::make("more than %d PEs say that they are of this node", n);
    }
    if (pe == manager.rank()) {
      g_session.local = local;
    }
    const auto identity = get<Identity>(manager, pe, "id");
    if (!identity) {
      return identity.error();
    }
    g_session.statics[local++] = identity->statics_file;
  }
  return {};
}

base::Result<boot::Attachment> join(Manager& manager, const base::Options& options, int statics_fd) noexcept {
  const auto token = make_token();
  if (!token) {
    return token.error();
  }
  const auto token_fd = make_token_file(*token);
  if (!token_fd) {
    return token_fd.error();
  }
  auto own = describe_self(options, *token_fd, *token, statics_fd);
  if (!own) {
    return own.error();
  }
  // Before this PE tells of itself: who has no name, or cannot look at others', must be found by nobody.
  const auto name = take_name(manager.job_name(), manager.rank());
  const auto names = name ? open_names() : base::Result<int>(name.error());
  if (!names) {
    base::debug("this PE is a node of its own: %s", names.error().text());
  }
  own->heap.named = names ? 1 : 0;
  auto done = put(manager, "id", *own);
  done = done ? manager.fence() : done;
  if (!done) {
    return done.error();
  }
  const auto named = names ? find_named(*names, manager.job_name(), manager.size()) : base::Result<Named>(Named{});
  if (!named) {
    return named.error();  // the others count on it
  }
  const auto leader = find_leader(manager, *own, *named);
  if (!leader) {
    return leader.error();
  }
  const bool leads = *leader == manager.rank();
  const auto here = leads ? tell_neighbours(manager, *own, *named) : base::Result<Neighbours>(Neighbours{});
  if (!here) {
    return here.error();
  }
  if (named->pes != nullptr) {
    drop_array(named->pes, manager.size());
  }
  done = leads ? done : tell_leader(manager, *leader);
  done = done ? manager.fence() : done;
  if (!done) {
    return done.error();
  }
  // All have looked at them.
  (void)::close(*token_fd);
  if (name) {
    (void)::close(*name);
  }
  auto attached = leads ? make_node(manager, options, *own, *here) : base::Result<boot::Attachment>(boot::Attachment{});
  if (!attached) {
    return attached;
  }
  if (done = manager.fence(); !done) {
    return done.error();
  }
  if (!leads) {
    attached = open_node(manager, *leader);
    if (!attached) {
      return attached;
    }
  }
  if (done = find_neighbours(manager, attached->job); !done) {
    return done.error();
  }
  attached->local = g_session.local;
  attached->record = boot::pe_record(attached->job, g_session.local);
  // Relaxed: the barrier of shmem_init publishes it.
  attached->record->pid.store(::getpid(), std::memory_order_relaxed);
  attached->record->phase.store(static_cast<std::uint32_t>(boot::Phase::kAttached), std::memory_order_relaxed);
  return attached;
}

// The process that the mark names, of the manager's processes the one that this environment was made for.
constexpr const char* kMark = "WEFT_MANAGED";

void describe_start(char* text, std::size_t room, long pid) noexcept {
  const auto value = [](const char* name) {
    const char* found = ::secure_getenv(name);
    return found == nullptr ? "" : found;
  };
  (void)std::snprintf(text, room, "%ld %s %s %s %s", pid, value("PMIX_NAMESPACE"), value("PMIX_RANK"), value("PMI_FD"),
                      value("PMI_RANK"));
}

}  // namespace

Prospect look_ahead() noexcept {
  const Environment environment = read_environment();
  if (!environment.several()) {
    return {};
  }
  const char* mark = ::secure_getenv(kMark);
  const long marked = mark == nullptr ? 0 : std::strtol(mark, nullptr, 10);
  char text[512];
  describe_start(text, sizeof text, marked);
  // The same start, but another process: one that a PE has started. A PE that executes itself anew is none.
  if (mark != nullptr && std::strcmp(mark, text) == 0 && marked != ::getpid()) {
    return {};
  }
  describe_start(text, sizeof text, ::getpid());
  (void)::setenv(kMark, text, 1);
  return {environment.most_pes(), environment.first_here};
}

base::Result<boot::Attachment> join_job(const base::Options& options, int statics_fd) noexcept {
  const auto manager = open_manager();
  if (!manager) {
    return manager.error();
  }
  g_session.manager = *manager;
  g_session.owner = ::getpid();
  base::set_reporting_pe((*manager)->rank());
  const auto attached = join(**manager, options, statics_fd);
  if (!attached) {
    // The others wait for this one, and some managers would let them.
    base::say(base::words().begin, "%s", attached.error().text());
    abort_job(1, "a PE could not join the job");
    return attached;
  }
  g_session.job = attached->job;
  struct stat status {};
  g_session.heap_inode = ::fstat(attached->heap_fd, &status) == 0 ? status.st_ino : 0;
  base::debug("PE %d of %d by %s: number %d of %u on node %u of %u", (*manager)->rank(), (*manager)->size(),
              (*manager)->name(), g_session.local, attached->job->n_pes, attached->job->node, attached->job->n_nodes);
  return attached;
}

bool joined() noexcept { return g_session.job != nullptr; }

base::Result<void> check_files(const boot::Attachment& attached) noexcept {
  const FileOf& statics = g_session.statics[g_session.local];
  if (!is_file(attached.heap_fd, g_session.heap_inode) || !is_file(statics.fd, statics.inode)) {
    return base::Error::make(
        "the program has closed descriptor %d or %d since it began, which hold the job's memory; let it close only its "
        "own files, or run it with oshrun",
        attached.heap_fd, statics.fd);
  }
  return {};
}

base::Result<int> open_statics(int local) noexcept { return open_file(g_session.statics[local]); }

base::Result<void> exchange_cards(boot::JobHeader* job, int pe, const boot::PeerCard& mine) noexcept {
  return exchange_cards(*g_session.manager, job, pe, g_session.local, mine);
}

// What this process has just written lies in a pipe or a socket. Launchers that are told to end the job do not empty it
// first.
void give_time_for_output() noexcept {
  constexpr int kStepMs = 10;
  constexpr int kLongestMs = 1000;  // a launcher that hangs must not keep the job
  constexpr int kToPassOnMs = 100;  // what has been read may have a host to cross yet
  const auto unread = [](int descriptor) {
    struct stat file {};
    int bytes = 0;
    if (::fstat(descriptor, &file) != 0) {
      return false;
    }
    const bool known = (S_ISFIFO(file.st_mode) && ::ioctl(descriptor, FIONREAD, &bytes) == 0) ||
                       (S_ISSOCK(file.st_mode) && ::ioctl(descriptor, SIOCOUTQ, &bytes) == 0);
    return known && bytes > 0;
  };
  for (int waited = 0; waited < kLongestMs && (unread(STDERR_FILENO) || unread(STDOUT_FILENO)); waited += kStepMs) {
    (void)::poll(nullptr, 0, kStepMs);
  }
  (void)::poll(nullptr, 0, kToPassOnMs);
}

void abort_job(int status, const char* why) noexcept {
  if (g_session.manager != nullptr && g_session.owner == ::getpid()) {
    give_time_for_output();
    g_session.manager->abort(status, why);
  }
}

bool all_leave() noexcept {
  constexpr int kPatienceMs = 5000;
  return g_session.manager != nullptr && g_session.owner == ::getpid() && g_session.manager->fence_within(kPatienceMs);
}

void leave_job() noexcept {
  if (g_session.manager != nullptr && g_session.owner == ::getpid()) {
    Manager* manager = g_session.manager;
    g_session.manager = nullptr;
    manager->finalize();
  }
}

base::Result<void> watch_node(void (*lost)(int local) noexcept) noexcept {
  const auto watched = std::exchange(g_session.watched, true);
  return watched ? base::Result<void>() : watch_neighbours(g_session.job, g_session.local, lost);
}

void tell_of_missing_manager() noexcept {
  const int tasks = read_environment().tasks_alone;
  if (tasks > 1) {
    base::say(
        base::words().begin,
        "srun has started %d of this program, and each is a job of its own with 1 PE; for one job of %d PEs give it "
        "--mpi=pmix or --mpi=pmi2",
        tasks, tasks);
  }
}

int find_lost_pe() noexcept {
  // A launcher that ends the job itself says more than we can; it has the first word.
  constexpr std::uint64_t kBetweenLooksNs = 200'000'000;
  constexpr std::uint64_t kPatienceNs = 1'500'000'000;
  // Relaxed, all of them: threads that look at once look twice.
  static std::atomic<std::uint64_t> next_look{0};
  static std::atomic<std::uint64_t> lost_since{0};
  const std::uint64_t now = os::now_ns();
  if (g_session.owner != ::getpid() || now < next_look.load(std::memory_order_relaxed)) {
    return -1;
  }
  next_look.store(now + kBetweenLooksNs, std::memory_order_relaxed);
  int lost = -1;
  // Hydra takes no note of one that has left its job before all have.
  for (int pe = 0; pe < static_cast<int>(g_session.job->n_pes) && lost < 0; ++pe) {
    const boot::PeRecord& record = *boot::pe_record(g_session.job, pe);
    const pid_t pid = record.pid.load(std::memory_order_relaxed);
    const auto phase = static_cast<boot::Phase>(record.phase.load(std::memory_order_relaxed));
    if (pid > 0 && phase != boot::Phase::kFinalised && os::has_ended(pid)) {
      lost = pe;
    }
  }
  if (lost < 0) {
    lost_since.store(0, std::memory_order_relaxed);
    return -1;
  }
  const std::uint64_t since = lost_since.load(std::memory_order_relaxed);
  if (since == 0) {
    lost_since.store(now, std::memory_order_relaxed);
    return -1;
  }
  return now - since >= kPatienceNs ? lost : -1;
}

}  // namespace weft::pmi
