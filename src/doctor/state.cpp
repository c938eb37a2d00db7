#include "doctor/state.hpp"

#include <algorithm>

namespace weft::doctor {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

Wait read(const boot::WaitRecord& record) {
  Wait wait;
  wait.why = static_cast<boot::Waiting>(record.why.load(kRelaxed));
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
  return wait;
}

// The record of one wait: not begun to be filled for the next one meanwhile.
bool read_whole(const boot::WaitRecord& record, Wait& wait) {
  // Acquire: what was written before `since` is seen.
  const std::uint64_t since = record.since.load(std::memory_order_acquire);
  if (since == 0) return false;
  wait = read(record);
  wait.since = since;
  // Acquire: the copy was read before this looks once more.
  std::atomic_thread_fence(std::memory_order_acquire);
  return record.since.load(kRelaxed) == since && wait.why != boot::Waiting::kNot;
}

}  // namespace

bool Wait::has_member(int pe) const {
  const int distance = pe - start;
  return size > 0 &&
         (stride == 0 ? distance == 0 : distance % stride == 0 && distance / stride >= 0 && distance / stride < size);
}

const Wait* Pe::oldest() const {
  const auto found =
      std::min_element(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) { return a.since < b.since; });
  return found == waits.end() ? nullptr : &*found;
}

std::vector<Pe> look_at(boot::JobHeader* job, const std::vector<bool>& living) {
  std::vector<Pe> pes(job->n_pes);
  for (std::size_t number = 0; number < pes.size(); ++number) {
    const boot::PeRecord& record = *boot::pe_record(job, static_cast<int>(number));
    Pe& pe = pes[number];
    pe.alive = living[number];
    pe.phase = static_cast<boot::Phase>(record.phase.load(std::memory_order_acquire));
    pe.held = static_cast<boot::Hold>(record.hold.load(std::memory_order_acquire)) == boot::Hold::kHeld;
    pe.call = record.call.load(kRelaxed);
    pe.site = record.site.load(kRelaxed);
    for (const boot::WaitRecord& wait : record.waits) {
      if (Wait copy; pe.alive && read_whole(wait, copy)) pe.waits.push_back(copy);
    }
    for (const std::atomic<boot::Place>& held : record.held) {
      if (const boot::Place place = held.load(kRelaxed); place != 0) pe.locks.push_back(place);
    }
  }
  return pes;
}

}  // namespace weft::doctor
