#include "job/pages.hpp"

#include "base/lines.hpp"
#include "base/options.hpp"
#include "job/node.hpp"
#include "os/huge_pages.hpp"
#include "os/numa.hpp"

namespace weft::job {
namespace {

// Huge pages were asked for: says what was got, once memory has been touched.
void report_huge_pages() noexcept {
  const job::Node& node = job::node();
  if (node.job->pages == static_cast<std::uint32_t>(base::HugePages::kOff) || !base::debug_on()) {
    return;
  }
  const os::HugeUse use = os::huge_use(node.space.heap().lo);
  base::debug("symmetric heap: %zu of %zu MiB in use have huge pages", use.huge >> 20, use.resident >> 20);
}

// Whatever WEFT_NUMA says: that the first touch put a page far away shows here too.
void report_nodes() noexcept {
  if (!base::debug_on()) {
    return;
  }
  const memory::Range heap = job::node().space.heap();
  const auto use = os::node_use(heap.lo, heap.hi);
  char text[os::kNodeTextSize];
  base::debug("symmetric heap: %s", use ? os::node_text(*use, text) : use.error().text());
}

}  // namespace

// The kernel's own setting decides about transparent huge pages; where it rules them out the user should know.
void warn_of_huge_pages() noexcept {
  const job::Node& node = job::node();
  if (node.me == 0 && node.job->pages == static_cast<std::uint32_t>(base::HugePages::kThp)) {
    const auto possible = os::transparent_huge_pages(node.n_local > 1);
    if (!possible) {
      base::say(nullptr, "WEFT_HUGE_PAGES=thp: %s", possible.error().text());
    }
  }
}

void report_pages() noexcept {
  report_huge_pages();
  report_nodes();
}

}  // namespace weft::job
