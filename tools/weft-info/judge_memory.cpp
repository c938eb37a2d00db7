// Memory, and where it comes from.
#include <algorithm>

#include "judge.hpp"

namespace weft::info {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

// A value for SHMEM_SYMMETRIC_SIZE in whole MiB, as the user would write it.
std::string in_mib(std::uint64_t bytes) { return std::to_string(std::max<std::uint64_t>(1, bytes >> 20)) + "M"; }

std::string fitting_size(std::uint64_t bytes, int n_pes) {
  return "export SHMEM_SYMMETRIC_SIZE=" + in_mib(bytes / 4 * 3 / static_cast<std::uint64_t>(n_pes));
}

std::string all_heaps(const Facts& facts, std::uint64_t each) {
  return pes_text(facts.n_pes) + " x " + bytes_text(each) + " = " +
         bytes_text(each * static_cast<std::uint64_t>(facts.n_pes)) + " of symmetric heap";
}

Finding judge_heaps(const Facts& facts) {
  const std::uint64_t n = static_cast<std::uint64_t>(facts.n_pes);
  const std::uint64_t asked = facts.options.symmetric_size.value;
  const std::uint64_t each = heap_of_each(facts);
  const std::string whose = facts.memory.is_container ? "the control group allows " : "the machine has ";
  const std::string room = ", " + whose + bytes_text(facts.memory.bytes);
  if (each == 0) {
    const std::string remedy = facts.options.symmetric_size.given
                                   ? fitting_size(facts.memory.bytes, facts.n_pes)
                                   : "oshrun -n " + std::to_string(std::max<std::uint64_t>(
                                                        1, facts.memory.bytes / 4 * 3 / (std::uint64_t{16} << 20)));
    return {"memory", Level::kBad, all_heaps(facts, asked) + room, "oshrun refuses to start a job that cannot fit",
            remedy};
  }
  if (facts.memory.bytes == 0) {
    return {"memory", Level::kNote, all_heaps(facts, each) + ", and how much memory there is cannot be found out",
            "a heap takes memory page by page, when the program first touches it", ""};
  }
  if (each * n > facts.memory.bytes) {
    return {"memory", Level::kWarn, all_heaps(facts, each) + room,
            "WEFT_OVERCOMMIT lets the job start, and the kernel kills a PE when it has touched what there is",
            fitting_size(facts.memory.bytes, facts.n_pes)};
  }
  if (facts.available > 0 && each * n > facts.available) {
    return {"memory", Level::kWarn, all_heaps(facts, each) + ", " + bytes_text(facts.available) + " are free",
            "heaps take memory page by page: a program that touches all of it meets the kernel's out-of-memory killer",
            fitting_size(facts.available, facts.n_pes)};
  }
  if (each < asked) {
    return {"memory", Level::kNote,
            all_heaps(facts, each) + room + ": less than the usual " + bytes_text(asked) + " each",
            "all heaps together take at most three quarters of the memory, unless you say how large one is",
            "export SHMEM_SYMMETRIC_SIZE=" + in_mib(each)};
  }
  return {"memory", Level::kOk, all_heaps(facts, each) + room, "it fits", ""};
}

Finding judge_overcommit(const Facts& facts) {
  const std::uint64_t all = planned_heap(facts) * static_cast<std::uint64_t>(facts.n_pes);
  const std::string found = "vm.overcommit_memory is " + std::to_string(facts.overcommit);
  if (facts.overcommit != 2)
    return {"overcommit", Level::kOk, found, "untouched parts of a heap count for nothing", ""};
  if (all <= facts.commit_left) {
    return {"overcommit", Level::kOk, found + ", and " + bytes_text(facts.commit_left) + " may still be promised",
            "that is enough for all heaps", ""};
  }
  return {"overcommit", Level::kWarn, found + ", and only " + bytes_text(facts.commit_left) + " may still be promised",
          "the kernel then refuses pages of the heap when they are first touched, and the PE dies of a bus error",
          as_root(facts, "sysctl vm.overcommit_memory=0")};
}

Finding judge_shared_memory(const Facts& facts) {
  if (facts.memory_problem.empty()) {
    return {"shared-memory", Level::kOk, "a file in memory (memfd) could be made and mapped",
            "it holds the heaps and the static data of all PEs", ""};
  }
  const bool filtered = facts.seccomp || !facts.container.empty();
  return {"shared-memory", Level::kBad, facts.memory_problem, "it would hold the heaps and the static data of all PEs",
          filtered ? "docker run --security-opt seccomp=unconfined" : ""};
}

Finding judge_dev_shm(const Facts& facts) {
  const std::string found = facts.dev_shm == 0 ? "there is none" : "it holds " + bytes_text(facts.dev_shm);
  return {"dev-shm", Level::kOk, found, "Weft's memory has no name and does not lie there: its size is no limit", ""};
}

Finding judge_reserved_pages(const Facts& facts) {
  const std::uint64_t each = (planned_heap(facts) + kHugePage - 1) / kHugePage;
  const std::uint64_t needed = each * static_cast<std::uint64_t>(facts.n_pes);
  const std::string found = "WEFT_HUGE_PAGES=hugetlb takes " + std::to_string(needed) + " pages of 2 MiB, " +
                            std::to_string(facts.free_huge_pages) + " are reserved and free";
  if (needed <= facts.free_huge_pages) return {"huge-pages", Level::kOk, found, "all heaps get them", ""};
  return {
      "huge-pages", Level::kWarn, found, "the heaps will have normal pages, and the job says so",
      as_root(facts, "sysctl vm.nr_hugepages=" + std::to_string(needed + facts.huge_pages - facts.free_huge_pages))};
}

Finding judge_huge_pages(const Facts& facts) {
  if (facts.options.pages() == base::HugePages::kHugetlb) return judge_reserved_pages(facts);
  if (facts.options.pages() == base::HugePages::kOff) {
    return {"huge-pages", Level::kOk,
            "not asked for (WEFT_HUGE_PAGES=off); " + std::to_string(facts.free_huge_pages) + " of 2 MiB are reserved",
            "they pay where a program jumps about in much memory", ""};
  }
  const char* setting = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
  if (facts.thp_of_files.empty()) {
    return {"huge-pages", Level::kWarn, "WEFT_HUGE_PAGES=thp, and this kernel has no transparent huge pages",
            "the heaps will have normal pages", "export WEFT_HUGE_PAGES=off"};
  }
  const std::string found = "WEFT_HUGE_PAGES=thp, and the kernel's setting is " + facts.thp_of_files;
  if (facts.thp_of_files == "never" || facts.thp_of_files == "deny") {
    return {"huge-pages", Level::kWarn, found, "the heaps will have normal pages",
            write_as_root(facts, "advise", setting)};
  }
  return {"huge-pages", Level::kOk, found, "the heaps get them where the kernel finds some", ""};
}

}  // namespace

std::uint64_t heap_of_each(const Facts& facts) {
  const base::MemoryBound bound{facts.memory.bytes, facts.memory.is_container, facts.page};
  const base::Result<std::uint64_t> bytes = base::heap_bytes_per_pe(facts.options, facts.n_pes, bound);
  return bytes ? *bytes : 0;
}

std::uint64_t planned_heap(const Facts& facts) {
  const std::uint64_t bytes = heap_of_each(facts);
  return bytes > 0 ? bytes : facts.options.symmetric_size.value;
}

std::vector<Finding> judge_memory(const Facts& facts) {
  return {judge_shared_memory(facts), judge_heaps(facts), judge_overcommit(facts), judge_dev_shm(facts),
          judge_huge_pages(facts)};
}

}  // namespace weft::info
