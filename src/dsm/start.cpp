#include "dsm/start.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>

#include "coll/barrier.hpp"
#include "dsm/range.hpp"
#include "job/attach.hpp"
#include "job/node.hpp"
#include "os/mapping.hpp"

namespace weft::dsm {
namespace {

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
  return base::Error::make("%s is %llu bytes here and %llu on PE %d; start all PEs with the same value", plan.option,
                           static_cast<unsigned long long>(plan.bytes), static_cast<unsigned long long>(theirs.bytes),
                           pe);
}

// What the PEs of this node have shown, and whether that is the same range: the places that all have free.
base::Result<std::uint64_t> places_of_all(const Plan& plan) noexcept {
  const job::Node& node = job::node();
  std::uint64_t places = UINT64_MAX;
  for (int number = 0; number < node.n_local; ++number) {
    // Acquire: pairs with begin(); the barrier between orders it anyhow.
    const std::uint64_t told = job::shared_pe(node.job, number).pages.load(std::memory_order_acquire);
    if (told == 0 || !node.own.holds(told - 1, g.layout.bytes) || (told - 1) % kAlignment != 0) {
      return base::Error::make("PE %d has no part of the shared memory", node.pe_of(number));
    }
    const Hub& theirs = *reinterpret_cast<const Hub*>(node.own.at(number, told - 1));
    if (theirs.bytes != g.bytes || theirs.layout != kHubLayout || theirs.page_bytes != kPageBytes) {
      return disagreement(node.pe_of(number), theirs, plan);
    }
    places &= theirs.places;
  }
  return places;
}

std::uint64_t part_of(int number) noexcept {
  return job::shared_pe(job::node().job, number).pages.load(std::memory_order_acquire) - 1;
}

// All PEs of the node see the memory that PE 0 has for it.
base::Result<void> map_memory() noexcept {
  const job::Node& node = job::node();
  const int fd = job::g_process.attached.data_fd;
  if (fd < 0) {
    return os::map_private_at(g.base, g.bytes);
  }
  if (const auto opened = job::reopen_files(); !opened) {
    return opened;
  }
  const std::uint64_t areas = static_cast<std::uint64_t>(node.n_local) * node.job->slot_bytes;
  const std::uint64_t part = part_of(0) + g.layout.contents;
  return os::map_shared_at(g.base, g.bytes, job::g_process.attached.data_fd, areas + part);
}

}  // namespace

constinit State g{};

Layout layout_of(std::uint64_t range_bytes, int pes) noexcept {
  const auto pages = static_cast<std::uint32_t>(range_bytes / kPageBytes);
  Layout layout;
  layout.arena = kPageBytes;
  layout.contents = up(layout.arena + Arena::bytes_for(pages, pes), kAlignment);
  layout.bytes = layout.contents + up(range_bytes, kAlignment);
  return layout;
}

std::uint64_t own_bytes(std::uint64_t range_bytes) noexcept {
  return layout_of(up(range_bytes, kAlignment), boot::kMaxPes).bytes + 2 * kAlignment;
}

base::Result<void> begin(const Plan& plan) noexcept {
  job::Node& node = job::node();
  if (node.job->n_nodes > 1) {
    return base::Error::make("shared memory is for the PEs of one machine, and these are on %u; start all on one",
                             node.job->n_nodes);
  }
  g.me = node.me;
  g.n_pes = node.n_pes;
  g.bytes = up(plan.bytes, kAlignment);
  g.pages = static_cast<std::uint32_t>(g.bytes / kPageBytes);
  g.layout = layout_of(g.bytes, g.n_pes);
  const auto part = node.own.allocate(g.layout.bytes, kAlignment);
  if (!part) {
    return base::Error::make("there is no room for %llu MiB of shared memory in this PE's own area; lower %s",
                             static_cast<unsigned long long>(g.bytes >> 20), plan.option);
  }
  g.part = *part;
  clear(reinterpret_cast<std::uintptr_t>(node.own.at(node.local, g.part)), g.layout.bytes);
  const std::uint64_t taken = take_places(g.bytes);
  hub() = {g.bytes, taken, kPageBytes, kHubLayout};
  if (node.local == 0) {
    Arena* const arena = Arena::make(node.own.at(0, g.part + g.layout.arena), g.pages, g.n_pes);
    (void)arena->allocate(kPageBytes, kPageBytes, 0);  // the first page is our own (order.cpp)
  }
  // Release: who finds the place finds what is written there.
  job::shared_pe(node.job, node.local).pages.store(g.part + 1, std::memory_order_release);
  coll::barrier();
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
  g.arena = reinterpret_cast<Arena*>(node.own.at(0, part_of(0) + g.layout.arena));
  if (const auto mapped = map_memory(); !mapped) {
    return mapped;
  }
  os::leave_out_of_core(g.base, g.bytes);
  coll::barrier();
  return {};
}

void end() noexcept {
  job::Node& node = job::node();
  os::give_back(g.base, g.bytes);
  clear(reinterpret_cast<std::uintptr_t>(node.own.at(node.local, g.part)), g.layout.bytes);
  job::shared_pe(node.job, node.local).pages.store(0, std::memory_order_relaxed);
  (void)node.own.release(g.part);
  g.arena = nullptr;
  g.base = 0;
}

}  // namespace weft::dsm
