// What a PE writes down while it runs: a file that it maps and counts in, so that what was counted is there however the
// PE ends. weft-profile reads it.
//
//   [Header: kHeaderBytes][thread part 0][thread part 1]...      pe.<number>.weft, one for each PE
//   [Meetings]                                                   job.weft, one for all
//
// A thread counts in a part of its own, without locks. A part is a ThreadPart and, behind it, a PeerTally for each PE
// and the events of the trace, if one was asked for. All times are ticks of the clock that the header names.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "api/kinds.hpp"

namespace weft::profile {

/// Changed whenever anything below changes.
inline constexpr std::uint32_t kLayout = 3;
inline constexpr std::uint64_t kMagic = 0x3146525054464557;  // "WEFTPRF1", little endian

/// What a routine is about. Each is a colour of the time line.
using Kind = api::Kind;
inline constexpr int kKinds = api::kKinds;

/// The first kinds of the list have another PE, and one more has a size.
inline constexpr int kPeerKinds = 4;
inline constexpr int kSizedKinds = 5;
constexpr bool has_peer(Kind kind) { return static_cast<int>(kind) < kPeerKinds; }
constexpr bool has_size(Kind kind) { return static_cast<int>(kind) < kSizedKinds; }

/// The time in such a routine is time in which this PE waits for others.
constexpr bool waits(Kind kind) { return kind >= Kind::kCollective && kind <= Kind::kSetup; }

/// Sizes are counted in classes: 0, 1, 2 to 3, 4 to 7, and so on; the last has everything larger.
inline constexpr int kSizeClasses = 40;
constexpr int size_class(std::uint64_t bytes) {
  const int bits = bytes == 0 ? 0 : 64 - __builtin_clzll(bytes);
  return bits < kSizeClasses ? bits : kSizeClasses - 1;
}

struct Moved {
  std::uint64_t count;
  std::uint64_t bytes;
};
struct Sized {
  Moved moved;
  std::uint64_t ticks;
};

/// All calls of one routine from one place of the program: one cache line. Once a thread knows kOwnSites places, the
/// calls of a routine from further ones are counted together, with the address 0.
struct alignas(64) Site {
  std::uint64_t address;  // where the call returns to
  std::uint32_t call;     // as boot::PeRecord::call has it; 0: this entry is free
  std::uint16_t kind;     // Kind
  std::uint16_t module;   // number in Header::modules; kNoModule
  std::uint64_t offset;   // of the address in the module
  std::uint64_t count;
  std::uint64_t bytes;
  std::uint64_t ticks;
  std::uint64_t shortest;
  std::uint64_t longest;
};
inline constexpr std::uint32_t kSites = 4096;
inline constexpr std::uint32_t kOwnSites = 1400;
inline constexpr std::uint16_t kNoModule = 0xffff;

/// How the time went, by kind: a bin is 2^bin_shift ticks long. A run that outlasts the bins makes each twice as long.
struct TimeLine {
  static constexpr int kBins = 1024;
  static constexpr std::uint32_t kFirstShift = 13;  // a few microseconds
  std::uint64_t origin;
  std::uint32_t shift;
  std::uint32_t reserved;
  std::uint64_t bins[kBins][kKinds];
};

/// A wait as it was, for the time line seen from near. When there are too many the shorter ones go; they stay in the
/// bins.
struct Wait {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t site;
  std::int32_t last;  // the PE that came last, where that is known; -1
};
struct Waits {
  static constexpr std::uint32_t kRoom = 4096;
  std::uint64_t shortest;  // none that is shorter is kept
  std::uint32_t count;
  std::uint32_t reserved;
  Wait list[kRoom];
};

struct Event {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bytes;
  std::uint32_t site;
  std::int32_t peer;  // -1: none
};

/// What this thread had to do with one PE.
struct PeerTally {
  Moved moved[kPeerKinds];
  std::uint64_t late_ticks;    // waited for this PE, which came last
  std::uint64_t late_count;    // meetings to which it came last; in the tally of itself: how often it was the last
  std::uint64_t sender_ticks;  // waited for a message of it that was not there yet
  std::uint64_t sender_count;
};

/// Messages that have come, by the way their data took (msg::Way) and by size. Of all threads together, as messages
/// come to whichever looks for them.
struct Came {
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> bytes;
};
inline constexpr int kWays = 5;

struct alignas(64) ThreadPart {
  std::atomic<std::uint32_t> owned;  // a thread counts here
  std::uint32_t used;                // threads that have counted here, one after another
  std::uint64_t busy_ticks;          // in Weft, all calls
  std::uint64_t wait_ticks;          // of these in routines that wait
  std::uint64_t life_ticks;          // of the threads that have ended
  std::uint64_t began;               // the one that counts now, or the last
  std::uint64_t seen;                // its latest call
  std::uint64_t inside_since;        // in a routine that waits, since then
  std::uint32_t inside_site;
  std::uint32_t n_sites;
  std::uint64_t traced;  // events so far; the last trace_room of them are kept
  Sized sizes[kSizedKinds][kSizeClasses];
  TimeLine line;
  Waits waits;
  Site sites[kSites];
};
inline constexpr std::uint32_t kNotInside = 0xffffffff;

enum class State : std::uint32_t { kRunning = 1, kFinalised = 2, kExited = 3 };

/// The same moment by the recording's clock and by CLOCK_MONOTONIC.
struct Moment {
  std::uint64_t ticks;
  std::uint64_t ns;
};

/// Front ends whose routines one recording can have (boot::Interface).
inline constexpr int kInterfaces = 4;

struct Module {
  std::uint64_t base;
  char path[248];
};
inline constexpr std::uint16_t kModules = 64;
inline constexpr std::uint32_t kMaxThreads = 64;
inline constexpr int kProcessorWords = 16;

struct Header {
  std::uint64_t magic;
  std::uint32_t layout;
  std::uint32_t interface;            // whose routines these are: the highest byte of their numbers
  std::uint32_t calls;                // routines that the library knows; their order gives the numbers
  std::uint64_t calls_hash;           // of their names
  std::uint64_t hashes[kInterfaces];  // of each interface whose calls may be here; 0: none of its are
  std::int32_t pe;
  std::int32_t n_pes;
  std::int32_t pid;
  State state;
  std::uint32_t uses_tsc;
  std::uint32_t trace_room;  // events kept of each thread
  std::uint64_t part_bytes;
  std::atomic<std::uint32_t> parts;
  std::atomic<std::uint32_t> lost_threads;  // threads that found no room
  Moment first;
  Moment latest;
  std::uint64_t end;         // ticks; 0 while it runs
  std::uint64_t started_at;  // seconds since 1970
  std::uint64_t heap_bytes;
  std::uint64_t heap_peak;
  std::uint16_t n_modules;
  std::uint16_t reserved[3];
  std::uint64_t processors[kProcessorWords];  // a bit for each that the PE may run on
  char host[64];
  char program[512];
  Module modules[kModules];
  Came came[kWays][kSizeClasses];
};
inline constexpr std::uint64_t kHeaderBytes = 24576;
static_assert(sizeof(Header) <= kHeaderBytes);

constexpr std::uint64_t part_bytes(int n_pes, std::uint32_t trace_room) {
  const std::uint64_t bytes = sizeof(ThreadPart) + static_cast<std::uint64_t>(n_pes) * sizeof(PeerTally) +
                              static_cast<std::uint64_t>(trace_room) * sizeof(Event);
  return (bytes + 4095) & ~std::uint64_t{4095};
}
inline PeerTally* peers_of(ThreadPart* part) { return reinterpret_cast<PeerTally*>(part + 1); }
inline const PeerTally* peers_of(const ThreadPart* part) { return reinterpret_cast<const PeerTally*>(part + 1); }
inline Event* events_of(ThreadPart* part, int n_pes) { return reinterpret_cast<Event*>(peers_of(part) + n_pes); }
inline const Event* events_of(const ThreadPart* part, int n_pes) {
  return reinterpret_cast<const Event*>(peers_of(part) + n_pes);
}

/// Who came last to a meeting (a barrier, or a collective that nobody can leave before all have come). All PEs of a
/// group meet in the same order, so the k-th meeting of each is the same. Each writes when it came, if nobody has come
/// later; who leaves reads the last. A word serves again kRounds meetings later: nobody can be that far ahead of a PE
/// that has not read yet, and times only grow, so a word needs no clearing.
struct Meetings {
  static constexpr int kRounds = 7;
  static constexpr int kGroups = 255;
  static constexpr int kPeBits = 12;  // of a word; the rest is the time, in 16 ticks
  struct alignas(64) Group {
    std::atomic<std::uint64_t> key;
    std::atomic<std::uint64_t> last[kRounds];
  };
  std::atomic<std::uint64_t> origin;   // times are from there
  std::uint64_t ended_ns;              // CLOCK_MONOTONIC when the job was over, by who started it; 0: not known
  std::atomic<std::uint64_t> crowded;  // meetings of groups that found no room
  Group groups[kGroups];
};

static_assert(sizeof(Site) == 64 && std::is_standard_layout_v<Site>);
static_assert(sizeof(Sized) == 24 && sizeof(Wait) == 24 && sizeof(Event) == 32 && sizeof(PeerTally) == 96);
static_assert(std::is_standard_layout_v<ThreadPart> && std::is_standard_layout_v<Header>);
static_assert(offsetof(ThreadPart, sizes) == 72 && alignof(ThreadPart) == 64 && kHeaderBytes % 4096 == 0);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr const char* kJobFile = "job.weft";
inline constexpr const char* kPeFile = "pe.%d.weft";

}  // namespace weft::profile
