#include "group/stations.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "group/team.hpp"
#include "job/node.hpp"

namespace weft::group {
namespace {

// Stations that this PE has accepted: served() need not look there.
constinit std::array<std::atomic<std::uint64_t>, kStationWords> g_accepted{};

constexpr std::uint64_t bit_of(int slot) { return std::uint64_t{1} << (slot % 64); }

Station& station_of(int slot, int local) noexcept { return station(job::node().job, slot, local); }

std::atomic<std::uint64_t>& taken_word(int local, int word) noexcept {
  return station_of(kWorldSlot, local).service.taken[static_cast<std::size_t>(word)];
}

// One station of each member, found once: where it is takes a walk over the layout of the job's memory.
class Row {
 public:
  Row(const Domain& here, int slot) noexcept
      : places_(here.locals),
        size_(here.size),
        stride_((places_ == nullptr ? here.local_step : 1) * static_cast<std::ptrdiff_t>(boot::kStationBytes)),
        first_(reinterpret_cast<std::byte*>(&station_of(slot, places_ == nullptr ? here.local : 0))) {}

  int size() const noexcept { return size_; }
  Station& operator[](int seat) const noexcept {
    return *reinterpret_cast<Station*>(first_ + (places_ == nullptr ? seat : places_[seat]) * stride_);
  }
  /// Where the station is that of WORLD.
  std::atomic<std::uint64_t>& taken(int seat, int word) const noexcept {
    return (*this)[seat].service.taken[static_cast<std::size_t>(word)];
  }

 private:
  const int* places_;
  int size_;
  std::ptrdiff_t stride_;
  std::byte* first_;
};

struct Slots {
  int begin;
  int end;
};
constexpr Slots slots_for(Use use) noexcept {
  constexpr int kPending = boot::kTeamSlots + boot::kSpareSlots;
  switch (use) {
    case Use::kTeam: break;
    case Use::kOneCall: return {boot::kTeamSlots, kPending};
    case Use::kPendingCall: return {kPending, boot::kStations};
  }
  return {0, boot::kTeamSlots};
}

// The first that no member has taken; -1 when there is none. Relaxed: a hint, set_bits() decides.
int first_free(const Row& world, const Slots& slots) noexcept {
  for (int word = slots.begin / 64; word * 64 < slots.end; ++word) {
    std::uint64_t taken = word * 64 < slots.begin ? bit_of(slots.begin) - 1 : 0;
    if (slots.end < (word + 1) * 64) {
      taken |= ~(bit_of(slots.end) - 1);
    }
    for (int seat = 0; seat < world.size() && ~taken != 0; ++seat) {
      taken |= world.taken(seat, word).load(std::memory_order_relaxed);
    }
    if (~taken != 0) {
      return word * 64 + std::countr_zero(~taken);
    }
  }
  return -1;
}

// Of the first so many members.
void clear_bits(const Row& world, int slot, int members) noexcept {
  for (int seat = 0; seat < members; ++seat) {
    // Release: pairs with who takes the station next.
    world.taken(seat, slot / 64).fetch_and(~bit_of(slot), std::memory_order_release);
  }
}

bool set_bits(const Row& world, int slot) noexcept {
  for (int seat = 0; seat < world.size(); ++seat) {
    // Acquire: what the last users left there is this one's to read and to change.
    const std::uint64_t before = world.taken(seat, slot / 64).fetch_or(bit_of(slot), std::memory_order_acquire);
    if ((before & bit_of(slot)) != 0) {
      clear_bits(world, slot, seat);
      return false;
    }
  }
  return true;
}

// Leaders of domains with common members may want the same one, and then perhaps neither gets it. From the second
// attempt on they begin to look in different places.
int where_to_look(const Slots& slots, unsigned attempt) noexcept {
  const auto leader = static_cast<unsigned>(job::node().local);
  return slots.begin + static_cast<int>((leader * 37 + attempt * 101) % static_cast<unsigned>(slots.end - slots.begin));
}

// Relaxed: who looked here last has left, and who looks next finds the name before, which is stored with release.
void clear_steps(Station& station) noexcept {
  for (Meeting* meeting : {&station.meeting, &station.pending}) {
    meeting->step.store(0, std::memory_order_relaxed);
    for (Shown& shown : meeting->shown) {
      shown.step.store(0, std::memory_order_relaxed);
    }
  }
  for (auto& turn : station.further) {
    for (Shown& shown : turn) {
      shown.step.store(0, std::memory_order_relaxed);
    }
  }
  // All of them: which ones a member has used depends on whose turn it was.
#pragma GCC unroll 16
  for (Handout& handout : station.handouts) {
    handout.step.store(0, std::memory_order_relaxed);
  }
}

}  // namespace

int claim_station(const Domain& here, Use use) noexcept {
  const Slots slots = slots_for(use);
  const Row world(here, kWorldSlot);
  for (unsigned attempt = 0;; ++attempt) {
    int slot = attempt == 0 ? -1 : first_free(world, {where_to_look(slots, attempt), slots.end});
    if (slot < 0) {
      slot = first_free(world, slots);
    }
    if (slot < 0 || set_bits(world, slot)) {
      return slot;
    }
  }
}

void serve(const Domain& here, int slot, const Name& name, std::uint64_t id) noexcept {
  // Barriers are counted on from where the member that has counted furthest is, so no word of any station lies ahead.
  const Row stations(here, slot);
  std::uint64_t episode = 0;
  for (int seat = 0; seat < stations.size(); ++seat) {
    // Relaxed here and below: claim_station() has acquired it, and the name publishes it.
    episode = std::max(episode, stations[seat].service.episode.load(std::memory_order_relaxed));
  }
  for (int seat = 0; seat < stations.size(); ++seat) {
    Station& theirs = stations[seat];
    if (!is_for_pending(slot)) {
      clear_steps(theirs);
    }
    theirs.service.id.store(id, std::memory_order_relaxed);
    theirs.service.begin.store(episode, std::memory_order_relaxed);
    theirs.service.which.store(name.which, std::memory_order_relaxed);
  }
  // Only when all are ready: a member that has found its own looks at those of others.
  for (int seat = 0; seat < stations.size(); ++seat) {
    stations[seat].service.what.store(name.what, std::memory_order_release);
  }
}

namespace {

// The one with the smallest id.
int find_served(const Name& name) noexcept {
  const int local = job::node().local;
  const auto& taken = station_of(kWorldSlot, local).service.taken;  // found once: there are many words
  int found = -1;
  std::uint64_t smallest = UINT64_MAX;
  for (std::size_t word = 0; word < taken.size(); ++word) {
    // Relaxed: the name's own load below acquires. This PE's bit was set before its name was stored.
    std::uint64_t left =
        taken[word].load(std::memory_order_relaxed) & ~g_accepted[word].load(std::memory_order_relaxed);
    for (; left != 0; left &= left - 1) {
      const int slot = static_cast<int>(word) * 64 + std::countr_zero(left);
      const ServiceWords& words = station_of(slot, local).service;
      if (words.what.load(std::memory_order_acquire) == name.what &&
          words.which.load(std::memory_order_relaxed) == name.which &&
          words.id.load(std::memory_order_relaxed) < smallest) {
        smallest = words.id.load(std::memory_order_relaxed);
        found = slot;
      }
    }
  }
  return found;
}

}  // namespace

int served(const Name& name) noexcept {
  // The first look may have passed the place of an older one before that was there. What it has found acquires all that
  // its leader did before, so the second one misses nothing.
  return find_served(name) < 0 ? -1 : find_served(name);
}

bool is_given(std::uint64_t slot, std::uint64_t what) noexcept {
  if (slot == 0 || slot >= static_cast<std::uint64_t>(boot::kTeamSlots)) {
    return false;
  }
  const int number = static_cast<int>(slot);
  const int local = job::node().local;
  // Acquire, twice: as in find_served().
  return (taken_word(local, number / 64).load(std::memory_order_acquire) & bit_of(number)) != 0 &&
         (g_accepted[slot / 64].load(std::memory_order_relaxed) & bit_of(number)) == 0 &&
         station_of(number, local).service.what.load(std::memory_order_acquire) == what;
}

Served accept(int slot) noexcept {
  ServiceWords& words = station_of(slot, job::node().local).service;
  // Relaxed: other threads of this PE that still look here find a name or none, and neither is theirs.
  g_accepted[static_cast<std::size_t>(slot / 64)].fetch_or(bit_of(slot), std::memory_order_relaxed);
  words.what.store(0, std::memory_order_relaxed);
  return {words.id.load(std::memory_order_relaxed), words.begin.load(std::memory_order_relaxed)};
}

void leave_station(int slot, std::uint64_t episode) noexcept {
  const int local = job::node().local;
  // Relaxed: the bit below publishes it.
  station_of(slot, local).service.episode.store(episode, std::memory_order_relaxed);
  g_accepted[static_cast<std::size_t>(slot / 64)].fetch_and(~bit_of(slot), std::memory_order_relaxed);
  // Release: pairs with who takes the station next.
  taken_word(local, slot / 64).fetch_and(~bit_of(slot), std::memory_order_release);
}

void set_up_stations(int predefined) noexcept {
  for (int word = 0; word < kStationWords; ++word) {
    const std::uint64_t taken = word == 0 ? bit_of(predefined) - 1 : 0;
    // Relaxed: the first barrier publishes it.
    taken_word(job::node().local, word).store(taken, std::memory_order_relaxed);
    g_accepted[static_cast<std::size_t>(word)].store(taken, std::memory_order_relaxed);
  }
}

}  // namespace weft::group
