#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "base/options.hpp"
#include "boot/job.hpp"
#include "boot/node_files.hpp"
#include "build.hpp"
#include "facts.hpp"
#include "modules.hpp"
#include "os/cpus.hpp"
#include "os/process.hpp"
#include "reach/self.hpp"
#include "read.hpp"

#include "api/option_tables.inc"

namespace weft::info {
namespace {

Limit limit(__rlimit_resource_t which) {
  rlimit now{};
  if (::getrlimit(which, &now) != 0) return {};
  const auto value = [](rlim_t of) { return of == RLIM_INFINITY ? kNoLimit : static_cast<std::uint64_t>(of); };
  return {value(now.rlim_cur), value(now.rlim_max)};
}

void gather_limits(Facts& facts) {
  facts.descriptors = limit(RLIMIT_NOFILE);
  facts.processes = limit(RLIMIT_NPROC);
  facts.address_space = limit(RLIMIT_AS);
  facts.file_size = limit(RLIMIT_FSIZE);
  facts.locked_memory = limit(RLIMIT_MEMLOCK);
  facts.core_size = limit(RLIMIT_CORE);
}

// "Uid:	1000	1000 ..." and "Threads:	3" of /proc/PID/status.
std::uint64_t threads_if_ours(const std::string& status) {
  const long uid = static_cast<long>(kib_line(status.c_str(), "Uid") / 1024);
  return uid == static_cast<long>(::getuid()) ? kib_line(status.c_str(), "Threads") / 1024 : 0;
}

void gather_processes(Facts& facts) {
  constexpr std::uint64_t kSysAdmin = std::uint64_t{1} << 21;
  constexpr std::uint64_t kSysResource = std::uint64_t{1} << 24;
  std::uint64_t capabilities = 0;
  if (std::FILE* status = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, status) != nullptr) {
      if (std::strncmp(line, "CapEff:", 7) == 0) capabilities = std::strtoull(line + 7, nullptr, 16);
    }
    (void)std::fclose(status);
  }
  facts.root = ::getuid() == 0;
  facts.unlimited_processes = facts.root || (capabilities & (kSysAdmin | kSysResource)) != 0;
  facts.processes_left_in_group = os::processes_left();
  DIR* proc = facts.unlimited_processes ? nullptr : ::opendir("/proc");
  if (proc == nullptr) return;
  while (const dirent* entry = ::readdir(proc)) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    facts.processes_of_user += threads_if_ours(std::string("/proc/") + entry->d_name + "/status");
  }
  (void)::closedir(proc);
}

void gather_memory(Facts& facts) {
  facts.page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  facts.memory = os::memory_info();
  facts.available = kib_line("/proc/meminfo", "MemAvailable");
  facts.overcommit = static_cast<int>(number("/proc/sys/vm/overcommit_memory", 0));
  const std::uint64_t promised = kib_line("/proc/meminfo", "Committed_AS");
  const std::uint64_t most = kib_line("/proc/meminfo", "CommitLimit");
  facts.commit_left = most > promised ? most - promised : 0;
  struct statvfs status {};
  if (::statvfs("/dev/shm", &status) == 0) facts.dev_shm = status.f_blocks * status.f_frsize;
  facts.max_mappings = number("/proc/sys/vm/max_map_count", 65530);
  const char* pool = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
  facts.free_huge_pages = static_cast<std::uint64_t>(number((std::string(pool) + "free_hugepages").c_str(), 0));
  facts.huge_pages = static_cast<std::uint64_t>(number((std::string(pool) + "nr_hugepages").c_str(), 0));
  facts.thp_of_files = chosen_word("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
}

// The number of members of a list such as "0-3,8".
int members(const std::string& list) {
  int count = 0;
  for (const char* at = list.c_str(); *at != '\0';) {
    char* end = nullptr;
    const long first = std::strtol(at, &end, 10);
    if (end == at) break;
    long last = first;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    count += static_cast<int>(last - first + 1);
    at = *end == ',' ? end + 1 : end;
  }
  return count;
}

void gather_machine(Facts& facts) {
  facts.processors = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  cpu_set_t set;
  CPU_ZERO(&set);
  facts.affinity = ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : facts.processors;
  facts.quota = os::cpu_quota();
  facts.numa_nodes = std::max(1, members(first_line("/sys/devices/system/node/has_memory")));
  facts.numa_balancing = number("/proc/sys/kernel/numa_balancing", 0) != 0;
  const std::string clocks = "/sys/devices/system/clocksource/clocksource0/";
  facts.clock = first_line((clocks + "current_clocksource").c_str());
  facts.tsc_is_there = first_line((clocks + "available_clocksource").c_str()).find("tsc") != std::string::npos;
  facts.ptrace_scope = static_cast<int>(number("/proc/sys/kernel/yama/ptrace_scope", 0));
  facts.core_pattern = first_line("/proc/sys/kernel/core_pattern");
}

std::string container_kind() {
  if (const char* kind = std::getenv("container"); kind != nullptr && *kind != '\0') return kind;
  if (std::string kind = first_line("/run/systemd/container"); !kind.empty()) return kind;
  if (::access("/run/.containerenv", F_OK) == 0) return "podman";
  if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) return "kubernetes";
  if (::access("/.dockerenv", F_OK) == 0) return "docker";
  return "";
}

bool begins_with(const std::string& text, const char* begin) { return text.rfind(begin, 0) == 0; }

// ./dev's, the tests', the compiler wrappers' and oshrun's own are left out.
bool is_known(const std::string& name) {
  for (const char* ours : {boot::kJobVariable, boot::kPeVariable, boot::kNPesVariable, "WEFT_JOBS", "WEFT_SKIP_SETUP",
                           "WEFT_PRELOADED", "WEFT_MANAGED", "WEFT_CC", "WEFT_CXX", "WEFT_FC", "WEFT_WRAPPED"}) {
    if (name == ours) return true;
  }
  const auto has = [&name](const base::OptionTable& table) {
    return std::any_of(table.options.begin(), table.options.end(),
                       [&name](const base::OptionText& option) { return name == option.name || name == option.older; });
  };
  if (has(base::own_options())) return true;
  for (const base::OptionTable* table : api::option_tables()) {
    if (has(*table)) return true;
  }
  return begins_with(name, "WEFT_TEST_") || begins_with(name, "WEFT_BENCH_");
}

void gather_options(Facts& facts) {
  const base::Result<base::Options> options = base::read_options();
  if (options) {
    facts.options = *options;
  } else {
    facts.options_problem = options.error().text();
    facts.options = *base::read_options([](const char*) -> const char* { return nullptr; });
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name(*variable, std::strcspn(*variable, "="));
    const bool looks_like_ours = begins_with(name, "SHMEM_") || begins_with(name, "SMA_") || begins_with(name, "WEFT_");
    if (looks_like_ours && !is_known(name)) facts.unknown_names.push_back(name);
  }
  std::sort(facts.unknown_names.begin(), facts.unknown_names.end());
}

void gather_single_copy(Facts& facts) {
  reach::Self self;
  self.open(facts.options.single_copy_by(), 0);
  for (int k = 0; k < reach::kWays; ++k) {
    const auto way = static_cast<reach::Way>(k);
    const reach::Reason reason = self.reason(way);
    char text[reach::kReasonText] = {};
    facts.single_copy.push_back({reach::name_of(way), reason ? reach::reason_text(way, reason, text) : ""});
  }
}

}  // namespace

int usable_cpus(const Facts& facts) { return facts.quota > 0 ? std::min(facts.affinity, facts.quota) : facts.affinity; }

int default_pes() { return std::min(os::usable_cpus(), boot::kMaxPes); }

std::string try_placement() {
  const Module module = load_module("libweft_placement.so");
  if (module.library != nullptr || WEFT_INFO_PLACEMENT != 0) return module.why;
  return "Weft was built without hwloc";
}

std::string try_memory(std::uint64_t bytes) {
  const base::Result<int> file = os::make_memory_file("weft-info", bytes);
  if (!file) return file.error().text();
  constexpr std::size_t kPart = 4096;
  std::string problem;
  void* one = ::mmap(nullptr, kPart, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *file, 0);
  void* other = ::mmap(nullptr, kPart, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *file, 0);
  if (one == MAP_FAILED || other == MAP_FAILED) {
    problem = std::string("cannot map shared memory (mmap): ") + std::strerror(errno);
  } else {
    *static_cast<volatile char*>(one) = 'w';
    if (*static_cast<volatile char*>(other) != 'w') problem = "two mappings of a file in memory do not show the same";
  }
  if (one != MAP_FAILED) (void)::munmap(one, kPart);
  if (other != MAP_FAILED) (void)::munmap(other, kPart);
  (void)::close(*file);
  return problem;
}

Facts gather(int n_pes) {
  Facts facts;
  facts.n_pes = n_pes;
  gather_options(facts);
  gather_limits(facts);
  gather_processes(facts);
  gather_memory(facts);
  gather_machine(facts);
  facts.container = container_kind();
  facts.seccomp = kib_line("/proc/self/status", "Seccomp") / 1024 == 2;
  // The limit of file sizes has a line of its own.
  const std::uint64_t slots = boot::slot_layout(facts.options.symmetric_size.value, n_pes).slot_bytes;
  facts.memory_problem = try_memory(std::min(slots * static_cast<std::uint64_t>(n_pes), facts.file_size.soft));
  facts.placement_problem = try_placement();
  gather_single_copy(facts);
  return facts;
}

}  // namespace weft::info
