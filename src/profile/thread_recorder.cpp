#include "profile/thread_recorder.hpp"

#include <algorithm>

namespace weft::profile {
namespace {

constexpr std::uint32_t first_slot(std::uint32_t call, std::uint64_t address) {
  // Return addresses differ in all but their highest bits, numbers of routines in their lowest.
  const std::uint64_t mixed = (address ^ (std::uint64_t{call} << 40)) * 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(mixed >> 32) % kSites;
}

// Each bin takes what was in two.
void make_coarser(TimeLine& line) noexcept {
  constexpr int kHalf = TimeLine::kBins / 2;
  for (int bin = 0; bin < TimeLine::kBins; ++bin) {
    for (int kind = 0; kind < kKinds; ++kind) {
      line.bins[bin][kind] = bin < kHalf ? line.bins[2 * bin][kind] + line.bins[2 * bin + 1][kind] : 0;
    }
  }
  ++line.shift;
}

// Half of the waits have to go, and they are the shorter ones. In place: a thread's stack may be small.
void drop_short(Waits& waits) noexcept {
  Wait* const end = waits.list + waits.count;
  Wait* const middle = waits.list + waits.count / 2;
  std::nth_element(waits.list, middle, end,
                   [](const Wait& a, const Wait& b) { return a.end - a.begin > b.end - b.begin; });
  waits.count /= 2;
  waits.shortest = middle->end - middle->begin + 1;
}

}  // namespace

std::uint32_t ThreadRecorder::site(std::uint32_t call, Kind kind, std::uint64_t address) noexcept {
  const Site* sites = part_->sites;
  for (std::uint32_t slot = first_slot(call, address);; slot = (slot + 1) % kSites) {
    if (sites[slot].address == address && sites[slot].call == call) {
      return slot;
    }
    if (sites[slot].call == 0) {
      return add_site(slot, call, kind, address);
    }
  }
}

std::uint32_t ThreadRecorder::add_site(std::uint32_t slot, std::uint32_t call, Kind kind,
                                       std::uint64_t address) noexcept {
  if (address != 0 && part_->n_sites >= kOwnSites) {
    return site(call, kind, 0);
  }
  Site& site = part_->sites[slot];
  const Place place = address == 0 ? Place{} : find_place_(address);
  site = {.address = address,
          .call = call,
          .kind = static_cast<std::uint16_t>(kind),
          .module = place.module,
          .offset = place.offset,
          .count = 0,
          .bytes = 0,
          .ticks = 0,
          .shortest = UINT64_MAX,
          .longest = 0};
  ++part_->n_sites;
  return slot;
}

void ThreadRecorder::count(std::uint32_t site_number, Kind kind, const Returned& call) noexcept {
  // The counters of two processors may differ by a few ticks, and a thread may have moved.
  const std::uint64_t end = std::max(call.begin, call.end);
  const std::uint64_t ticks = end - call.begin;
  Site& site = part_->sites[site_number];
  ++site.count;
  site.bytes += call.bytes;
  site.ticks += ticks;
  site.shortest = std::min(site.shortest, ticks);
  site.longest = std::max(site.longest, ticks);
  part_->busy_ticks += ticks;
  part_->seen = end;
  // Messages are counted one by one, whatever call sends them.
  if (has_size(kind) && kind != Kind::kSend) {
    Sized& sized = part_->sizes[static_cast<int>(kind)][size_class(call.bytes)];
    ++sized.moved.count;
    sized.moved.bytes += call.bytes;
    sized.ticks += ticks;
  }
  if (has_peer(kind) && static_cast<unsigned>(call.peer) < static_cast<unsigned>(n_pes_)) {
    Moved& moved = peers_of(part_)[call.peer].moved[static_cast<int>(kind)];
    ++moved.count;
    moved.bytes += call.bytes;
  }
  add_time(part_->line, kind, call.begin, end);
  if (waits(kind)) {
    part_->wait_ticks += ticks;
    part_->inside_site = kNotInside;
    if (static_cast<unsigned>(call.last) < static_cast<unsigned>(n_pes_)) {
      PeerTally& tally = peers_of(part_)[call.last];
      ++(call.by_message ? tally.sender_count : tally.late_count);
      (call.by_message ? tally.sender_ticks : tally.late_ticks) += call.late;
    }
    add_wait(part_->waits, {call.begin, end, site_number, call.last});
  }
  if (trace_room_ != 0) {
    events_of(part_, n_pes_)[part_->traced++ % trace_room_] = {call.begin, end, call.bytes, site_number, call.peer};
  }
}

void ThreadRecorder::count_sent(int peer, std::uint64_t bytes) noexcept {
  Moved& size = part_->sizes[static_cast<int>(Kind::kSend)][size_class(bytes)].moved;
  ++size.count;
  size.bytes += bytes;
  if (static_cast<unsigned>(peer) < static_cast<unsigned>(n_pes_)) {
    Moved& moved = peers_of(part_)[peer].moved[static_cast<int>(Kind::kSend)];
    ++moved.count;
    moved.bytes += bytes;
  }
}

void ThreadRecorder::add_time_of_send(std::uint64_t bytes, std::uint64_t ticks) noexcept {
  part_->sizes[static_cast<int>(Kind::kSend)][size_class(bytes)].ticks += ticks;
}

void add_time(TimeLine& line, Kind kind, std::uint64_t begin, std::uint64_t end) noexcept {
  begin = std::max(begin, line.origin) - line.origin;
  end = std::max(end, line.origin) - line.origin;
  while (end >> line.shift >= TimeLine::kBins) {
    make_coarser(line);
  }
  const int row = static_cast<int>(kind);
  std::uint64_t bin = begin >> line.shift;
  for (const std::uint64_t last = end >> line.shift; bin < last; ++bin) {
    const std::uint64_t next = (bin + 1) << line.shift;
    line.bins[bin][row] += next - begin;
    begin = next;
  }
  line.bins[bin][row] += end - begin;
}

void add_wait(Waits& waits, const Wait& wait) noexcept {
  if (wait.end - wait.begin < waits.shortest) {
    return;
  }
  if (waits.count == Waits::kRoom) {
    drop_short(waits);
    add_wait(waits, wait);
    return;
  }
  waits.list[waits.count++] = wait;
}

}  // namespace weft::profile
