#include "job/claim.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "base/options.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "os/executable.hpp"
#include "os/mapping.hpp"
#include "os/process.hpp"
#include "pmi/session.hpp"

namespace weft::job {
namespace {

// The program's own scope has the libraries that were loaded at its start; what dlopen loads comes to it when its
// constructors have run, or never.
bool loaded_at_start(const char* symbol) noexcept {
  void* program = ::dlopen(nullptr, RTLD_LAZY | RTLD_NOLOAD);
  const bool found = program != nullptr && ::dlsym(program, symbol) != nullptr;
  if (program != nullptr) {
    (void)::dlclose(program);
  }
  return found;
}

// Threads that may be writing to the program's static data now. Libraries that the program is linked with may have
// begun some before its start, but they run nothing of it.
int writing_threads(const FrontEnd& front_end) noexcept {
  if (front_end.symbol != nullptr && loaded_at_start(front_end.symbol)) {
    return 0;
  }
  const int threads = os::count_threads();
  return threads == 1 ? 0 : std::max(threads, 2);
}

void settled(const Node& node) noexcept {
  each_front_end([&](const FrontEnd& front_end) {
    if (front_end.settled != nullptr) {
      front_end.settled(node);
    }
  });
}

bool wants_statics(const FrontEnd& front_end) noexcept { return front_end.needs.statics == Statics::kSymmetric; }

base::Result<void> claim_space(const FrontEnd& front_end) noexcept {
  Node& node = job::node();
  const boot::JobHeader& job = *node.job;
  const memory::Plan plan{.n_pes = node.n_local,
                          .me = node.local,
                          .data_fd = g_process.attached.data_fd,
                          .slot_bytes = job.slot_bytes,
                          .static_offset = job.static_offset,
                          .heap_bytes = job.heap_bytes,
                          .heap_fd = g_process.attached.heap_fd,
                          .heap_slot_bytes = job.heap_slot_bytes,
                          .advise_huge = job.pages == static_cast<std::uint32_t>(base::HugePages::kThp),
                          .statics_fd = g_process.statics_fd,
                          .open_statics = pmi::open_statics,
                          .statics = wants_statics(front_end),
                          .threads = writing_threads(front_end)};
  const bool guessed = g_process.room == Process::Room::kGuessed;
  const auto claimed = guessed ? node.space.settle(plan) : node.space.claim(plan, os::find_executable());
  if (!claimed) {
    return claimed;
  }
  g_process.room = Process::Room::kClaimed;
  g_process.statics = guessed ? g_process.statics : plan.statics;
  // After a wrong guess programs go on to see no PE there, and every operation comes to the library.
  if (!guessed || node.first_here == g_process.first_guessed) {
    settled(node);
  }
  // Relaxed, both: the barrier when the front end begins publishes it.
  node.record().static_begin.store(node.space.statics().lo, std::memory_order_relaxed);
  node.record().static_bytes.store(node.space.statics().bytes(), std::memory_order_relaxed);
  return {};
}

// Addresses for as many PEs and as large a heap as there may be, because programs take them for constant.
base::Result<void> guess_space(const FrontEnd& front_end) noexcept {
  const auto options = base::read_options();
  if (!options) {
    return options.error();
  }
  // One PE, and no bound of memory: no job has more.
  const auto most_heap = base::heap_bytes_per_pe(*options, 1, {});
  if (!most_heap) {
    return most_heap.error();
  }
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  Node& node = job::node();
  const auto claimed = node.space.claim({.n_pes = g_process.most_pes,
                                         .heap_bytes = os::round_up(*most_heap, kHugePage),
                                         .statics_fd = g_process.statics_fd,
                                         .statics = wants_statics(front_end),
                                         .threads = writing_threads(front_end)},
                                        os::find_executable());
  if (claimed) {
    g_process.room = Process::Room::kGuessed;
    g_process.statics = wants_statics(front_end);
    settled(node);
  }
  return claimed;
}

}  // namespace

base::Result<void> need_space(const FrontEnd& front_end) noexcept {
  Node& node = job::node();
  if (!front_end.needs.symmetric_memory()) {
    return {};
  }
  const bool lacks_statics = wants_statics(front_end) && !g_process.statics;
  if (g_process.room != Process::Room::kNone && lacks_statics) {
    if (node.space.mapped()) {
      return base::Error::make(
          "another library has taken memory beside the program's static data, which cannot become symmetric any more; "
          "link the program with both");
    }
    node.space.give_back();  // nobody has seen anything of it
    g_process.room = Process::Room::kNone;
  }
  if (node.job != nullptr) {
    return g_process.room == Process::Room::kClaimed ? base::Result<void>() : claim_space(front_end);
  }
  // Alone nothing is taken before it is known that there is no job.
  return g_process.managed && g_process.room == Process::Room::kNone ? guess_space(front_end) : base::Result<void>();
}

}  // namespace weft::job
