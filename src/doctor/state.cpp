#include "doctor/state.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "boot/node_files.hpp"
#include "calls/calls.hpp"

namespace weft::doctor {
namespace {

using boot::Waiting;

constexpr auto kRelaxed = std::memory_order_relaxed;

// Seen twice by a thread that looks in vain, a count of its looks has grown by two: only then the later of these looks
// began after the first time.
constexpr std::uint32_t kLooksBetween = 2;

Wait read(const boot::WaitRecord& record) {
  Wait wait;
  wait.why = static_cast<Waiting>(record.why.load(kRelaxed));
  wait.call = record.call.load(kRelaxed);
  wait.site = record.site.load(kRelaxed);
  wait.object = record.object.load(kRelaxed);
  wait.elements = record.elements.load(kRelaxed);
  wait.wanted = record.wanted.load(kRelaxed);
  wait.compare = record.compare.load(kRelaxed);
  wait.type = record.type.load(kRelaxed);
  wait.start = record.start.load(kRelaxed);
  wait.stride = record.stride.load(kRelaxed);
  wait.size = record.size.load(kRelaxed);
  wait.slot = record.slot.load(kRelaxed);
  wait.number = record.number.load(kRelaxed);
  wait.root = record.root.load(kRelaxed);
  wait.looks = record.looks.load(kRelaxed);
  wait.block = record.block.load(kRelaxed);
  wait.block_bytes = record.block_bytes.load(kRelaxed);
  wait.block_site = record.block_site.load(kRelaxed);
  wait.block_call = record.block_call.load(kRelaxed);
  wait.given = record.given.load(kRelaxed);
  wait.index = record.index.load(kRelaxed);
  return wait;
}

// These change while the wait goes on, so a range may be of two looks: who cannot be is left out.
void read_missing(const boot::WaitRecord& record, Wait& wait) {
  const std::uint32_t ranges = std::min<std::uint32_t>(record.n_missing.load(kRelaxed), boot::kMissing);
  for (std::uint32_t k = 0; k < ranges; ++k) {
    const Wait::Range range{record.missing[k].first.load(kRelaxed), record.missing[k].last.load(kRelaxed)};
    const bool follows = wait.missing.empty() || range.first > wait.missing.back().last;
    if (follows && range.first <= range.last && range.last < wait.given) wait.missing.push_back(range);
  }
}

void read_run(std::uint64_t first, std::uint64_t last, int n_pes, std::vector<int>& members) {
  const std::uint64_t after = members.empty() ? 0 : static_cast<std::uint64_t>(members.back()) + 1;
  for (std::uint64_t pe = std::max(first, after); pe <= last && pe < static_cast<std::uint64_t>(n_pes); ++pe) {
    members.push_back(static_cast<int>(pe));
  }
}

// Members that have no stride. Whether they are as many as there should be is for Check.
void read_members(const boot::WaitRecord& record, int n_pes, Wait& wait) {
  const std::uint32_t ranges = record.n_missing.load(kRelaxed);
  for (std::uint32_t k = 0; k < boot::kMissing; ++k) {
    const std::uint32_t low = record.missing[k].first.load(kRelaxed);
    const std::uint32_t high = record.missing[k].last.load(kRelaxed);
    if (ranges <= boot::kMissing && k < ranges) read_run(low, high, n_pes, wait.table);
    const std::uint64_t bits = ranges == boot::kByBits ? std::uint64_t{high} << 32 | low : 0;
    for (unsigned bit = 0; bit < 64 && wait.given < static_cast<std::uint64_t>(n_pes); ++bit) {
      const std::uint64_t pe = wait.given + k * 64 + bit;
      if ((bits >> bit & 1) != 0) read_run(pe, pe, n_pes, wait.table);
    }
  }
}

// The name of a communicator or window, as far as it is one that can be shown.
std::string label_of(const std::uint64_t (&words)[boot::kLabelWords]) {
  char bytes[sizeof words];
  std::memcpy(bytes, words, sizeof words);
  std::string label(bytes, ::strnlen(bytes, sizeof bytes));
  for (char& each : label) {
    if (each < ' ' || each > '~') each = '?';
  }
  return label;
}

std::string read_label(const boot::WaitRecord& record) {
  return label_of({record.block.load(kRelaxed), record.block_bytes.load(kRelaxed), record.block_site.load(kRelaxed)});
}

// Not given back, nor another one's, meanwhile.
bool read_whole(const boot::HeldOfWindow& entry, HeldOfWindow& held) {
  // Acquire: what was written before the number is seen.
  held.window = entry.window.load(std::memory_order_acquire);
  held.first = entry.first.load(kRelaxed);
  held.last = entry.last.load(kRelaxed);
  const std::uint32_t pe = entry.pe.load(kRelaxed);
  held.pe = pe == boot::HeldOfWindow::kAll ? -1 : static_cast<int>(pe);
  held.exclusive = entry.exclusive.load(kRelaxed) != 0;
  held.label = label_of({entry.label[0].load(kRelaxed), entry.label[1].load(kRelaxed), entry.label[2].load(kRelaxed)});
  // Acquire: as of a wait.
  std::atomic_thread_fence(std::memory_order_acquire);
  return held.window != 0 && entry.window.load(kRelaxed) == held.window;
}

void read_message(const boot::WaitRecord& record, int n_pes, Wait& wait) {
  wait.label = read_label(record);
  wait.block = wait.block_bytes = wait.block_site = 0;
  const std::uint32_t heard = std::min<std::uint32_t>(record.n_missing.load(kRelaxed), boot::kMissing);
  for (std::uint32_t k = 0; k < heard; ++k) {
    const std::uint32_t first = record.missing[k].first.load(kRelaxed);
    const std::uint32_t pe = first & ~boot::kElsewhere;
    if (pe >= static_cast<std::uint32_t>(n_pes)) continue;
    wait.heard.push_back({static_cast<int>(pe), static_cast<int>(record.missing[k].last.load(kRelaxed)),
                          (first & boot::kElsewhere) != 0});
  }
}

// The record of one wait: not begun to be filled for the next one meanwhile.
bool read_whole(const boot::WaitRecord& record, int n_pes, Wait& wait) {
  // Acquire: what was written before `since` is seen.
  const std::uint64_t since = record.since.load(std::memory_order_acquire);
  if (since == 0) return false;
  wait = read(record);
  wait.since = since;
  if (wait.why == Waiting::kValue) read_missing(record, wait);
  if (wait.why == Waiting::kMessage) read_message(record, n_pes, wait);
  if (wait.why == Waiting::kWindow) {
    wait.label = read_label(record);
    wait.block = wait.block_bytes = wait.block_site = 0;
  }
  if (wait.size > 1 && wait.stride == 0) read_members(record, n_pes, wait);
  // Acquire: the copy was read before this looks once more.
  std::atomic_thread_fence(std::memory_order_acquire);
  return record.since.load(kRelaxed) == since && wait.why != Waiting::kNot;
}

// What cannot be in a job of this shape, in words; "" when all can.
class Check {
 public:
  Check(const Shape& shape, std::uint64_t static_bytes) : shape_(shape), static_bytes_(static_bytes) {}

  int n_pes() const { return shape_.n_pes; }
  std::string of(const Wait& wait) const {
    if (wait.why > Waiting::kLast) return odd(static_cast<std::uint32_t>(wait.why), "as the kind of a wait");
    if (!calls::possible(wait.call)) return odd(wait.call, "as the number of a routine");
    if (wait.size != 0) return of_members(wait);
    if (wait.why == Waiting::kValue) return of_value(wait);
    if (wait.why == Waiting::kMessage) return of_message(wait);
    if (wait.why == Waiting::kWindow) return of_window(wait);
    if (wait.why == Waiting::kPages) return of_pages(wait);
    return wait.why == Waiting::kLock ? of_lock(wait) : "";
  }
  std::string of_held(boot::Place place) const {
    if ((place & boot::kInShared) == 0) return of(place);
    const bool fits = place < boot::kInStatics && boot::offset_of(place) < boot::kMostOwnBytes;
    return fits ? "" : odd(boot::offset_of(place), "as an offset in the shared memory");
  }
  std::string of(boot::Place place) const {
    if (place == 0) return {};
    const bool in_statics = (place & boot::kInStatics) != 0;
    const std::uint64_t bytes = in_statics ? static_bytes_ : heap_bytes();
    if (place == boot::kInStatics || (place & boot::kInShared) != 0 || boot::offset_of(place) >= bytes) {
      return odd(boot::offset_of(place), in_statics ? "as an offset in the static data" : "as an offset in the heap");
    }
    return {};
  }

 private:
  template <class Number>
  static std::string odd(Number number, const char* what) {
    return std::to_string(number) + " " + what;
  }

  std::uint64_t heap_bytes() const { return shape_.heap_bytes == 0 ? boot::kInShared : shape_.heap_bytes; }

  std::string of_members(const Wait& wait) const {
    if (wait.size < 0 || wait.size > shape_.n_pes) return odd(wait.size, "members of a team");
    const std::int64_t last = wait.start + std::int64_t{wait.size - 1} * wait.stride;
    if (wait.start < 0 || wait.start >= shape_.n_pes) return odd(wait.start, "as the first member of a team");
    const bool by_table = wait.table.size() == static_cast<std::size_t>(wait.size) && wait.has_member(wait.start);
    if (wait.size > 1 && (wait.stride == 0 ? !by_table : last < 0 || last >= shape_.n_pes)) {
      return odd(wait.stride, "as the distance of a team's members");
    }
    if (wait.slot != boot::kNoSlot && wait.slot >= boot::kTeamSlots) return odd(wait.slot, "as the number of a team");
    if (wait.root < -1 || wait.root >= wait.size) return odd(wait.root, "as the root");
    return {};
  }

  std::string of_value(const Wait& wait) const {
    const std::uint32_t bytes = wait.type & ~boot::kSigned;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return odd(bytes, "bytes of a type");
    if (wait.compare < 1 || wait.compare > 6) return odd(wait.compare, "as a comparison");
    if (wait.elements == 0 || wait.elements > (std::uint64_t{1} << 60)) return odd(wait.elements, "elements");
    if (wait.index >= std::max<std::uint64_t>(wait.given, 1)) return odd(wait.index, "as the number of an element");
    return of_block(wait);
  }

  std::string of_message(const Wait& wait) const {
    if (wait.root < -1 || wait.root >= shape_.n_pes) return odd(wait.root, "as the PE that a message is of");
    if (wait.type > static_cast<std::uint32_t>(boot::Awaits::kLast)) return odd(wait.type, "as the kind of a message");
    return {};
  }

  std::string of_window(const Wait& wait) const {
    if (wait.root < -1 || wait.root >= shape_.n_pes) return odd(wait.root, "as the PE that a window waits for");
    if (wait.index >= static_cast<std::uint64_t>(shape_.n_pes)) return odd(wait.index, "as the PE of a window");
    if (wait.type > static_cast<std::uint32_t>(boot::OfWindow::kLast)) return odd(wait.type, "as a wait of a window");
    if (wait.start < 0 || wait.start >= shape_.n_pes) return odd(wait.start, "as the rank in a window");
    return {};
  }

  std::string of_pages(const Wait& wait) const {
    if (wait.root < -1 || wait.root >= shape_.n_pes) return odd(wait.root, "as the PE that is asked for pages");
    if (wait.type > static_cast<std::uint32_t>(boot::OfPages::kLast))
      return odd(wait.type, "as what of pages is asked");
    if (wait.compare > static_cast<std::uint32_t>(boot::PagesFor::kLast))
      return odd(wait.compare, "as what needs pages");
    return {};
  }

  std::string of_shared_lock(const Wait& wait) const {
    if (wait.root < -1 || wait.root >= shape_.n_pes) return odd(wait.root, "as the PE that is home of a lock");
    return wait.type == 0 ? of_held(wait.object) : odd(wait.type, "bytes of a lock");
  }

  std::string of_lock(const Wait& wait) const {
    if (wait.in_shared()) return of_shared_lock(wait);
    if (wait.type != 0 && wait.type != 4 && wait.type != 8) return odd(wait.type, "bytes of a lock");
    return of_block(wait);
  }

  std::string of_block(const Wait& wait) const {
    if (std::string what = of(wait.object); !what.empty()) return what;
    if (wait.block == 0) return {};
    const bool fits = wait.block_bytes > 0 && wait.block <= wait.object && (wait.object & boot::kInStatics) == 0 &&
                      wait.object - wait.block < wait.block_bytes &&
                      wait.block_bytes <= heap_bytes() - boot::offset_of(wait.block);
    return fits && calls::possible(wait.block_call) ? "" : odd(wait.block_bytes, "bytes of a block");
  }

  const Shape& shape_;
  std::uint64_t static_bytes_;
};

std::uint64_t static_bytes_of(const boot::PeRecord& record, const Shape& shape) {
  const std::uint64_t told = record.static_bytes.load(kRelaxed);
  if (shape.heap_bytes == 0) return told;
  return std::min(told, shape.slot_bytes - std::min(shape.slot_bytes, shape.static_offset));
}

void read_waits(const boot::PeRecord& record, const Check& check, std::uint64_t now, Pe& pe) {
  for (const boot::WaitRecord& each : record.waits) {
    Wait wait;
    if (!pe.alive || !read_whole(each, check.n_pes(), wait)) continue;
    if (std::string what = check.of(wait); !what.empty()) {
      pe.damage = std::move(what);
      continue;
    }
    wait.since = std::min(wait.since, now);  // the clocks of two hosts differ
    wait.lasted = now - wait.since;
    pe.waits.push_back(std::move(wait));
  }
}

void read_locks(const boot::PeRecord& record, const Check& check, Pe& pe) {
  for (const std::atomic<boot::Place>& held : record.held) {
    const boot::Place place = held.load(kRelaxed);
    if (place == 0) continue;
    if (std::string what = check.of_held(place); !what.empty()) {
      pe.damage = std::move(what);
    } else {
      pe.locks.push_back(place);
    }
  }
}

void read_window_locks(const boot::PeRecord& record, int n_pes, Pe& pe) {
  if (!pe.alive) return;
  std::string damage;
  pe.window_locks = window_locks_of(record, n_pes, &damage);
  if (!damage.empty()) pe.damage = std::move(damage);
}

Pe read(const boot::PeRecord& record, const Shape& shape, bool alive, std::uint64_t now) {
  Pe pe;
  pe.alive = alive;
  const std::uint32_t phase = record.phase.load(std::memory_order_acquire);
  pe.phase = phase <= static_cast<std::uint32_t>(boot::kLastPhase) ? static_cast<boot::Phase>(phase)
                                                                   : boot::Phase::kInitialised;
  pe.stopped = record.presence.stopped.load(kRelaxed) != 0;
  pe.held = static_cast<boot::Hold>(record.hold.load(std::memory_order_acquire)) == boot::Hold::kHeld;
  pe.call = record.call.load(kRelaxed);
  pe.site = record.site.load(kRelaxed);
  pe.collectives = record.collectives.load(kRelaxed);
  pe.static_bytes = static_bytes_of(record, shape);
  const Check check(shape, pe.static_bytes);
  read_waits(record, check, now, pe);
  read_locks(record, check, pe);
  read_window_locks(record, shape.n_pes, pe);
  return pe;
}

const Wait* same_in(const Pe& pe, const Wait& wait) {
  const auto found =
      std::find_if(pe.waits.begin(), pe.waits.end(), [&](const Wait& other) { return other.same_wait(wait); });
  return found == pe.waits.end() ? nullptr : &*found;
}

bool has_looked(const Wait& before, const Wait& after) { return after.looks - before.looks >= kLooksBetween; }

}  // namespace

bool Wait::has_member(int pe) const {
  if (!table.empty()) return std::binary_search(table.begin(), table.end(), pe);
  const int distance = pe - start;
  return size > 0 &&
         (stride == 0 ? distance == 0 : distance % stride == 0 && distance / stride >= 0 && distance / stride < size);
}

bool Pe::program_waits() const {
  return std::any_of(waits.begin(), waits.end(), [](const Wait& wait) { return !wait.beside(); });
}

const Wait* Pe::oldest() const {
  const Wait* oldest = nullptr;
  for (const Wait& wait : waits) {
    if (wait.still && !wait.beside() && (oldest == nullptr || wait.since < oldest->since)) oldest = &wait;
  }
  return oldest;
}

std::vector<Pe> look_at(boot::JobHeader* job, const Shape& shape, const std::vector<bool>& living, std::uint64_t now) {
  std::vector<Pe> pes;
  pes.reserve(living.size());
  for (std::size_t number = 0; number < living.size(); ++number) {
    const int pe = static_cast<int>(number);
    pes.push_back(read(*boot::pe_record(job, pe), shape, living[number], now));
    if (living[number]) pes.back().openmp = read_threads(*boot::pe_threads(job, pe), now, &pes.back().damage);
  }
  return pes;
}

std::vector<HeldOfWindow> window_locks_of(const boot::PeRecord& record, int n_pes, std::string* damage) {
  std::vector<HeldOfWindow> locks;
  for (const boot::HeldOfWindow& entry : record.of_windows) {
    HeldOfWindow held;
    if (!read_whole(entry, held)) continue;
    const bool fits = held.first <= held.last && held.last < static_cast<std::uint32_t>(n_pes) && held.pe >= -1 &&
                      held.pe < n_pes && (held.pe < 0 || held.first == held.last);
    if (fits) {
      locks.push_back(std::move(held));
    } else if (damage != nullptr) {
      *damage = std::to_string(held.last) + " as a rank whose window's lock is held";
    }
  }
  return locks;
}

bool is_settled(const std::vector<Pe>& before, const std::vector<Pe>& after) {
  for (std::size_t pe = 0; pe < after.size(); ++pe) {
    if (!after[pe].alive || after[pe].stopped) continue;
    for (const Wait& wait : before[pe].waits) {
      const Wait* now = same_in(after[pe], wait);
      if (now != nullptr && !has_looked(wait, *now)) return false;
    }
    if (!is_settled(before[pe].openmp, after[pe].openmp)) return false;
  }
  return true;
}

void keep_still(const std::vector<Pe>& before, std::vector<Pe>& after) {
  for (std::size_t pe = 0; pe < after.size(); ++pe) {
    bool moved = before[pe].waits.size() != after[pe].waits.size();
    for (Wait& wait : after[pe].waits) {
      const Wait* then = same_in(before[pe], wait);
      wait.still = then != nullptr && has_looked(*then, wait);
      moved = moved || !wait.still;
    }
    after[pe].moved = moved;
    keep_still(before[pe].openmp, after[pe].openmp);
  }
}

}  // namespace weft::doctor
