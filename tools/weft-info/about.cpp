#include "about.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/options.hpp"
#include "build.hpp"
#include "copy/copy.hpp"
#include "facts.hpp"
#include "modules.hpp"
#include "os/huge_pages.hpp"
#include "pmi/environment.hpp"
#include "pmi/pmix.hpp"
#include "read.hpp"

#include "api/option_tables.inc"

namespace weft::info {
namespace {

struct Algorithm {
  const char* option;
  const char* name;
  const char* text;
};

constexpr Algorithm kAlgorithms[] = {
#define WEFT_BARRIER(name, text) {"coll_barrier", #name, text},
#define WEFT_BROADCAST(name, text) {"coll_broadcast", #name, text},
#define WEFT_COLLECT(name, text) {"coll_collect", #name, text}, {"coll_fcollect", #name, text},
#define WEFT_ALLTOALL(name, text) {"coll_alltoall", #name, text}, {"coll_alltoalls", #name, text},
#define WEFT_REDUCE(name, text) {"coll_reduce", #name, text},
#define WEFT_SCAN(name, text) {"coll_scan", #name, text},
#define WEFT_REDUCE_TO(name, text) {"coll_reduce_to", #name, text},
#define WEFT_PULL(name, text) {"coll_pull", #name, text},
#define WEFT_COPY(name, text) {"copy", #name, text},
#include "api/algorithms.def"
};

const char* text_of(const char* option, const char* name) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (std::strcmp(algorithm.option, option) == 0 && std::strcmp(algorithm.name, name) == 0) return algorithm.text;
  }
  return "";
}

// The texts are of the algorithms of api/options.def; another table's option may have the same identifier.
std::vector<Choice> choices_of(const base::OptionTable& table, const base::OptionText& option) {
  std::vector<Choice> choices;
  const char* const* names = table.choices_of(option.identifier);
  if (&table != &base::own_options()) {
    for (; names != nullptr && *names != nullptr; ++names) choices.push_back({.name = *names, .text = {}});
    return choices;
  }
  const bool copies = std::strcmp(option.identifier, "copy") == 0;
  for (int k = 0; names != nullptr && names[k] != nullptr; ++k) {
    Choice choice{names[k], text_of(option.identifier, names[k])};
    if (choice.name == "auto") {
      choice.text = copies ? "for each size the one that copies of that size found to be the fastest"
                           : "by size and number of PEs";
    } else if (copies) {
      choice.usable = copy::routine(static_cast<copy::Choice>(k)) != nullptr;
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

// A flag is on whatever it is set to; SHMEM_DEBUG likewise, unless that is one of its words.
std::string value_text(const std::string& kind, const char* value, const std::string& fallback) {
  if (value == nullptr) return fallback;
  if (kind == "flag" || (kind == "debug" && *value == '\0')) return "on";
  return value;
}

// What all of Weft reads stands with OpenSHMEM's own.
const char* owner_of(const base::OptionTable& table, const base::OptionText& option) {
  const bool of_all = &table == &base::own_options() && std::strncmp(option.name, "SHMEM_", 6) != 0;
  return of_all ? "Weft" : table.interface;
}

Option describe(const base::OptionTable& table, const base::OptionText& option) {
  const char* value = std::getenv(option.name);
  const char* set_by = option.name;
  if (value == nullptr && option.older[0] != '\0') {
    value = std::getenv(option.older);
    set_by = option.older;
  }
  const std::string kind = option.kind;
  const std::string fallback = kind == "flag" || kind == "debug" ? "off" : option.fallback;
  const bool built = kind == "algorithm" && fallback != "auto";
  return {.interface = owner_of(table, option),
          .name = option.name,
          .older = option.older,
          .kind = kind,
          .value = value_text(kind, value, fallback),
          .fallback = fallback,
          .origin = value != nullptr ? "environment"
                    : built          ? "build"
                                     : "default",
          .set_by = value != nullptr ? set_by : "",
          .text = option.text,
          .choices = choices_of(table, option)};
}

Need need(const char* name, bool required, const std::string& problem, const char* what) {
  return {name, required, problem.empty(), problem.empty() ? what : problem};
}

Transport memory() {
  Transport memory{
      "memory", "PEs read and write each other's memory directly: each maps that of all others", true, "", {}};
  memory.needs.push_back(need("memory files (memfd)", true, try_memory(std::uint64_t{1} << 20),
                              "the heaps and the static data lie in one; it has no name, /dev/shm is not used"));
  memory.needs.push_back(need("/proc", false, ::access("/proc/self/fd", X_OK) == 0 ? "" : "it is not mounted",
                              "for PEs that are started through a program which closes inherited files"));
  const base::Result<void> thp = os::transparent_huge_pages(true);
  memory.needs.push_back(
      need("transparent huge pages", false, thp ? "" : thp.error().text(), "for WEFT_HUGE_PAGES=thp"));
  const long reserved = number("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", 0);
  const std::string free = std::to_string(reserved) + " of 2 MiB are free, for WEFT_HUGE_PAGES=hugetlb";
  memory.needs.push_back(need("reserved huge pages", false,
                              reserved > 0 ? "" : "none are free; as root: sysctl vm.nr_hugepages=N", free.c_str()));
  memory.needs.push_back(need("placement on NUMA nodes", false, try_placement(),
                              "libweft_placement.so, for WEFT_NUMA=bind and interleave"));
  memory.why = "everything that it needs is there";
  for (const Need& each : memory.needs) {
    if (each.required && !each.usable) {
      memory.usable = false;
      memory.why = each.why;
    }
  }
  return memory;
}

Launchers launchers() {
  Launchers launchers;
  const pmi::Environment environment = pmi::read_environment();
  if (environment.pmix) {
    launchers.seen = "PMIx";
  } else if (environment.pmi1) {
    launchers.seen =
        "PMI-1, rank " + std::to_string(environment.pmi1_rank) + " of " + std::to_string(environment.pmi1_size);
  }
  const base::Result<void> pmix = pmi::try_pmix();
  if (!pmix) launchers.pmix_problem = pmix.error().text();
  return launchers;
}

// Its library is only looked at: loading it would make this program one of MPI.
Mpi mpi() {
  constexpr const char* kFolder = "weft/mpi";
  Mpi mpi;
  if (WEFT_INFO_MPI == 0) {
    mpi.problem = "this Weft was built without it (WEFT_MPI=OFF)";
  } else if (mpi.folder = find_beside_library(kFolder); mpi.folder.empty()) {
    mpi.problem = std::string("the folder ") + kFolder + " does not lie beside libweft.so; install Weft anew";
  } else if (::access((mpi.folder + "/lib/libmpi_abi.so.1").c_str(), R_OK) != 0) {
    mpi.problem = "there is no " + mpi.folder + "/lib/libmpi_abi.so.1; install Weft anew";
  }
  return mpi;
}

}  // namespace

std::vector<Tried> try_copies() {
  constexpr std::size_t kSizes[] = {std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{1} << 20};
  constexpr int kMostTrials = 5000;  // a class of sizes is decided after 16 MiB and some more
  std::vector<Tried> tried;
  std::vector<std::byte> from(kSizes[2]);
  std::vector<std::byte> to(kSizes[2]);
  for (const std::size_t bytes : kSizes) {
    for (int k = 0; k < kMostTrials && copy::chosen(bytes) == copy::Choice::kAuto; ++k) {
      copy::copy(to.data(), from.data(), bytes);
    }
    tried.push_back({bytes, base::option_choices("copy")[static_cast<int>(copy::chosen(bytes))]});
  }
  return tried;
}

void add_options(const base::OptionTable& table, std::vector<Option>& options) {
  for (const base::OptionText& option : table.options) options.push_back(describe(table, option));
}

About about(bool with_network) {
  About about;
  about.version = WEFT_INFO_VERSION;
  about.specification = "OpenSHMEM 1.6";
  about.build = {.compiler = WEFT_INFO_COMPILER,
                 .flags = WEFT_INFO_FLAGS,
                 .type = WEFT_INFO_TYPE,
                 .sanitizers = WEFT_INFO_SANITIZERS,
                 .fortran = WEFT_INFO_FORTRAN,
                 .target = WEFT_INFO_TARGET,
                 .placement = WEFT_INFO_PLACEMENT != 0};
  about.transports.push_back(memory());
  if (with_network) {
    about.network = network();
    about.transports.push_back(transport_of(about.network));
  }
  about.launchers = launchers();
  about.mpi = mpi();
  add_options(base::own_options(), about.options);
  if (const base::Result<base::Options> options = base::read_options(); !options) {
    about.options_problem = options.error().text();
  } else if (const base::Result<void> chosen = copy::choose(static_cast<copy::Choice>(options->copy.choice)); !chosen) {
    about.options_problem = chosen.error().text();
  }
  for (const base::OptionTable* table : api::option_tables()) {
    add_options(*table, about.options);
    const base::Result<void> checked = base::check_options(*table, base::in_environment);
    if (!checked && about.options_problem.empty()) about.options_problem = checked.error().text();
  }
  about.copies = try_copies();
  return about;
}

}  // namespace weft::info
