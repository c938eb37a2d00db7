#include "job/attach.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/lines.hpp"
#include "base/words.hpp"
#include "boot/cards.hpp"
#include "boot/hold.hpp"
#include "job/claim.hpp"
#include "job/crash.hpp"
#include "job/exit.hpp"
#include "job/front_end.hpp"
#include "job/node.hpp"
#include "job/serving.hpp"
#include "job/start.hpp"
#include "job/tools.hpp"
#include "memory/fork.hpp"
#include "os/executable.hpp"
#include "os/mapping.hpp"
#include "os/memory_info.hpp"
#include "os/process.hpp"
#include "os/tracing.hpp"
#include "pmi/session.hpp"
#include "progress/work.hpp"

namespace weft::job {

// Plain storage: attach() runs before the dynamic initialisation of this library's objects might.
constinit Process g_process{};

void tell_launcher_why() noexcept { node().record().said_why.store(1, std::memory_order_relaxed); }

namespace {

void on_failure() noexcept {
  tell_launcher_why();
  after_failure();
  pmi::abort_job(1, "Weft: a PE failed; its line says why");
}

// A forked child keeps nothing of the job: calls of the library end it with a line.
void in_forked_child() noexcept {
  static constinit boot::PeRecord nobody{};
  g_process.forked = true;
  each_front_end([](const FrontEnd& front_end) {
    if (front_end.forked != nullptr) {
      front_end.forked();
    }
  });
  node().own.leave_after_fork();
  node().own_record.store(&nobody, std::memory_order_release);
}

// Output of a PE goes to the launcher through a pipe. Lines are passed on as they are printed, and are not lost when
// the job is ended, as a full buffer would be.
void print_by_lines() noexcept {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) == 0 && S_ISFIFO(status.st_mode)) {
    (void)std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  }
}

// What others may want to know of the program, whatever it shares.
void describe_program(boot::PeRecord& record) noexcept {
  const os::Executable exe = os::find_executable();
  // Relaxed, all: the barrier when the front end begins publishes it.
  record.program.store(os::program_identity(), std::memory_order_relaxed);
  record.program_base.store(exe.bias, std::memory_order_relaxed);
  record.program_end.store(exe.highest, std::memory_order_relaxed);
}

// A PE of another launcher than oshrun: nothing is known yet of the job, and there may never be one. Static data that
// is to move does so into a file of this PE's own, because later it would be too late.
base::Result<void> expect_manager(const pmi::Prospect& prospect) noexcept {
  const os::Executable exe = os::find_executable();
  const auto file = os::make_memory_file("weft-statics", exe.data_hi - exe.data_lo);
  if (!file) {
    return file.error();
  }
  (void)::fcntl(*file, F_SETFD, FD_CLOEXEC);
  g_process.managed = true;
  g_process.statics_fd = *file;
  g_process.most_pes = prospect.most_pes;
  Node& node = job::node();
  node.first_here = g_process.first_guessed = prospect.first_here;
  memory::watch_forks(node.space, node.adopted, in_forked_child);
  return {};
}

// Where the PEs of this node are numbered one after another, as they usually are.
void find_run(Node& node) noexcept {
  node.first_here = node.me - node.local;
  node.run_here = static_cast<unsigned>(node.n_local);
  for (int number = 0; node.job->n_nodes > 1 && number < node.n_local; ++number) {
    const int pe = node.first_here + number;
    const bool exists = pe >= 0 && pe < node.n_pes;
    const boot::PeerCard* card = exists ? boot::peer_card(node.job, pe) : nullptr;
    if (card == nullptr || card->node != node.job->node || card->local != static_cast<std::uint32_t>(number)) {
      node.run_here = 0;
      return;
    }
  }
}

void join(const boot::Attachment& attached) noexcept {
  g_process.attached = attached;
  Node& node = job::node();
  node.job = attached.job;
  // Before the PE's first call, for who speaks of it by then. Relaxed: only for people.
  attached.record->call.store(none_of(g_process.first), std::memory_order_relaxed);
  node.own_record.store(attached.record, std::memory_order_release);
  node.me = attached.me;
  node.n_pes = static_cast<int>(attached.job->job_pes);
  node.local = attached.local;
  node.n_local = static_cast<int>(attached.job->n_pes);
  find_run(node);
  node.crowded = node.n_local > static_cast<int>(attached.job->cpus);
}

void attach_failed(const base::Error& error) noexcept {
  g_process.attach_error = error;
  g_process.attach_failed = true;
}

base::Result<void> find_job() noexcept {
  if (!boot::started_in_a_job()) {
    const pmi::Prospect prospect = pmi::look_ahead();
    return prospect.most_pes > 1 ? expect_manager(prospect) : base::Result<void>();
  }
  const auto attached = boot::enter_job();
  if (!attached) {
    return attached.error();
  }
  if (attached->job == nullptr) {
    return {};  // a helper program of a PE: alone
  }
  join(*attached);
  base::set_reporting_pe(attached->me);
  base::set_failure_hook(on_failure);
  tell_where_calls_fail();
  // To show people where this PE is; a debugger that is to come is allowed more (boot/hold.hpp).
  os::allow_tracing_by(attached->job->launcher_pid);
  print_by_lines();
  describe_program(*attached->record);
  if (attached->job->job_pes > 1) {
    memory::watch_forks(job::node().space, job::node().adopted, in_forked_child);
  }
  return {};
}

}  // namespace

void attach(char* const* argv, const FrontEnd& front_end) noexcept {
  add(front_end);
  base::add_words(front_end.words);
  if (const auto loaded = load_tools(argv, front_end.tools); !loaded) {
    attach_failed(loaded.error());
  }
  const bool first = !std::exchange(g_process.looked, true);
  if (first) {
    g_process.first = front_end.interface;
    if (const auto found = find_job(); !found) {
      attach_failed(found.error());
      return;
    }
  }
  if (const auto claimed = need_space(front_end); !claimed) {
    attach_failed(claimed.error());
  }
  if (first && node().job != nullptr) {
    boot::hold_for_debugger(node().record());
  }
  serve_if_asked(front_end);
}

namespace {

base::Result<void> attach_without_launcher(const base::Options& options) noexcept {
  pmi::tell_of_missing_manager();
  if (boot::job_is_refused()) {
    base::say(
        nullptr,
        "this program runs with another user's rights (set-user-ID), so it does not trust the environment: it is a "
        "job of its own, with 1 PE; start it without oshrun, or as a program without such rights");
  }
  const os::MemoryInfo memory = os::memory_info();
  const base::MemoryBound bound{memory.bytes, memory.is_container, os::kPage};
  const auto heap_bytes = base::heap_bytes_per_pe(options, 1, bound);
  if (!heap_bytes) {
    return heap_bytes.error();
  }
  const auto attached = boot::enter_alone(*heap_bytes);
  if (!attached) {
    return attached.error();
  }
  // Alone the heap is private memory, which the pool of reserved huge pages does not back.
  attached->job->pages = static_cast<std::uint32_t>(options.pages() == base::HugePages::kOff ? base::HugePages::kOff
                                                                                             : base::HugePages::kThp);
  join(*attached);
  base::set_failure_hook(after_failure);
  tell_where_calls_fail();
  if (options.version.on) {
    base::print_version(stdout);
  }
  if (options.info.on) {
    base::print_info(stdout);
  }
  describe_program(*attached->record);
  return {};
}

// Only one of a node is to tell why the job ends.
bool ends_the_job() noexcept {
  std::uint32_t nobody = 0;
  // Relaxed: what is told does not come from the others.
  return node().job->exit_request.compare_exchange_strong(nobody, boot::kExitAsked | 1U, std::memory_order_relaxed);
}

// on_exit, and registered before the program's own handlers can be: so it runs after them.
void leave_manager_at_exit(int status, void* /*unused*/) {
  if (g_process.forked) {
    return;
  }
  const Node& node = job::node();
  if (g_process.leaving || status != 0) {
    (void)std::fflush(stdout);
    end_managed_job(status, g_process.leaving ? base::words().exit_all : "a PE exited with an error");
  } else if (!running() || node.job->n_nodes == 1 || pmi::all_leave()) {
    // On one node those that wait for a PE which left without shmem_finalize find out.
    pmi::leave_job();
  } else if (ends_the_job()) {
    // Between nodes nobody would: the last PE of a node may go without a word, and few launchers mind.
    (void)std::fflush(stdout);
    base::say(nullptr, "left without %s while other PEs went on; ending the job", base::words().end);
    char why[128];
    (void)std::snprintf(why, sizeof why, "a PE left without %s", base::words().end);
    end_managed_job(1, why);
  }
}

// Nobody but the PEs themselves looks after a job that oshrun has not started.
void end_for_lost_pe(int local) noexcept {
  const Node& node = job::node();
  if (!ends_the_job()) {
    return;
  }
  base::fail(current_call(), "PE %d (pid %d) has ended without %s; ending the job", node.pe_of(local),
             boot::pe_record(node.job, local)->pid.load(std::memory_order_relaxed), base::words().end);
}

constinit progress::IdleWork g_look_for_lost_pes{.what = []() noexcept {
  if (const int lost = pmi::find_lost_pe(); lost >= 0) {
    end_for_lost_pe(lost);
  }
  return false;
}};

base::Result<void> attach_by_manager(const base::Options& options) noexcept {
  const auto attached = pmi::join_job(options, g_process.statics_fd);
  if (!attached) {
    return attached.error();
  }
  join(*attached);
  base::set_failure_hook(on_failure);
  tell_where_calls_fail();
  // To show people where this PE is; a debugger that is to come is allowed more (boot/hold.hpp).
  os::allow_tracing_by(attached->job->launcher_pid);
  print_by_lines();
  (void)::on_exit(leave_manager_at_exit, nullptr);
  if (attached->me == 0 && options.version.on) {
    base::print_version(stdout);
  }
  if (attached->me == 0 && options.info.on) {
    base::print_info(stdout);
  }
  describe_program(*attached->record);
  return {};
}

}  // namespace

base::Result<void> attach_now(const base::Options& options) noexcept {
  return g_process.managed ? attach_by_manager(options) : attach_without_launcher(options);
}

base::Result<void> reopen_files() noexcept {
  if (pmi::joined()) {
    return pmi::check_files(g_process.attached);
  }
  if (g_process.attached.data_fd < 0) {
    return {};
  }
  const auto opened = boot::reopen_files(&g_process.attached);
  node().space.set_files(g_process.attached.data_fd, g_process.attached.heap_fd);
  return opened;
}

void watch_others() noexcept {
  if (pmi::joined()) {
    progress::add_idle_work(g_look_for_lost_pes);
  }
}

void watch_node() noexcept {
  if (pmi::joined() && node().job->n_nodes > 1) {
    if (const auto watched = pmi::watch_node(end_for_lost_pe); !watched) {
      base::say(current_call(), "%s", watched.error().text());
    }
  }
}

}  // namespace weft::job
