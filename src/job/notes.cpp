#include "job/notes.hpp"

#include <algorithm>
#include <cstring>

#include "job/node.hpp"
#include "os/clock.hpp"

namespace weft::job {
namespace {

boot::Place place_of(const void* address) noexcept {
  const memory::Space& space = node().space;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (space.heap().holds(at)) {
    return at - space.heap().lo + 1;
  }
  return space.statics().holds(at) ? (at - space.statics().lo + 1) | boot::kInStatics : 0;
}

constinit FindBlock g_find_block = nullptr;

void fill_block(boot::WaitRecord& record, boot::Place object) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  BlockNote block;
  const bool known = object != 0 && (object & (boot::kInStatics | boot::kInShared)) == 0 && g_find_block != nullptr &&
                     g_find_block(boot::offset_of(object), &block);
  record.block.store(known ? block.offset + 1 : 0, kRelaxed);
  record.block_bytes.store(block.bytes, kRelaxed);
  record.block_site.store(reinterpret_cast<std::uintptr_t>(block.site), kRelaxed);
  record.block_call.store(block.call, kRelaxed);
}

// Members that are neither few runs nor close to each other are not told of: false.
bool fill_members(boot::WaitRecord& record, const int* pes, int size) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  std::uint32_t runs = 0;
  for (int k = 0; k < size && runs <= boot::kMissing; ++k) {
    const bool begins = k == 0 || pes[k] != pes[k - 1] + 1;
    if (begins && ++runs > boot::kMissing) {
      break;
    }
    const auto pe = static_cast<std::uint32_t>(pes[k]);
    if (begins) {
      record.missing[runs - 1].first.store(pe, kRelaxed);
    }
    record.missing[runs - 1].last.store(pe, kRelaxed);
  }
  if (runs <= boot::kMissing) {
    record.n_missing.store(runs, kRelaxed);
    return true;
  }
  if (pes[size - 1] - pes[0] >= boot::kMemberBits) {
    return false;
  }
  std::uint64_t bits[boot::kMissing] = {};
  for (int k = 0; k < size; ++k) {
    const int bit = pes[k] - pes[0];
    bits[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  for (int k = 0; k < boot::kMissing; ++k) {
    record.missing[k].first.store(static_cast<std::uint32_t>(bits[k]), kRelaxed);
    record.missing[k].last.store(static_cast<std::uint32_t>(bits[k] >> 32), kRelaxed);
  }
  record.given.store(static_cast<std::uint64_t>(pes[0]), kRelaxed);
  record.n_missing.store(boot::kByBits, kRelaxed);
  return true;
}

// Relaxed throughout: see boot::WaitRecord.
void fill(boot::WaitRecord& record, const Awaited& awaited) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  // Who sees anything of this wait sees that the last one has ended: `since` is 0 by now.
  std::atomic_thread_fence(std::memory_order_release);
  record.call.store(t_entered.call, kRelaxed);
  const void* const site = awaited.site != nullptr ? awaited.site : site_in_program();
  record.site.store(reinterpret_cast<std::uintptr_t>(site), kRelaxed);
  const boot::Place object = awaited.place != 0 ? awaited.place : place_of(awaited.object);
  record.object.store(object, kRelaxed);
  fill_block(record, object);
  record.elements.store(awaited.elements, kRelaxed);
  record.wanted.store(awaited.wanted, kRelaxed);
  record.compare.store(awaited.compare, kRelaxed);
  record.type.store(awaited.type, kRelaxed);
  record.start.store(awaited.start, kRelaxed);
  record.stride.store(awaited.stride, kRelaxed);
  record.size.store(awaited.size, kRelaxed);
  record.slot.store(awaited.slot, kRelaxed);
  record.number.store(awaited.number, kRelaxed);
  record.root.store(awaited.root, kRelaxed);
  record.looks.store(0, kRelaxed);
  record.given.store(awaited.given, kRelaxed);
  record.index.store(awaited.index, kRelaxed);
  record.n_missing.store(0, kRelaxed);
  if (awaited.pes != nullptr && !fill_members(record, awaited.pes, awaited.size)) {
    record.size.store(0, kRelaxed);
  }
  // Release: who sees since when the wait lasts sees the rest.
  record.since.store(os::now_ns(), std::memory_order_release);
}

// What people call what a wait is about, as far as there is room.
void fill_label(boot::WaitRecord& record, const char* label, std::size_t bytes) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  std::uint64_t words[boot::kLabelWords] = {};
  std::memcpy(words, label, std::min(bytes, sizeof words));
  record.block.store(words[0], kRelaxed);
  record.block_bytes.store(words[1], kRelaxed);
  record.block_site.store(words[2], kRelaxed);
}

}  // namespace

int begin_wait(const Awaited& awaited) noexcept {
  boot::PeRecord& mine = node().record();
  for (int place = 0; place < boot::kWaits; ++place) {
    boot::WaitRecord& record = mine.waits[place];
    std::uint32_t none = 0;
    // Acquire, for the order of `since` and what follows; relaxed where another thread has it.
    if (record.why.compare_exchange_strong(none, static_cast<std::uint32_t>(awaited.why), std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      fill(record, awaited);
      return place;
    }
  }
  return -1;
}

void end_wait(int place) noexcept {
  if (place < 0) {
    return;
  }
  boot::WaitRecord& record = node().record().waits[place];
  record.since.store(0, std::memory_order_relaxed);
  // Release: whichever thread takes the record next comes after the line above.
  record.why.store(0, std::memory_order_release);
}

void looked_in_vain(int place) noexcept {
  if (place < 0) {
    return;
  }
  // One writer; relaxed, see boot::WaitRecord.
  std::atomic<std::uint32_t>& looks = node().record().waits[place].looks;
  looks.store(looks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void note_missing(int place, int k, std::uint32_t first, std::uint32_t last) noexcept {
  if (place >= 0) {
    boot::WaitRecord::Range& range = node().record().waits[place].missing[k];
    range.first.store(first, std::memory_order_relaxed);
    range.last.store(last, std::memory_order_relaxed);
  }
}

void note_missing_ranges(int place, int ranges) noexcept {
  if (place >= 0) {
    node().record().waits[place].n_missing.store(static_cast<std::uint32_t>(ranges), std::memory_order_relaxed);
  }
}

void note_message(int place, const MessageNote& note) noexcept {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  if (place < 0) {
    return;
  }
  boot::WaitRecord& record = node().record().waits[place];
  record.compare.store(note.compare, kRelaxed);
  record.number.store(note.number, kRelaxed);
  record.given.store(note.given, kRelaxed);
  fill_label(record, note.label, sizeof note.label);
  for (int k = 0; k < note.heard; ++k) {
    note_missing(place, k, note.of[k].pe, static_cast<std::uint32_t>(note.of[k].tag));
  }
  note_missing_ranges(place, note.heard);
}

void note_window(int place, const WindowNote& note) noexcept {
  if (place < 0) {
    return;
  }
  boot::WaitRecord& record = node().record().waits[place];
  record.root.store(note.needed, std::memory_order_relaxed);
  record.given.store(note.readers, std::memory_order_relaxed);
  fill_label(record, note.label, std::strlen(note.label));
}

void note_pages(int place, const PagesTold& told) noexcept {
  if (place < 0) {
    return;
  }
  boot::WaitRecord& record = node().record().waits[place];
  record.type.store(static_cast<std::uint32_t>(told.what), std::memory_order_relaxed);
  record.root.store(told.pe, std::memory_order_relaxed);
  record.given.store(told.address, std::memory_order_relaxed);
}

void set_find_block(FindBlock find) noexcept { g_find_block = find; }

void note_held(boot::Place lock) noexcept {
  for (std::atomic<boot::Place>& held : node().record().held) {
    if (held.load(std::memory_order_relaxed) == 0) {
      held.store(lock, std::memory_order_relaxed);
      return;
    }
  }
}

void note_released(boot::Place lock) noexcept {
  for (std::atomic<boot::Place>& held : node().record().held) {
    if (held.load(std::memory_order_relaxed) == lock) {
      held.store(0, std::memory_order_relaxed);
      return;
    }
  }
}

void note_held(const void* lock) noexcept { note_held(place_of(lock)); }
void note_released(const void* lock) noexcept { note_released(place_of(lock)); }

constinit std::atomic<std::uintptr_t> g_first_tells = 0;

int note_held_beside(const HeldOfWindow& held) noexcept {
  boot::PeRecord& mine = node().record();
  for (int place = 1; place < boot::kHeldOfWindows; ++place) {
    if (mine.of_windows[place].window.load(std::memory_order_relaxed) == 0) {
      write_held(mine.of_windows[place], held);
      return place;
    }
  }
  return -1;
}

void note_one_more(int place, int last) noexcept {
  if (place >= 0) {
    boot::HeldOfWindow& entry = node().record().of_windows[place];
    entry.pe.store(boot::HeldOfWindow::kAll, std::memory_order_relaxed);
    entry.last.store(static_cast<std::uint32_t>(last), std::memory_order_relaxed);
  }
}

}  // namespace weft::job
