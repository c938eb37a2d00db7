#include "dsm/start.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/lines.hpp"
#include "coll/barrier.hpp"
#include "dsm/closed.hpp"
#include "dsm/counts.hpp"
#include "dsm/elsewhere.hpp"
#include "dsm/heartbeat.hpp"
#include "dsm/pages.hpp"
#include "dsm/parts.hpp"
#include "dsm/range.hpp"
#include "dsm/waits.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "memory/fault.hpp"
#include "os/mapping.hpp"

namespace weft::dsm {
namespace {

constinit Plan::IsClosed* g_is_closed = nullptr;

constexpr std::uint64_t kAlignment = memory::OwnAreas::kUnit;

constexpr std::uint64_t up(std::uint64_t value, std::uint64_t to) noexcept { return (value + to - 1) / to * to; }

Hub& hub() noexcept {
  const job::Node& node = job::node();
  return *reinterpret_cast<Hub*>(node.own.at(node.local, g.part));
}

// It may have been another one's, or ours before: nothing of that is left.
void clear(std::uintptr_t at, std::uint64_t bytes) noexcept {
  if (::madvise(reinterpret_cast<void*>(at), bytes, MADV_REMOVE) != 0) {
    (void)::madvise(reinterpret_cast<void*>(at), bytes, MADV_DONTNEED);  // private, in a job of one PE
  }
}

base::Error disagreement(int pe, const Hub& theirs, const Plan& plan) noexcept {
  if (theirs.layout != kHubLayout || theirs.page_bytes != kPageBytes) {
    return base::Error::make("PE %d has another build of Weft, or another size of pages; start the same on all", pe);
  }
  if (theirs.way != static_cast<std::uint32_t>(g.way)) {
    return base::Error::make("PE %d shares memory in another way; start all PEs with the same value of WEFT_SHARED_BY",
                             pe);
  }
  return base::Error::make("%s is %llu bytes here and %llu on PE %d; start all PEs with the same value", plan.option,
                           static_cast<unsigned long long>(plan.bytes), static_cast<unsigned long long>(theirs.bytes),
                           pe);
}

bool agrees(const Hub& theirs) noexcept {
  return theirs.bytes == g.bytes && theirs.layout == kHubLayout && theirs.page_bytes == kPageBytes &&
         theirs.way == static_cast<std::uint32_t>(g.way);
}

// What the PEs have shown, and whether that is the same range: the places that all have free.
base::Result<std::uint64_t> places_of_all(const Plan& plan) noexcept {
  const job::Node& node = job::node();
  std::uint64_t places = UINT64_MAX;
  for (int pe = 0; pe < node.n_pes; ++pe) {
    const int number = node.here(pe);
    if (number < 0) {
      if (!agrees(shown_elsewhere(pe))) {
        return disagreement(pe, shown_elsewhere(pe), plan);
      }
      places &= shown_elsewhere(pe).places;
      continue;
    }
    // Acquire: pairs with begin(); the barrier between orders it anyhow.
    const std::uint64_t told = job::shared_pe(node.job, number).pages.load(std::memory_order_acquire);
    if (told == 0 || !node.own.holds(told - 1, g.layout.bytes) || (told - 1) % kAlignment != 0) {
      return base::Error::make("PE %d has no part of the shared memory", pe);
    }
    const Hub& theirs = *reinterpret_cast<const Hub*>(node.own.at(number, told - 1));
    if (!agrees(theirs)) {
      return disagreement(pe, theirs, plan);
    }
    places &= theirs.places;
  }
  return places;
}

std::uint64_t part_at(int number) noexcept {
  return job::shared_pe(job::node().job, number).pages.load(std::memory_order_acquire) - 1;
}

// At the range: PE 0's contents, or, in the way kPages, this PE's own, which may not be touched yet.
base::Result<void> map_range() noexcept {
  const job::Node& node = job::node();
  if (job::g_process.attached.data_fd < 0) {
    return os::map_private_at(g.base, g.bytes);
  }
  if (const auto opened = job::reopen_files(); !opened) {
    return opened;
  }
  const int number = g.way == Way::kMemory ? 0 : node.local;
  const std::uint64_t areas = static_cast<std::uint64_t>(node.n_local) * node.job->slot_bytes +
                              static_cast<std::uint64_t>(number) * node.own.bytes();
  const auto mapped =
      os::map_shared_at(g.base, g.bytes, job::g_process.attached.data_fd, areas + part_at(number) + g.layout.contents);
  const bool runs = g.way == Way::kMemory && g.code;
  if (mapped && (runs || g.way == Way::kPages) &&
      ::mprotect(reinterpret_cast<void*>(g.base), g.bytes, runs ? PROT_READ | PROT_WRITE | PROT_EXEC : PROT_NONE) !=
          0) {
    return base::Error::make("cannot protect the shared memory: %s", std::strerror(errno));
  }
  return mapped;
}

// A job of one PE has nothing to keep alike.
base::Result<Way> choose_way(const Plan& plan) noexcept {
  const job::Node& node = job::node();
  const bool several = node.job->n_nodes > 1;
  if (several && plan.by_memory) {
    return base::Error::make("the PEs are on %u machines, which have no memory together; leave WEFT_SHARED_BY out",
                             node.job->n_nodes);
  }
  if (several && job::g_process.attached.data_fd < 0) {
    return base::Error::make("this PE has no file to map pages of");
  }
  if (node.n_pes > kMostPes) {
    return base::Error::make("there are %d PEs; pages are shared by at most %d", node.n_pes, kMostPes);
  }
  return several || (plan.by_pages && job::g_process.attached.data_fd >= 0 && node.n_pes > 1) ? Way::kPages
                                                                                              : Way::kMemory;
}

base::Result<void> begin_pages() noexcept {
  if (const auto found = find_parts(); !found) {
    return found;
  }
  g_pages = Pages::make();
  if (g_pages == nullptr) {
    return base::Error::make("no memory for the book of %u pages", g.pages);
  }
  handle_faults();
  return {};
}

void record_in(const Plan& plan) noexcept {
  if (const auto opened = open_record(plan.profile, plan.of_openmp); !opened) {
    base::say(job::current_call(), "WEFT_PROFILE: %s; this PE goes on without a profile of its pages",
              opened.error().text());
  }
}

}  // namespace

constinit Shared g{};

Layout layout_of(std::uint64_t range_bytes, int pes) noexcept {
  const auto pages = static_cast<std::uint32_t>(range_bytes / kPageBytes);
  Layout layout;
  layout.arena = kPageBytes;
  layout.homes = up(layout.arena + Arena::bytes_for(pages, pes), kPageBytes);
  layout.marks = up(layout.homes + std::uint64_t{pages} * sizeof(std::uint16_t), kPageBytes);
  layout.places = up(layout.marks + Marks::bytes_for(pages), kPageBytes);
  layout.notices = up(layout.places + Places::bytes_for(pages), kPageBytes);
  layout.room = up(layout.notices + sizeof(Notices), kPageBytes);
  layout.contents = up(layout.room + kRoomBytes, kAlignment);
  layout.bytes = layout.contents + up(range_bytes, kAlignment);
  return layout;
}

std::uint64_t own_bytes(std::uint64_t range_bytes) noexcept {
  return layout_of(up(range_bytes, kAlignment), boot::kMaxPes).bytes + 2 * kAlignment;
}

base::Result<void> begin(const Plan& plan) noexcept {
  job::Node& node = job::node();
  const auto way = choose_way(plan);
  if (!way) {
    return way.error();
  }
  g.way = *way;
  g.renewal = plan.renewal;
  g.learn_homes = plan.learn_homes;
  g.code = plan.code;
  g.safe = plan.safe;
  g_is_closed = plan.is_closed;
  g_crowd = plan.crowd && g.way == Way::kPages;
  g.me = node.me;
  g.n_pes = node.n_pes;
  g.bytes = up(plan.bytes, kAlignment);
  g.pages = static_cast<std::uint32_t>(g.bytes / kPageBytes);
  // Each may get a twin.
  const std::uint64_t copies = std::max<std::uint64_t>(plan.cache_bytes / (2 * kPageBytes), kLeastCopies);
  g.most_copies = copies >= g.pages ? 0 : static_cast<std::uint32_t>(copies);
  g.layout = layout_of(g.bytes, g.n_pes);
  const auto part = node.own.allocate(g.layout.bytes, kAlignment);
  if (!part) {
    return base::Error::make("there is no room for %llu MiB of shared memory in this PE's own area; lower %s",
                             static_cast<unsigned long long>(g.bytes >> 20), plan.option);
  }
  g.part = *part;
  clear(reinterpret_cast<std::uintptr_t>(node.own.at(node.local, g.part)), g.layout.bytes);
  const std::uint64_t taken = take_places(g.bytes);
  hub() = {g.bytes, taken, kPageBytes, static_cast<std::uint32_t>(g.way), kHubLayout};
  if (node.me == 0) {
    Arena* const arena = Arena::make(node.own.at(node.local, g.part + g.layout.arena), g.pages, g.n_pes, g.safe);
    (void)arena->allocate(kPageBytes, kPageBytes, 0);  // the first page is our own (order.cpp)
  }
  if (!begin_elsewhere()) {
    return base::Error::make("no memory for what %d PEs show", g.n_pes);
  }
  // Release: who finds the place finds what is written there.
  job::shared_pe(node.job, node.local).pages.store(g.part + 1, std::memory_order_release);
  coll::barrier();
  show_elsewhere(hub());
  const auto places = places_of_all(plan);
  const int chosen = places && *places != 0 ? std::countr_zero(*places) : -1;
  give_places_back(taken, chosen, g.bytes);
  if (!places) {
    return places.error();
  }
  if (chosen < 0) {
    return base::Error::make("no range of %llu MiB of addresses is free in all PEs; lower %s",
                             static_cast<unsigned long long>(g.bytes >> 20), plan.option);
  }
  g.base = place(chosen);
  const int first = node.here(0);
  g.arena = first < 0 ? nullptr : reinterpret_cast<Arena*>(node.own.at(first, part_at(first) + g.layout.arena));
  if (const auto mapped = map_range(); !mapped) {
    return mapped;
  }
  os::leave_out_of_core(g.base, g.bytes);
  if (plan.profile != nullptr) {
    record_in(plan);
  }
  if (g.way == Way::kPages) {
    if (const auto begun = begin_pages(); !begun) {
      return begun;
    }
  } else if (g.safe) {
    if (const auto closed = close_memory(); !closed) {
      return closed;
    }
    handle_faults();
  }
  coll::barrier();
  return g.way == Way::kPages ? start_heartbeat() : base::Result<void>();
}

void handle_faults() noexcept {
  if (g_pages != nullptr) {
    memory::set_fault_owner([](std::uintptr_t at, memory::FaultAccess access, std::uintptr_t instruction) noexcept {
      return (g_is_closed == nullptr || !g_is_closed(at)) && g_pages->fault(at, access, instruction);
    });
  } else if (g.safe) {
    memory::set_fault_owner([](std::uintptr_t at, memory::FaultAccess /*access*/, std::uintptr_t instruction) noexcept {
      return open_memory(at, instruction);
    });
  }
}

void rest() noexcept {
  end_record();
  if (g.way == Way::kPages) {
    stop_heartbeat();
    g_pages->wait_for_pushes();
    g_pages->bring_dropped();
  }
}

void end() noexcept {
  job::Node& node = job::node();
  end_record();
  if (g.way == Way::kPages) {
    stop_heartbeat();
    g_pages->wait_for_pushes();
    coll::barrier();  // nobody asks any more
    memory::set_fault_owner(nullptr);
    delete g_pages;
    g_pages = nullptr;
    forget_parts();
  } else if (g.safe) {
    memory::set_fault_owner(nullptr);
  }
  forget_returned();
  forget_elsewhere();
  os::give_back(g.base, g.bytes);
  clear(reinterpret_cast<std::uintptr_t>(node.own.at(node.local, g.part)), g.layout.bytes);
  job::shared_pe(node.job, node.local).pages.store(0, std::memory_order_relaxed);
  (void)node.own.release(g.part);
  g.arena = nullptr;
  g.base = 0;
  g.n_windows = 0;
}

void leave_after_fork() noexcept {
  forget_record();
  g.forked = true;
  if (g.base != 0 && g.way == Way::kPages) {
    // Else it would read what its parent had, for ever.
    (void)::mprotect(reinterpret_cast<void*>(g.base), g.bytes, PROT_NONE);
  } else if (g.base != 0 && g.safe) {
    open_after_fork();
  }
}

}  // namespace weft::dsm
