// What the PEs of a job were found doing: copies of their records, taken one after another while they run on. So two of
// them may not fit together; what stands still between two looks does.
//
// The records lie in memory that every PE can write to, and a program's stray store may hit them. This is the one place
// where they are read: what leaves it is within the bounds of the job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boot/job.hpp"
#include "doctor/threads.hpp"

namespace weft::doctor {

/// The sizes of a job that its records are held to: a copy of what the header said before any PE could write to it.
struct Shape {
  int n_pes = 0;
  std::uint64_t slot_bytes = 0;
  std::uint64_t heap_slot_bytes = 0;
  std::uint64_t static_offset = 0;
  std::uint64_t heap_bytes = 0;  // 0: not known here, the PEs are on other hosts

  Shape() = default;
  explicit Shape(const boot::JobHeader& header)
      : n_pes(static_cast<int>(header.n_pes)),
        slot_bytes(header.slot_bytes),
        heap_slot_bytes(header.heap_slot_bytes),
        static_offset(header.static_offset),
        heap_bytes(header.heap_bytes) {}
};

/// boot::WaitRecord, read.
struct Wait {
  boot::Waiting why = boot::Waiting::kNot;
  std::uint32_t call = 0;
  std::uint64_t site = 0;
  std::uint64_t since = 0;
  boot::Place object = 0;
  std::uint64_t elements = 0;
  std::uint64_t wanted = 0;
  std::uint32_t compare = 0;
  std::uint32_t type = 0;
  int start = 0;  // kPages: the kernel's number of the thread; 0: it is not told
  int stride = 1;
  int size = 0;
  std::uint32_t slot = boot::kNoSlot;
  std::uint64_t number = 0;
  int root = -1;
  std::uint32_t looks = 0;
  boot::Place block = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t block_site = 0;
  std::uint32_t block_call = 0;
  std::uint64_t given = 0;
  std::uint64_t index = 0;
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  std::vector<Range> missing = {};
  struct Heard {
    int pe;
    int tag;
    bool elsewhere;  // in another communicator
  };
  std::vector<Heard> heard = {};      // kMessage: messages that have come instead
  std::string label = {};             // and what people call the communicator
  std::vector<int> table = {};        // the members, ascending, where they are not evenly spaced
  std::uint64_t lasted = UINT64_MAX;  // ns, when it was read
  // The thread has looked meanwhile and found that it has to wait on. Else its wait may be over, and only it does not
  // know yet.
  bool still = true;

  /// What the program does goes on meanwhile.
  bool beside() const {
    return why == boot::Waiting::kPages && compare == static_cast<std::uint32_t>(boot::PagesFor::kBeside);
  }
  bool of_access() const {
    return why == boot::Waiting::kPages && compare == static_cast<std::uint32_t>(boot::PagesFor::kAccess);
  }
  bool in_shared() const { return (object & boot::kInShared) != 0; }
  bool collective() const { return size > 0; }
  bool same_team(const Wait& other) const {
    return slot == other.slot && start == other.start && stride == other.stride && size == other.size &&
           table == other.table;
  }
  int member(int k) const { return table.empty() ? start + k * stride : table[static_cast<std::size_t>(k)]; }
  bool has_member(int pe) const;
  bool same_wait(const Wait& other) const {
    return why == other.why && call == other.call && since == other.since &&
           (why != boot::Waiting::kMessage || number == other.number);
  }
  /// A message that is to come or to be taken, of which nothing is under way, or what is another one's of a window:
  /// only that PE can end the wait.
  bool needs_one_pe() const {
    if (why == boot::Waiting::kWindow) return root >= 0;
    return why == boot::Waiting::kMessage && type == static_cast<std::uint32_t>(boot::Awaits::kMessage) && root >= 0 &&
           (compare & boot::kUnderWay) == 0;
  }
  /// For a lock of a window, of which it is known which one.
  bool of_window_lock() const {
    return why == boot::Waiting::kWindow && type <= static_cast<std::uint32_t>(boot::OfWindow::kExclusive) &&
           wanted != 0;
  }
  bool exclusive() const { return type == static_cast<std::uint32_t>(boot::OfWindow::kExclusive); }
  bool same_window_lock(const Wait& other) const {
    return of_window_lock() && other.of_window_lock() && wanted == other.wanted && start == other.start;
  }
  /// Which call of the team it is, is not known.
  bool uncounted() const { return slot == boot::kNoSlot && number == 0; }
};

/// boot::HeldOfWindow, read.
struct HeldOfWindow {
  std::uint64_t window = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  int pe = -1;  // of several
  bool exclusive = false;
  std::string label = {};

  /// It is what this wait is for a lock of, or one of those.
  bool is_lock_of(const Wait& wait) const {
    const auto rank = static_cast<std::uint32_t>(wait.start);
    return wait.of_window_lock() && window == wait.wanted && first <= rank && rank <= last;
  }
};

struct Pe {
  bool alive = true;
  bool stopped = false;
  bool held = false;                    // for a debugger, before main
  bool threads = false;                 // it has more of them than waits: one may go on, and nobody knows what it does
  bool moved = false;                   // it did something else at the look before
  std::string damage = {};              // what of its record cannot be, and was not read
  std::vector<std::string> stack = {};  // of one that does not wait; empty: not seen
  std::uint32_t collectives = 0;        // calls of all PEs that it has begun
  std::uint64_t static_bytes = 0;
  boot::Phase phase = boot::Phase::kStarted;
  std::uint32_t call = 0;  // entered last
  std::uint64_t site = 0;
  std::vector<Wait> waits;
  std::vector<boot::Place> locks;  // held
  std::vector<HeldOfWindow> window_locks;
  OpenMp openmp;

  /// The program waits, and not only what goes on beside it.
  bool program_waits() const;
  /// The program's wait that has lasted longest of those that stood still; null when there is none.
  const Wait* oldest() const;
  /// Whatever of it could be seen waits.
  bool waits_still() const { return alive && !stopped && !moved && oldest() != nullptr; }
  bool runs() const { return alive && !moved && !program_waits(); }
};

/// `living` says of each PE whether its process is there, `now` is on the clock of the records. Whether a PE is stopped
/// is for the caller to find out, but for what an agent has told of a PE on its host.
std::vector<Pe> look_at(boot::JobHeader* job, const Shape& shape, const std::vector<bool>& living, std::uint64_t now);

/// Locks of windows that the record tells of; what of it cannot be in a job of so many PEs is left out and told in
/// `damage`.
std::vector<HeldOfWindow> window_locks_of(const boot::PeRecord& record, int n_pes, std::string* damage = nullptr);

/// Of two looks: true when no PE is left of which it is open whether it stands still. Then keep_still() has nothing to
/// wait for.
bool is_settled(const std::vector<Pe>& before, const std::vector<Pe>& after);
/// Marks in the later look what stood still since the earlier one, and who did not.
void keep_still(const std::vector<Pe>& before, std::vector<Pe>& after);

}  // namespace weft::doctor
