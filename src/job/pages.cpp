#include "job/pages.hpp"

#include <atomic>
#include <initializer_list>

#include "base/lines.hpp"
#include "base/options.hpp"
#include "job/node.hpp"
#include "os/huge_pages.hpp"
#include "os/numa.hpp"

namespace weft::job {
namespace {

// Huge pages were asked for: says what was got, once memory has been touched.
void report_huge_pages(const char* what, std::initializer_list<std::uintptr_t> mappings) noexcept {
  const job::Node& node = job::node();
  if (node.job->pages == static_cast<std::uint32_t>(base::HugePages::kOff) || !base::debug_on()) {
    return;
  }
  os::HugeUse use;
  for (const std::uintptr_t at : mappings) {
    const os::HugeUse one = os::huge_use(at);
    use.huge += one.huge;
    use.resident += one.resident;
  }
  base::debug("%s: %zu of %zu MiB in use have huge pages", what, use.huge >> 20, use.resident >> 20);
}

// Whatever WEFT_NUMA says: that the first touch put a page far away shows here too.
void report_nodes(const char* what, const memory::Range& memory) noexcept {
  if (!base::debug_on()) {
    return;
  }
  const auto use = os::node_use(memory.lo, memory.hi);
  char text[os::kNodeTextSize];
  base::debug("%s: %s", what, use ? os::node_text(*use, text) : use.error().text());
}

}  // namespace

// The kernel's own setting decides about transparent huge pages; where it rules them out the user should know.
void warn_of_huge_pages() noexcept {
  const job::Node& node = job::node();
  static std::atomic<bool> told = false;  // of programs with two front ends once
  if (node.me == 0 && !told.exchange(true, std::memory_order_relaxed) &&
      node.job->pages == static_cast<std::uint32_t>(base::HugePages::kThp)) {
    const auto possible = os::transparent_huge_pages(node.n_local > 1);
    if (!possible) {
      base::say(nullptr, "WEFT_HUGE_PAGES=thp: %s", possible.error().text());
    }
  }
}

void report_pages() noexcept {
  const memory::Range heap = job::node().space.heap();
  report_huge_pages("symmetric heap", {heap.lo});
  report_nodes("symmetric heap", heap);
}

void report_own_pages() noexcept {
  const memory::OwnAreas& own = job::node().own;
  if (!own.mapped()) {
    return;
  }
  // It is of two mappings, as a core has one of them (own_areas.cpp).
  report_huge_pages("memory of windows", {own.own().lo, own.own().lo + own.in_core()});
  report_nodes("memory of windows", own.own());
}

}  // namespace weft::job
