#include "mpi/environment.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>

#include "api/mpi/version.hpp"
#include "base/lines.hpp"
#include "base/options.hpp"
#include "coll/barrier.hpp"
#include "coll/start.hpp"
#include "group/team.hpp"
#include "job/attach.hpp"
#include "job/exit.hpp"
#include "job/node.hpp"
#include "job/pages.hpp"
#include "job/start.hpp"
#include "mpi/buffers.hpp"
#include "mpi/load.hpp"
#include "mpi/names.hpp"
#include "mpi/requests.hpp"
#include "mpi/safe.hpp"
#include "msg/start.hpp"
#include "os/clock.hpp"
#include "os/cpus.hpp"
#include "win/held.hpp"
#include "win/served.hpp"

namespace weft::mpi {
namespace {

// Read by any thread at any time.
constinit std::atomic<int> g_level = MPI_THREAD_SINGLE;
// The thread that has begun is known by where its copy is.
constinit thread_local char t_mark = 0;
const char* g_main_thread = nullptr;

struct Given {
  std::mutex mutex;
  std::set<void*> blocks;
};
Given& given() noexcept {
  static Given& made = *new Given;
  return made;
}

constexpr std::size_t kAlignment = 64;  // a cache line, and what vectors like

const char* name_of_level(int level) noexcept {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE: return "MPI_THREAD_MULTIPLE";
    default: return nullptr;
  }
}

base::Result<void> start_job(const base::Options& options, int level) noexcept {
  if (const auto started = coll::start(front_end(), options); !started) {
    return started;
  }
  if (const auto begun = msg::begin(options); !begun) {
    return begun;
  }
  job::warn_of_huge_pages();
  let_tools_listen();
  msg::set_label_of(write_label);
  msg::several_threads(level >= MPI_THREAD_SERIALIZED);
  g_one_thread = msg::one_thread();
  set_up_requests();
  fill_communicators();
  // Relaxed: the meeting publishes it. OpenSHMEM beside this front end asks whether any process has threads.
  if (level == MPI_THREAD_MULTIPLE) {
    job::shared_pe(job::node().job, job::node().local).threads.store(1, std::memory_order_relaxed);
  }
  return coll::meet_all(options);
}

int begin(int level) noexcept {
  if (job::g_process.forked) {
    base::fail(job::current_call(), "called in a forked child; only the process that was started is in the job");
  }
  // Relaxed: one thread begins.
  if (const Phase phase = g_phase.load(std::memory_order_relaxed); phase != Phase::kBefore) {
    return raise(nullptr, MPI_ERR_OTHER,
                 phase == Phase::kRunning ? "MPI has begun already" : "MPI_Finalize was called; MPI begins once only");
  }
  const auto options = base::read_options();
  if (options) {
    begin_checks(*options);
  }
  const auto started = options ? start_job(*options, level) : base::Result<void>(options.error());
  if (!started) {
    return raise(nullptr, MPI_ERR_OTHER, "%s", started.error().text());
  }
  g_main_thread = &t_mark;
  g_level.store(level, std::memory_order_relaxed);
  describe_start(info_env(), 0, nullptr, name_of_level(level));
  // Release: pairs with running().
  g_phase.store(Phase::kRunning, std::memory_order_release);
  return MPI_SUCCESS;
}

// Of an info object that may be null: the alignment that it asks for, or what is good without it.
std::size_t alignment_of(const Info* info) noexcept {
  const std::uint64_t wanted = info == nullptr ? 0 : alignment_in(info->get("mpi_minimum_memory_alignment"));
  return std::max<std::size_t>(kAlignment, wanted);
}

}  // namespace

int raise_not_running() noexcept {
  return raise(nullptr, MPI_ERR_OTHER,
               g_phase.load(std::memory_order_relaxed) == Phase::kBefore ? "called before MPI_Init"
                                                                         : "called after MPI_Finalize");
}

int init(int* /*argc*/, char*** /*argv*/) noexcept { return begin(MPI_THREAD_SINGLE); }

int init_thread(int* /*argc*/, char*** /*argv*/, int required, int* provided) noexcept {
  if (name_of_level(required) == nullptr) {
    return raise(nullptr, MPI_ERR_ARG, "required: %d is none of MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE", required);
  }
  *provided = required;
  return begin(required);
}

int finalize() noexcept {
  if (checks()) [[unlikely]] {
    agree(comm_world(), {.function = api::mpi::Call::MPI_Finalize});
    tell_of_leftovers();
  }
  // Functions of the program's that end its libraries hang there, and may call MPI.
  if (const int code = comm_self().attributes.remove_all(comm_self().number); code != MPI_SUCCESS) {
    return raise(&comm_self(), code, "the delete function of an attribute of MPI_COMM_SELF returned %d", code);
  }
  end_buffers();
  finish_freed_requests();
  coll::meet_at_finalize();
  win::stop_serving();
  msg::end();
  group::delete_all_teams(boot::Interface::kMpi);
  // Release: as in begin(); no call of another thread may be under way.
  g_phase.store(Phase::kAfter, std::memory_order_release);
  job::stop(front_end());
  return MPI_SUCCESS;
}

int abort(Comm& /*comm*/, int errorcode) noexcept {
  base::flush_stdout();
  base::say(job::current_call(), "ends the job with code %d", errorcode);
  // Not exit(): the program's own handlers may wait for others, or call MPI again.
  job::end_all_now(errorcode);
}

int initialized(int* flag) noexcept {
  // Acquire: as running().
  *flag = g_phase.load(std::memory_order_acquire) == Phase::kBefore ? 0 : 1;
  return MPI_SUCCESS;
}

int finalized(int* flag) noexcept {
  *flag = g_phase.load(std::memory_order_acquire) == Phase::kAfter ? 1 : 0;
  return MPI_SUCCESS;
}

int is_thread_main(int* flag) noexcept {
  *flag = &t_mark == g_main_thread ? 1 : 0;
  return MPI_SUCCESS;
}

int query_thread(int* provided) noexcept {
  *provided = g_level.load(std::memory_order_relaxed);
  return MPI_SUCCESS;
}

int pcontrol(int /*level*/) noexcept { return MPI_SUCCESS; }

int alloc_mem(MPI_Aint size, const Info* info, void* baseptr) noexcept {
  if (size < 0 || baseptr == nullptr) {
    return size < 0 ? raise(nullptr, MPI_ERR_ARG, "size: %lld is negative", static_cast<long long>(size))
                    : raise(nullptr, MPI_ERR_ARG, "baseptr: is null");
  }
  const std::size_t alignment = alignment_of(info);
  // From the own area, so that a window on it is as fast as one that brought its memory along.
  if (void* const shared = win::take(static_cast<std::uint64_t>(size), alignment); shared != nullptr) {
    *static_cast<void**>(baseptr) = shared;
    return MPI_SUCCESS;
  }
  const std::size_t bytes = (static_cast<std::size_t>(size) + alignment - 1) / alignment * alignment;
  void* const block = std::aligned_alloc(alignment, bytes == 0 ? alignment : bytes);
  if (block == nullptr) {
    return raise(nullptr, MPI_ERR_NO_MEM, "size: there are no %lld bytes", static_cast<long long>(size));
  }
  const std::scoped_lock lock(given().mutex);
  given().blocks.insert(block);
  *static_cast<void**>(baseptr) = block;
  return MPI_SUCCESS;
}

int free_mem(void* base) noexcept {
  if (base == nullptr || win::give_back(base)) {
    return MPI_SUCCESS;
  }
  {
    const std::scoped_lock lock(given().mutex);
    if (given().blocks.erase(base) != 0) {
      std::free(base);
      return MPI_SUCCESS;
    }
  }
  return raise(nullptr, MPI_ERR_BASE, "base: MPI_Alloc_mem has not given %p, or it was freed", base);
}

int get_hw_resource_info(MPI_Info* hw_info) noexcept {
  auto* const made = new (std::nothrow) Info;
  if (made != nullptr) {
    made->set("weft://node", "true");
    made->set("weft://processor", os::usable_cpus() == 1 ? "true" : "false");
  }
  return give_info(made, hw_info);
}

int get_version(int* version, int* subversion) noexcept {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int get_library_version(char* version, int* resultlen) noexcept {
  *resultlen = std::snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Weft %s (MPI %d.%d, binary interface %d.%d)",
                             api::mpi::kVersion, MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
  return MPI_SUCCESS;
}

int get_processor_name(char* name, int* resultlen) noexcept {
  if (::gethostname(name, MPI_MAX_PROCESSOR_NAME) != 0) {
    (void)std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "unknown");
  }
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';  // a name that does not fit need not have one
  *resultlen = static_cast<int>(std::strlen(name));
  return MPI_SUCCESS;
}

double wtime() noexcept { return static_cast<double>(os::now_ns()) * 1e-9; }
double wtick() noexcept { return 1e-9; }

}  // namespace weft::mpi
