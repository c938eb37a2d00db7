// What a PE writes down of its pages while a profile is made (WEFT_PROFILE): a file that it maps and counts in, so that
// what was counted is there however the PE ends. weft-profile reads it, beside what src/profile has written of calls.
//
//   [Record][Peer for each PE][Cell for each piece of the range]      pages.<number>.weft, one for each PE
//
// All times are nanoseconds of CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::dsm {

/// What is counted of a PE, and by which name profile.json has it. The last ones are times; a name of those ends in
/// "seconds", as readers are given them.
enum class Count : std::uint8_t {
  kReadFaults,
  kWriteFaults,
  kFetched,  // pages, by faults
  kPrefetched,
  kExpected,    // pages, as an interval began that wants them
  kRefreshed,   // pages, by acquires
  kPushed,      // of these: had been sent before they were asked for
  kMoved,       // pages that came here as their home was mapped so
  kMigrations,  // pages that are at home here since only this PE has written them for some time
  kTwins,
  kWarmed,  // pages that were made writable as an interval began that writes them
  kSent,    // pages whose changes went home
  kSentBytes,
  kAnnounced,  // runs of pages
  kDropped,
  kEvicted,
  kClaimed,  // pages that are at home here since they were touched
  kClosed,   // how often all access was taken away, as there were too many mappings
  kLocks,    // taken
  kLocksWaitedFor,
  kBarriers,
  kFaultTime,  // in faults
  kOrderTime,  // in releases and acquires of pages
  kLockTime,   // for locks that another one had
  kBarrierTime,
};
inline constexpr std::array kCountNames = {
    "read_faults",   "write_faults",  "fetched",      "prefetched",     "expected", "refreshed",    "pushed",
    "moved",         "migrations",    "twins",        "warmed",         "sent",     "sent_bytes",   "announced",
    "dropped",       "evicted",       "claimed",      "closed",         "locks",    "locks_waited", "barriers",
    "fault_seconds", "order_seconds", "lock_seconds", "barrier_seconds"};
inline constexpr std::size_t kCounts = kCountNames.size();
inline constexpr std::size_t kFirstTime = static_cast<std::size_t>(Count::kFaultTime);
static_assert(kCounts == static_cast<std::size_t>(Count::kBarrierTime) + 1);

/// Of this PE and one other: pages that came from there, and those whose changes went there.
struct Peer {
  std::atomic<std::uint64_t> fetched;
  std::atomic<std::uint64_t> sent;
  std::atomic<std::uint64_t> sent_bytes;
};

/// Of one piece of the range: pages of it that came here, and those whose changes went home.
struct Cell {
  std::atomic<std::uint32_t> fetched;
  std::atomic<std::uint32_t> sent;
};
inline constexpr std::uint32_t kMostCells = 1U << 18;

/// Pages of the range that the program uses at another address (windows.hpp).
struct RecordedWindow {
  std::uint64_t at;
  std::uint64_t bytes;
  std::uint64_t offset;
};
inline constexpr int kMostRecordedWindows = 16;

/// A block of a page or more that was given to the program, for as long as no other one lies there.
struct RecordedBlock {
  std::uint64_t offset;
  std::uint64_t bytes;  // 0: none
  // What the call that asked for it returns to, as that was linked; 0: not known, or no code of the program.
  std::uint64_t site;
};
inline constexpr int kMostRecordedBlocks = 512;

struct Record {
  static constexpr std::uint64_t kMagic = 0x3147415054464557;  // "WEFTPAG1", little endian
  /// Changed whenever anything here changes.
  static constexpr std::uint32_t kLayout = 4;
  static constexpr const char* kFile = "pages.%d.weft";
  /// Whose program it is.
  static constexpr std::uint32_t kOfSharedPages = 0;
  static constexpr std::uint32_t kOfOpenMp = 1;

  std::uint64_t magic;
  std::uint32_t layout;
  std::uint32_t n_counts;  // kCounts
  std::int32_t pe;
  std::int32_t n_pes;
  std::int32_t pid;
  std::uint32_t by_pages;  // 0: all PEs have one memory
  std::uint32_t whose;
  std::uint32_t page_bytes;
  std::uint32_t n_cells;
  std::uint32_t pages_of_cell;
  std::uint64_t base;  // where the range begins
  std::uint64_t bias;  // what was added to the addresses that the program was linked for
  std::uint64_t began;
  std::atomic<std::uint64_t> latest;
  std::atomic<std::uint64_t> ended;  // 0: it has not come to its end
  std::uint64_t started_at;          // seconds since 1970
  std::atomic<std::uint32_t> n_windows;
  std::uint32_t n_blocks;  // where there are more, the smallest are left out
  RecordedWindow windows[kMostRecordedWindows];
  char host[64];
  char program[512];
  std::atomic<std::uint64_t> counts[kCounts];
  RecordedBlock blocks[kMostRecordedBlocks];
};

inline Peer* peers_of(Record* record) { return reinterpret_cast<Peer*>(record + 1); }
inline const Peer* peers_of(const Record* record) { return reinterpret_cast<const Peer*>(record + 1); }
inline Cell* cells_of(Record* record) { return reinterpret_cast<Cell*>(peers_of(record) + record->n_pes); }
inline const Cell* cells_of(const Record* record) {
  return reinterpret_cast<const Cell*>(peers_of(record) + record->n_pes);
}
constexpr std::uint64_t record_bytes(int n_pes, std::uint32_t n_cells) {
  return sizeof(Record) + static_cast<std::uint64_t>(n_pes) * sizeof(Peer) + std::uint64_t{n_cells} * sizeof(Cell);
}

static_assert(std::is_standard_layout_v<Record> && sizeof(Record) % 8 == 0 && sizeof(Peer) == 24 && sizeof(Cell) == 8);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace weft::dsm
