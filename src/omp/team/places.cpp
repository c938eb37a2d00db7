#include "omp/team/places.hpp"

#include <unistd.h>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "omp/image/image.hpp"
#include "omp/sync/fatal.hpp"

namespace weft::omp {

namespace {

cpu_set_t g_allowed;
cpu_set_t* g_places = nullptr;
int g_number = 0;

// The format is a text of this process's own. What others are to have is a copy of it in shared memory, which is made
// and freed only between regions, when nobody reads it.
constinit std::atomic<char*> g_format{nullptr};
constinit char* g_first_format = nullptr;        // of the environment, which all processes have alike
constinit std::atomic<std::uint64_t> g_sets{0};  // by routines in this process
std::uint64_t g_sets_told = 0;                   // as many were when the last region began
std::uint64_t g_taken = 0;                       // process 0's setting that another process has; zero: none
char* g_copy = nullptr;

char* copy_of(const char* text, std::size_t length) noexcept {
  auto* const copy = static_cast<char*>(need_memory(length + 1));
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void have_format(char* text) noexcept {
  // Release: the text, for those who read it by the pointer; acquire: for free(). Of two that set it at once each frees
  // another.
  char* const before = g_format.exchange(text, std::memory_order_acq_rel);
  if (before != g_first_format) {
    std::free(before);
  }
}

struct Reader {
  const char* at;
  void skip() noexcept {
    while (std::isspace(static_cast<unsigned char>(*at)) != 0) {
      ++at;
    }
  }
  bool take(char letter) noexcept {
    skip();
    if (*at != letter) {
      return false;
    }
    ++at;
    skip();
    return true;
  }
  bool number(long& value, bool negative) noexcept {
    skip();
    if (std::isdigit(static_cast<unsigned char>(*at)) == 0 && !(negative && *at == '-')) {
      return false;
    }
    errno = 0;
    char* end = nullptr;
    value = std::strtol(at, &end, 10);
    const bool good = errno == 0 && end != at;
    at = end;
    skip();
    return good;
  }
};

using Set = std::vector<bool>;

// One of {a:length:stride,...}, a number, !number: into the set or out of it.
bool read_interval(Reader& in, Set& set) noexcept {
  const bool out = in.take('!');
  long from = 0;
  long length = 1;
  long stride = 1;
  if (!in.number(from, false)) {
    return false;
  }
  if (!out && in.take(':')) {
    if (!in.number(length, false) || length < 1) {
      return false;
    }
    if (in.take(':') && !in.number(stride, true)) {
      return false;
    }
  }
  for (long k = 0; k < length; ++k) {
    const long cpu = from + k * stride;
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
      continue;
    }
    set[static_cast<std::size_t>(cpu)] = !out;
  }
  return true;
}

// A place or its exclusion, and :count:stride behind it.
bool read_place(Reader& in, std::vector<Set>& places) noexcept {
  const bool out = in.take('!');
  Set set(CPU_SETSIZE, false);
  if (in.take('{')) {
    do {
      if (!read_interval(in, set)) {
        return false;
      }
    } while (in.take(','));
    if (!in.take('}')) {
      return false;
    }
  } else if (!read_interval(in, set)) {
    return false;
  }
  long count = 1;
  long stride = 1;
  if (!out && in.take(':')) {
    if (!in.number(count, false) || count < 1 || count > 65536) {
      return false;
    }
    if (in.take(':') && !in.number(stride, true)) {
      return false;
    }
  }
  if (out) {
    std::erase(places, set);
    return true;
  }
  for (long k = 0; k < count; ++k) {
    Set moved(CPU_SETSIZE, false);
    for (long cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      const long to = cpu + k * stride;
      if (set[static_cast<std::size_t>(cpu)] && to >= 0 && to < CPU_SETSIZE) {
        moved[static_cast<std::size_t>(to)] = true;
      }
    }
    places.push_back(std::move(moved));
  }
  return true;
}

// Processors that have the same contents in a file of their topology are one place.
void by_file(const char* file, std::vector<Set>& places) {
  std::vector<std::string> seen;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &g_allowed)) {
      continue;
    }
    std::string text;
    if (file != nullptr) {
      const std::string path = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file;
      if (std::FILE* const in = std::fopen(path.c_str(), "re"); in != nullptr) {
        char line[512] = "";
        text = std::fgets(line, sizeof line, in) != nullptr ? line : "";
        (void)std::fclose(in);
      }
    }
    if (text.empty()) {
      text = "cpu" + std::to_string(cpu);
    }
    std::size_t at = 0;
    while (at < seen.size() && seen[at] != text) {
      ++at;
    }
    if (at == seen.size()) {
      seen.push_back(text);
      places.emplace_back(CPU_SETSIZE, false);
    }
    places[at][static_cast<std::size_t>(cpu)] = true;
  }
}

bool read_named(Reader& in, std::vector<Set>& places) {
  static constexpr struct {
    const char* name;
    const char* file;
  } kNames[] = {{"threads", nullptr},
                {"cores", "topology/thread_siblings_list"},
                {"ll_caches", "cache/index3/shared_cpu_list"},
                {"numa_domains", "topology/physical_package_id"},
                {"sockets", "topology/physical_package_id"}};
  for (const auto& each : kNames) {
    const std::size_t length = std::strlen(each.name);
    if (strncasecmp(in.at, each.name, length) == 0) {
      in.at += length;
      long count = LONG_MAX;
      if (in.take('(') && (!in.number(count, false) || count < 1 || !in.take(')'))) {
        return false;
      }
      in.skip();
      by_file(each.file, places);
      if (static_cast<std::size_t>(count) < places.size()) {
        places.resize(static_cast<std::size_t>(count));
      }
      return true;
    }
  }
  return false;
}

void keep(const std::vector<Set>& places) {
  std::vector<cpu_set_t> kept;
  for (const Set& each : places) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (each[cpu] && CPU_ISSET(cpu, &g_allowed)) {
        CPU_SET(cpu, &set);
      }
    }
    if (CPU_COUNT(&set) > 0) {
      kept.push_back(set);
    }
  }
  if (kept.empty()) {
    complain("None of the places contain usable logical CPUs");
    return;
  }
  if (kept.size() != places.size()) {
    complain("Number of places reduced from %zu to %zu because some places didn't contain any usable logical CPUs",
             places.size(), kept.size());
  }
  g_places = static_cast<cpu_set_t*>(need_memory(sizeof(cpu_set_t) * kept.size()));
  std::memcpy(static_cast<void*>(g_places), kept.data(), sizeof(cpu_set_t) * kept.size());
  g_number = static_cast<int>(kept.size());
}

bool read_list(const char* text) {
  Reader in{text};
  in.skip();
  std::vector<Set> places;
  if (std::isalpha(static_cast<unsigned char>(*in.at)) != 0) {
    if (!read_named(in, places) || *in.at != '\0') {
      return false;
    }
  } else {
    do {
      if (!read_place(in, places)) {
        return false;
      }
    } while (in.take(','));
    if (*in.at != '\0') {
      return false;
    }
  }
  keep(places);
  return true;
}

// GOMP_CPU_AFFINITY: a place for each processor of "0 3 1-2 4-15:2".
bool read_cpus(const char* text) {
  Reader in{text};
  std::vector<Set> places;
  in.skip();
  while (*in.at != '\0') {
    long from = 0;
    long to = 0;
    long stride = 1;
    if (!in.number(from, false)) {
      return false;
    }
    to = from;
    if (*in.at == '-') {
      ++in.at;
      if (!in.number(to, false) || to < from) {
        return false;
      }
      if (in.take(':') && (!in.number(stride, false) || stride < 1)) {
        return false;
      }
    }
    for (long cpu = from; cpu <= to && cpu < CPU_SETSIZE; cpu += stride) {
      places.emplace_back(CPU_SETSIZE, false);
      places.back()[static_cast<std::size_t>(cpu)] = true;
    }
    in.take(',');
  }
  if (places.empty()) {
    return false;
  }
  keep(places);
  return true;
}

}  // namespace

int read_processors() noexcept {
  if (::sched_getaffinity(0, sizeof g_allowed, &g_allowed) != 0) {
    CPU_ZERO(&g_allowed);
    CPU_SET(0, &g_allowed);
  }
  const int found = CPU_COUNT(&g_allowed);
  return found > 0 ? found : 1;
}

void read_places(Icv& icv, bool bound) noexcept {
  const char* const list = std::getenv("OMP_PLACES");
  const char* const cpus = std::getenv("GOMP_CPU_AFFINITY");
  if (bound && icv.bind == kBindFalse) {
    return;
  }
  if (list != nullptr) {
    if (!read_list(list)) {
      complain("Invalid value for environment variable OMP_PLACES");
    }
  } else if (cpus != nullptr && *cpus != '\0') {
    if (!read_cpus(cpus)) {
      complain("Invalid value for enviroment variable GOMP_CPU_AFFINITY");
    }
  } else if (bound) {
    (void)read_list("threads");
  }
  if (!bound && g_number != 0) {
    icv.bind = kBindTrue;  // who names places wants to be bound
  }
  if (g_number == 0) {
    icv.bind = kBindFalse;
  }
}

int number_of_places() noexcept { return g_number; }
const cpu_set_t* place(int number) noexcept { return number >= 0 && number < g_number ? g_places + number : nullptr; }

void print_places() noexcept {
  for (int k = 0; k < g_number; ++k) {
    (void)std::fprintf(stderr, "%s{", k > 0 ? "," : "");
    bool first = true;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      int length = 0;
      while (cpu + length < CPU_SETSIZE && CPU_ISSET(cpu + length, g_places + k)) {
        ++length;
      }
      if (length > 0) {
        (void)std::fprintf(stderr, length > 1 ? "%s%d:%d" : "%s%d", first ? "" : ",", cpu, length);
        first = false;
        cpu += length;
      }
    }
    (void)std::fprintf(stderr, "}");
  }
}

void read_affinity_format(const char* text) noexcept {
  const char* const chosen = text != nullptr && *text != '\0' ? text : "level %L thread %i affinity %A";
  g_first_format = copy_of(chosen, std::strlen(chosen));
  have_format(g_first_format);
}

const char* affinity_format() noexcept {
  const char* const format = g_format.load(std::memory_order_acquire);  // the text behind it
  return format != nullptr ? format : "";
}

void set_affinity_format(const char* text, std::size_t length) noexcept {
  have_format(copy_of(text, length));
  // Relaxed: read where a region begins, which comes after all that the last one's threads did.
  g_sets.fetch_add(1, std::memory_order_relaxed);
}

SharedFormat share_affinity_format() noexcept {
  if (const std::uint64_t sets = g_sets.load(std::memory_order_relaxed); sets != g_sets_told) {
    const char* const text = affinity_format();
    const std::size_t bytes = std::strlen(text) + 1;
    auto* const copy = static_cast<char*>(image::allocate(bytes));
    if (copy == nullptr) {
      die("Out of memory allocating %lu bytes", static_cast<unsigned long>(bytes));
    }
    std::memcpy(copy, text, bytes);
    if (g_copy != nullptr) {
      image::free(g_copy);
    }
    g_copy = copy;
    g_sets_told = sets;
  }
  return {g_copy, g_sets_told};
}

void take_affinity_format(const SharedFormat& shared) noexcept {
  const std::uint64_t sets = g_sets.load(std::memory_order_relaxed);
  if (shared.set == g_taken && sets == g_sets_told) {
    return;
  }
  g_taken = shared.set;
  g_sets_told = sets;
  have_format(shared.text != nullptr ? copy_of(shared.text, std::strlen(shared.text)) : g_first_format);
}

}  // namespace weft::omp
