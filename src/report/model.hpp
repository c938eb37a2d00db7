// A profile: what all PEs of a job wrote down, put together. Seconds everywhere; times count from the job's begin.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dsm/record.hpp"
#include "profile/recording.hpp"
#include "profile/window_record.hpp"

namespace weft::report {

using profile::Kind;
using profile::kKinds;

inline constexpr std::array<const char*, kKinds> kKindNames = {
    "put", "get", "atomic", "send", "collective", "barrier", "wait", "lock", "setup", "order", "query"};
/// How messages come, as msg::Way has them.
inline constexpr std::array<const char*, profile::kWays> kWayNames = {"box", "queue", "one copy", "two copies",
                                                                      "network"};
constexpr std::size_t index_of(Kind kind) { return static_cast<std::size_t>(kind); }

struct Tally {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double shortest = 0;  // of one call
  double longest = 0;

  void add(const Tally& other);
};

enum class End : std::uint8_t { kFinalised, kExited, kKilled };

struct Pe {
  int pid = 0;
  End end = End::kKilled;
  double begin = 0;
  double life = 0;  // of its threads together; so are the next two
  double busy = 0;  // in Weft
  double waiting = 0;
  int threads = 0;
  std::array<double, kKinds> seconds{};  // by kind
  std::uint64_t heap_peak = 0;
  std::uint64_t heap_bytes = 0;
  int inside_site = -1;  // it was in there when it was killed
  double inside_seconds = 0;

  double elsewhere() const { return life > busy ? life - busy : 0; }
};

struct Routine {
  std::string name;
  Kind kind = Kind::kQuery;
  Tally all{};
  std::vector<std::uint64_t> counts;  // of each PE
  std::vector<double> seconds;
};

struct Place {
  std::string routine{};
  Kind kind = Kind::kQuery;
  std::string module{};  // path; empty: the calls from many places together
  std::uint64_t offset = 0;
  std::string where{};  // "solve at heat.c:88", or "heat+0x1234"
  Tally all{};
  int pes = 0;      // how many PEs came here
  int slowest = 0;  // the PE that spent most time here, and how much
  double slowest_seconds = 0;
};

struct SizeClass {
  std::uint64_t from = 0;
  std::uint64_t to = 0;  // both included
  Tally all{};
};

struct Pair {
  int from = 0;
  int to = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

struct Late {
  int waiting = 0;
  int last = 0;
  std::uint64_t count = 0;
  double seconds = 0;
};

struct Wait {
  int pe = 0;
  double begin = 0;
  double seconds = 0;
  int place = 0;
  int last = -1;  // the PE that came last
};

/// Shares of each bin of the time line that a PE spent in each kind, in thousandths.
struct Lane {
  std::array<std::vector<int>, kKinds> shares;
};

struct Event {
  int pe = 0;
  int thread = 0;
  double begin = 0;
  double seconds = 0;
  int place = 0;
  std::uint64_t bytes = 0;
  int peer = -1;
};

/// What one PE had to do for memory that it shares with others by loads and stores (room dsm).
struct PagesOfPe {
  bool known = false;     // it has recorded some
  bool by_pages = false;  // it has copies of pages; else all PEs have one memory
  bool ended = false;     // it has come to its end
  int pid = 0;
  double seconds = 0;  // that there was such memory
  std::array<std::uint64_t, dsm::kFirstTime> counts{};
  std::array<double, dsm::kCounts - dsm::kFirstTime> times{};
  std::uint64_t came = 0;  // pages, for whatever reason

  std::uint64_t count(dsm::Count what) const { return counts[static_cast<std::size_t>(what)]; }
  double time(dsm::Count what) const { return times[static_cast<std::size_t>(what) - dsm::kFirstTime]; }
  double waited() const;
};

/// Pages that follow each other and that moved; or all that did of one variable of the program, or of the blocks that
/// it got at one place.
struct MovedPages {
  std::string name{};         // of the variable, or that place; "": not known
  std::uint64_t address = 0;  // of the first one, or of its block
  std::uint64_t bytes = 0;
  std::uint64_t fetched = 0;  // pages, of all PEs together
  std::uint64_t sent = 0;
  int most = 0;  // the PE that fetched most of them, and how many
  std::uint64_t most_fetched = 0;
};

struct SharedPages {
  bool of_openmp = false;
  std::uint64_t page_bytes = 0;
  std::vector<PagesOfPe> pes;     // none: the program shared no memory
  std::vector<Pair> fetched;      // from: who has fetched pages; to: their home. Most pages first
  std::vector<Pair> sent;         // the same: pages whose changes went home
  std::vector<MovedPages> moved;  // what moved most before all

  bool any() const { return !pes.empty(); }
  bool by_pages() const;
};

/// What moved, and what was waited for.
struct Counted {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};
struct Waited {
  std::uint64_t count = 0;
  double seconds = 0;
};

/// What one member of a window had to do with one.
struct WindowPair {
  int from = 0;
  int to = 0;
  std::array<Counted, profile::kWindowMoves> moved{};
  std::array<Waited, profile::kPeerWaits> waited{};
};

/// What one waited for that is of no single member.
struct WindowWaits {
  int pe = 0;
  std::array<Waited, profile::kWindowWaits> waited{};
};

/// A window of MPI, with all its members.
struct Window {
  std::string name{};  // the program's; "": it has none
  int number = 0;      // from 1 on, as they were made
  std::string made_by{};
  int place = -1;          // where that was called
  bool is_others = false;  // all that there was no room for, together
  int members = 0;
  std::uint64_t bytes = 0;  // of all parts
  std::vector<WindowPair> pairs{};
  std::vector<WindowWaits> of_all{};

  Counted moved(std::size_t what) const;
  Waited waited(std::size_t what) const;
  std::uint64_t bytes_moved() const;
  double seconds_waited() const;
};

struct Profile {
  std::string program;
  std::string host;
  std::uint32_t interface = 0;   // whose routines these are (calls/calls.hpp)
  std::uint64_t started_at = 0;  // seconds since 1970
  double seconds = 0;            // from the first begin to the last end
  bool uses_tsc = false;
  int processors = 0;  // that its PEs may run on, together
  std::uint64_t lost_threads = 0;
  std::vector<Pe> pes;
  std::vector<Routine> routines;  // most time first
  std::vector<Place> places;      // the same
  std::array<std::vector<SizeClass>, profile::kSizedKinds> sizes;
  std::array<std::vector<Pair>, profile::kPeerKinds> pairs;  // most bytes first
  std::array<std::vector<SizeClass>, profile::kWays> ways;   // of messages that came
  std::vector<Late> late;                                    // most seconds first
  std::vector<Late> senders;                                 // the same: of receives, and who sent too late
  std::vector<std::uint64_t> meetings;                       // of each PE
  std::vector<std::uint64_t> times_last;
  double bin_seconds = 0;
  std::vector<Lane> lanes;
  std::vector<Wait> waits;
  std::vector<Event> events;
  SharedPages shared;
  std::vector<Window> windows;  // most seconds first

  int n_pes() const { return static_cast<int>(pes.size()); }
  double life() const;
  double busy() const;
  double waiting() const;
  Tally of(Kind kind) const;  // all calls of the kind
  bool has_calls() const;     // else nobody has recorded any
};

}  // namespace weft::report
