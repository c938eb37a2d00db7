// What the PEs of a node share, with each other and with who started them: one control memfd, mapped by all of them.
//
//   [JobHeader][PeRecord 0]..[PeRecord n-1][PeThreads 0]..[PeThreads n-1]
//   [sync area: kSyncBytesHead + n * kSyncBytesPerPe][stations][stages][cards]
//
// n is the number of PEs of this node, and all but the cards is indexed by a PE's number on the node. In a job of one
// node that is its number in the job, and there are no cards.
//
// Stations are what the members of a team synchronise through: kStations for each PE, the PEs of one slot side by
// side, and a stage for each station. Only the pages of teams that exist are ever touched.
//
// A second memfd (the data file) holds the windows. PE p owns the slot [p * slot_bytes, (p + 1) * slot_bytes) of it:
// its symmetric heap from offset 0 of the slot, its static data from offset static_offset. Both files are sparse, so
// a slot may be far larger than memory. Behind all slots lie the areas of the PEs' own (memory/own_areas.hpp), if a
// front end wants some, with room for all that there may be. Where the heaps have reserved huge pages they lie
// in a third file of their own, heap_slot_bytes apart; else the heap file is the data file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "api/numbers.hpp"
#include "boot/threads.hpp"

namespace weft::boot {

/// Changed whenever anything below, in boot/threads.hpp, job/shared_area.hpp or group/stations.hpp changes; attach()
/// refuses another value, so a program and an oshrun of different builds say so instead of corrupting each other.
inline constexpr std::uint32_t kJobLayout = 21;
inline constexpr std::uint64_t kJobMagic = 0x31424f4a54464557;  // "WEFTJOB1", little endian

/// Largest number of PEs on one node. The job's file offsets allow far more; this bound keeps a mistyped -n from asking
/// for millions of processes.
inline constexpr int kMaxPes = 4096;

/// How far a PE has come. Written by the PE, read by the launcher.
enum class Phase : std::uint32_t {
  kStarted = 0,      // forked; the library has not seen it yet
  kAttached = 1,     // the library is loaded in it (before main)
  kInitialised = 2,  // between the first shmem_init and the last shmem_finalize
  kFinalised = 3,    // after the last finalize; a later init goes back to kInitialised
  kServing = 4,      // serves others instead of running main
  kServed = 5,       // has been told to leave, and ends
};
inline constexpr Phase kLastPhase = Phase::kServed;

/// Whose routines a number of a call is of: the highest byte of it.
using Interface = api::InterfaceNumber;
/// How many there may be in a process.
inline constexpr int kInterfaces = 8;

/// Why a thread of a PE does not go on.
enum class Waiting : std::uint32_t {
  kNot = 0,
  kInit = 1,
  kBarrier = 2,
  kFinalize = 3,
  kValue = 4,
  kLock = 5,
  kTeam = 6,
  kMessage = 7,
  kWindow = 8,
  kPages = 9,
  kLast = kPages
};

/// Whether a PE waits before main until a debugger has attached. The launcher asks, the PE answers.
enum class Hold : std::uint32_t { kNo = 0, kAsked = 1, kHeld = 2, kReleased = 3 };

/// global_exit: the first PE to change it from 0 wins. It has written the same into its own record before, by which a
/// request is told from something that was written there by mistake.
inline constexpr std::uint32_t kExitAsked = 0x100;
inline constexpr int kExitPeShift = 9;
constexpr std::uint32_t exit_request(int pe, int status) {
  return kExitAsked | (static_cast<std::uint32_t>(status) & 0xffU) | (static_cast<std::uint32_t>(pe) << kExitPeShift);
}

struct alignas(128) JobHeader {
  std::uint64_t magic;
  std::uint32_t layout;
  std::uint32_t n_pes;          // of this node
  std::uint64_t control_bytes;  // size of this file
  std::uint64_t slot_bytes;     // distance between two PEs' slots in the data file
  std::uint64_t static_offset;  // where in its slot a PE's static data begins
  std::uint64_t heap_bytes;     // symmetric heap per PE, a multiple of the page size
  std::int32_t launcher_pid;
  std::uint32_t cpus;   // processors the job may use; waiting policies follow from n_pes against this
  std::uint64_t token;  // random; names the job in messages
  std::atomic<std::uint32_t> exit_request;
  std::uint32_t pages;                    // base::HugePages the heap file was made with
  std::uint64_t heap_slot_bytes;          // distance between two PEs' heaps in the heap file
  std::atomic<std::uint32_t> stack_told;  // 1: a PE that crashed shows its stack; 2: it has done so
  // Of the whole job; n_pes, 1 and 0 in a job of one node.
  std::uint32_t job_pes;
  std::uint32_t n_nodes;
  std::uint32_t node;  // this one's number
  // How many PEs of this node have filled in their cards in this round (each shmem_init after a shmem_finalize is one
  // more), in all rounds together; and in how many rounds the cards of all PEs of the job are here. The second is a
  // futex.
  std::atomic<std::uint32_t> cards_filled;
  std::atomic<std::uint32_t> cards_here;
  std::uint64_t key[2];                  // random, the same on all nodes and known to nobody else
  std::atomic<std::uint64_t> own_bytes;  // of each PE's own area, as the first PE of the node has it that wants one
};

/// What every PE of a job of several nodes has to know of each other one. A node keeps one table of them for all its
/// PEs. Who makes the file writes node and local; the rest is the PE's own.
struct alignas(64) PeerCard {
  static constexpr std::size_t kMostAddress = 54;
  static constexpr std::size_t kHostRoom = 16;
  // What keys and bases are of.
  static constexpr int kHeap = 0;
  static constexpr int kStatics = 1;
  static constexpr int kOwn = 2;
  static constexpr int kRegions = 3;
  std::uint32_t node;
  std::uint32_t local;         // number on its node
  std::uint64_t program;       // as PeRecord::program
  std::uint64_t static_bytes;  // as PeRecord::static_bytes
  // By which the network reaches its heap, its static data and its own area, 0 for what it does not; and their
  // addresses there, where the network wants addresses.
  std::uint64_t keys[kRegions];
  std::uint64_t bases[kRegions];
  std::uint8_t network;  // transport::Leaf: all PEs have to use the same
  std::uint8_t address_bytes;
  std::uint8_t address[kMostAddress];  // as that network gives it
  char host[kHostRoom];                // as far as it fits, for messages
};
static_assert(sizeof(PeerCard) == 192 && std::is_standard_layout_v<PeerCard>);

/// Threads of a PE whose waits are described at a time. Others wait as well, unseen.
inline constexpr int kWaits = 4;
/// Locks of which it is known who holds them, for each PE.
inline constexpr int kHeldLocks = 7;
/// And locks of windows.
inline constexpr int kHeldOfWindows = 8;
/// WaitRecord::slot of an active set, which has no stations.
inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

/// A symmetric object, the same number on all PEs: its distance from the beginning of the heap or, with the highest
/// bit, of the static data; 0 for none, so 1 is added.
///
/// With the bit below that it is one object in the memory that all PEs share by pages, and the distance is from the
/// beginning of that.
using Place = std::uint64_t;
inline constexpr Place kInStatics = Place{1} << 63;
inline constexpr Place kInShared = Place{1} << 62;
constexpr std::uint64_t offset_of(Place place) { return (place & ~(kInStatics | kInShared)) - 1; }

/// Ranges of a wait's missing elements that are told; there may be more.
inline constexpr int kMissing = 7;
/// Instead of a number of ranges: bits, so many.
inline constexpr std::uint32_t kByBits = UINT32_MAX;
inline constexpr int kMemberBits = kMissing * 64;

/// What one thread of a PE waits for. Written when the wait has outlasted its spinning, so it costs nothing on fast
/// paths. Atomic and relaxed but for `why`: the launcher may look at any time, and only tells people what it saw.
struct alignas(64) WaitRecord {
  std::atomic<std::uint32_t> why;    // Waiting; taken by compare-and-swap from kNot
  std::atomic<std::uint32_t> call;   // as PeRecord::call
  std::atomic<std::uint64_t> site;   // what the call returns to in the program
  std::atomic<std::uint64_t> since;  // CLOCK_MONOTONIC ns; 0 while the rest is being written
  // kValue, kLock
  std::atomic<Place> object;
  // kValue: elements waited for, from `object` on. Collectives: bytes of the call, where all members give the same.
  std::atomic<std::uint64_t> elements;
  std::atomic<std::uint64_t> wanted;  // kValue; kLock: the ticket that it waits for, where `type` is not 0
  // kValue: SHMEM_CMP_...; kMessage: the bits below; kPages: PagesFor.
  std::atomic<std::uint32_t> compare;
  // kValue: bytes, and kSigned; kLock: bytes of its word; kMessage: Awaits; kWindow: OfWindow; kPages: OfPages
  std::atomic<std::uint32_t> type;
  // Collectives: the members, the number of the call among those of the team, and the root if there is one. kMessage:
  // `number` changes as its data moves.
  std::atomic<std::int32_t> start;
  std::atomic<std::int32_t> stride;
  std::atomic<std::int32_t> size;
  std::atomic<std::uint32_t> slot;
  std::atomic<std::uint64_t> number;
  std::atomic<std::int32_t> root;  // -1: none; kMessage, kWindow, kPages: the other PE, -1: any
  // How often the thread has found that it has to wait on: who reads it twice knows whether the thread has looked
  // meanwhile, or only had no processor to see that its wait is over.
  std::atomic<std::uint32_t> looks;
  // The block of the heap that `object` lies in, 0 for none, and the call that gave it.
  std::atomic<Place> block;
  std::atomic<std::uint64_t> block_bytes;
  std::atomic<std::uint64_t> block_site;
  std::atomic<std::uint32_t> block_call;
  // kMessage: `index` is the tag, negative for any, and `wanted` the context; `elements` is of how many requests it is
  // one (Awaits::kOneOf), and `given` how many bytes the other PE keeps that nobody has received (kNoRoom). From
  // `block` on there are kLabelWords with what people call the context, and in `missing` some of the messages that have
  // come from those who are waited for, and that nobody has received: the PE and perhaps kElsewhere, and the tag.
  // kWindow: `index` is the PE whose part it is about, `root` the one that is needed, and `given` how many others have
  // the lock shared. Of a lock, `wanted` is the window's number, as in HeldOfWindow, `start` the rank there of that PE,
  // and `number` the place in the lock's queue and one more, 0 where it is not known. From `block` on there is what
  // people call the window. kPages: `given` is the address in the program, 0 for none, `root` the PE that is asked, and
  // `start` the kernel's number of the thread.
  // kLock, where that lies in shared memory: `given` is its address, and `root` the PE whose part it lies in. kValue,
  // of an array: how many elements the program gave, which one of them is `object`, and which of those that count were
  // not yet as wanted when the thread last looked: first and last of each range. Collectives whose members are not
  // evenly spaced, which `stride` 0 says: ranges of PEs that are members, ascending; or, where there are more of those
  // (kByBits), a bit for each PE from `given` on, in 64 bits each.
  std::atomic<std::uint32_t> n_missing;
  std::atomic<std::uint64_t> given;
  std::atomic<std::uint64_t> index;
  struct Range {
    std::atomic<std::uint32_t> first;
    std::atomic<std::uint32_t> last;
  } missing[kMissing];
};
inline constexpr std::uint32_t kSigned = 0x100;
/// WaitRecord::compare of kMessage: it is sent, else it is to come; who waits knows that its data is on its way; its
/// sender keeps it, as the other PE has as much as it may that nobody has received.
inline constexpr std::uint32_t kToBeTaken = 1;
inline constexpr std::uint32_t kUnderWay = 2;
inline constexpr std::uint32_t kNoRoom = 4;
/// WaitRecord::type of kMessage: what is to come before the wait ends.
enum class Awaits : std::uint32_t { kMessage = 0, kOneOf = 1, kProgram = 2, kLast = kProgram };
/// WaitRecord::type of kWindow: a lock of the part to look at it or to change it, of its elements, or what the other PE
/// is to do.
enum class OfWindow : std::uint32_t {
  kShared = 0,
  kExclusive = 1,
  kElements = 2,
  kPost = 3,
  kCompletion = 4,
  kLast = kCompletion
};
/// WaitRecord::type of kPages: the contents of a page, which PE is home of it, changes on their way to the home, word
/// of what has changed on its way to others, an atomic operation at the home of its word, what the book of blocks says.
enum class OfPages : std::uint32_t {
  kContents = 0,
  kHome = 1,
  kChanges = 2,
  kNotices = 3,
  kWord = 4,
  kBook = 5,
  kLast = kBook
};
/// And WaitRecord::compare: what needs it. A call; a load or store of the program, whose instruction `site` is; what
/// goes on beside the program.
enum class PagesFor : std::uint32_t { kCall = 0, kAccess = 1, kBeside = 2, kLast = kBeside };
/// Of a message that has come: it is of another context than the one that is waited for.
inline constexpr std::uint32_t kElsewhere = std::uint32_t{1} << 31;
inline constexpr int kLabelWords = 3;
inline constexpr std::size_t kLabelBytes = kLabelWords * 8;

/// Locks of a window that a PE holds: of all members from one rank on to another. For people, and so read as
/// WaitRecord is; who reads a number twice knows that the rest belongs to it.
struct HeldOfWindow {
  static constexpr std::uint32_t kAll = UINT32_MAX;
  std::atomic<std::uint64_t> window;  // its number, the same for all members and never that of another one; 0: none
  std::atomic<std::uint32_t> first;   // ranks in the window
  std::atomic<std::uint32_t> last;
  std::atomic<std::uint32_t> pe;                  // of the only one; kAll: they are several
  std::atomic<std::uint32_t> exclusive;           // 0: shared
  std::atomic<std::uint64_t> label[kLabelWords];  // what people call the window
};
static_assert(sizeof(HeldOfWindow) == 48 && std::is_standard_layout_v<HeldOfWindow>);

/// What a PE shows of itself to those who do not believe all that is written here (presence.hpp).
struct alignas(128) Presence {
  static constexpr std::size_t kLockBytes = 64;
  std::byte lock[kLockBytes];
  std::atomic<std::uint32_t> exit_asked;  // as JobHeader::exit_request, if this PE has asked
  // Not written here, but into what an agent tells of this record: its process is stopped.
  std::atomic<std::uint32_t> stopped;
};

struct alignas(128) PeRecord {
  std::atomic<std::int32_t> pid;            // claimed by compare-and-swap from 0: one process per PE
  std::atomic<std::uint32_t> phase;         // Phase
  std::atomic<std::uint32_t> call;          // number of the last routine entered (job::CallNumber), 0 = none
  std::atomic<std::uint32_t> collectives;   // blocking collective calls of all PEs that this one has begun
  std::atomic<std::uint64_t> site;          // what that routine returns to in the program
  std::atomic<std::uint64_t> static_bytes;  // size of its static part, 0 until attached
  std::atomic<std::uint64_t> program;       // os::program_identity(): PEs of another program have other static data
  // Addresses in this PE, for who tells people what lies there.
  std::atomic<std::uint64_t> program_base;  // what is added to the addresses that the executable was linked for
  std::atomic<std::uint64_t> program_end;
  std::atomic<std::uint64_t> static_begin;
  std::atomic<std::uint32_t> hold;      // Hold
  std::atomic<std::uint32_t> said_why;  // 1: the PE printed its own error line, the launcher need not repeat it
  // Locks held, 0 where none is. Told apart by nothing but their place: an entry that is lost when two threads write at
  // a time only makes a report say less.
  std::atomic<Place> held[kHeldLocks];
  HeldOfWindow of_windows[kHeldOfWindows];
  WaitRecord waits[kWaits];
  Presence presence;
};

static_assert(sizeof(JobHeader) == 128 && std::is_standard_layout_v<JobHeader>);
static_assert(offsetof(JobHeader, slot_bytes) == 24 && offsetof(JobHeader, launcher_pid) == 48);
static_assert(offsetof(JobHeader, exit_request) == 64 && offsetof(JobHeader, own_bytes) == 120);
static_assert(sizeof(WaitRecord) == 192 && std::is_standard_layout_v<WaitRecord>);
static_assert(sizeof(PeRecord) ==
                  128 + kHeldOfWindows * sizeof(HeldOfWindow) + kWaits * sizeof(WaitRecord) + sizeof(Presence) &&
              std::is_standard_layout_v<PeRecord>);
static_assert(offsetof(PeRecord, site) == 16 && offsetof(PeRecord, held) == 72);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

/// Room the structures of job/shared_area.hpp and group/stations.hpp may use; they assert that they fit.
inline constexpr std::size_t kSyncBytesHead = 4096;
inline constexpr std::size_t kSyncBytesPerPe = 512;
inline constexpr std::size_t kStationBytes = 4096;
/// Beside each station, for what the members of its team pass through memory that all of the node see.
inline constexpr std::size_t kStageBytes = 16384;

/// Teams of a PE that may have a station at the same time, the predefined ones included.
inline constexpr int kTeamSlots = 1024;
/// More stations of each PE, for teams that found none of those free: they have one for a call.
inline constexpr int kSpareSlots = 16;
/// And those for non-blocking calls of such teams: so many may be under way at a time. More wait until one of them is
/// complete, so a program in which none can be before they begin hangs.
inline constexpr int kPendingSlots = 112;
inline constexpr int kStations = kTeamSlots + kSpareSlots + kPendingSlots;

/// What people are told from.
constexpr std::size_t records_bytes(int n_pes) {
  return sizeof(JobHeader) + static_cast<std::size_t>(n_pes) * (sizeof(PeRecord) + sizeof(PeThreads));
}
constexpr std::size_t stations_offset(int n_pes) {
  const std::size_t bytes = records_bytes(n_pes) + kSyncBytesHead + static_cast<std::size_t>(n_pes) * kSyncBytesPerPe;
  return (bytes + 4095) & ~std::size_t{4095};
}
constexpr std::size_t stages_offset(int n_pes) {
  return stations_offset(n_pes) + static_cast<std::size_t>(n_pes) * kStations * kStationBytes;
}
constexpr std::size_t cards_offset(int n_pes) {
  return stages_offset(n_pes) + static_cast<std::size_t>(n_pes) * kStations * kStageBytes;
}
/// job_pes: 0 for a job of one node.
constexpr std::size_t control_bytes(int n_pes, int job_pes = 0) {
  const std::size_t bytes = cards_offset(n_pes) + static_cast<std::size_t>(job_pes) * sizeof(PeerCard);
  return (bytes + 4095) & ~std::size_t{4095};
}

inline PeRecord* pe_record(JobHeader* job, int pe) { return reinterpret_cast<PeRecord*>(job + 1) + pe; }
inline PeThreads* pe_threads(JobHeader* job, int pe) {
  return reinterpret_cast<PeThreads*>(pe_record(job, static_cast<int>(job->n_pes))) + pe;
}
inline std::byte* sync_area(JobHeader* job) {
  return reinterpret_cast<std::byte*>(pe_threads(job, static_cast<int>(job->n_pes)));
}
inline std::byte* station_bytes(JobHeader* job, int slot, int pe) {
  const std::size_t n = job->n_pes;
  return reinterpret_cast<std::byte*>(job) + stations_offset(static_cast<int>(n)) +
         (static_cast<std::size_t>(slot) * n + static_cast<std::size_t>(pe)) * kStationBytes;
}

inline std::byte* stage_bytes(JobHeader* job, int slot, int pe) {
  const std::size_t n = job->n_pes;
  return reinterpret_cast<std::byte*>(job) + stages_offset(static_cast<int>(n)) +
         (static_cast<std::size_t>(slot) * n + static_cast<std::size_t>(pe)) * kStageBytes;
}

/// Only in a job of several nodes.
inline PeerCard* peer_card(JobHeader* job, int pe) {
  return reinterpret_cast<PeerCard*>(reinterpret_cast<std::byte*>(job) + cards_offset(static_cast<int>(job->n_pes))) +
         pe;
}

/// The environment through which a PE finds its job. Value of kJobVariable:
///   "<layout>:<launcher pid>:<control fd>:<inode>:<data fd>:<inode>:<heap fd>:<inode>"
/// The descriptors are inherited. Where something between launcher and PE has closed them (Python's subprocess
/// does), the PE opens /proc/<launcher pid>/fd/<fd> instead, and either way checks the inode.
inline constexpr const char* kJobVariable = "WEFT_JOB";
inline constexpr const char* kPeVariable = "WEFT_PE";      // this PE's number; for scripts too
inline constexpr const char* kNPesVariable = "WEFT_NPES";  // for scripts; the library reads the header

}  // namespace weft::boot
