// What the exploration of orders goes through (explorer.hpp): programs of accesses, mistakes that somebody could have
// made, and all that PEs have.
#pragma once

#include <cstdint>
#include <vector>

#include "dsm/protocol/page.hpp"
#include "dsm/protocol/place.hpp"

namespace weft::dsm::protocol {

inline constexpr int kPes = 3;
inline constexpr int kPages = 2;  // page p begins at home at PE p
inline constexpr int kBytes = 2;
inline constexpr int kMostNotices = 12;

// kClear: a write of what was there at first; kOperate: at the home, by an atomic operation. kAcquireBeside and
// kBeatBeside: while another thread of the PE writes the byte, once, at any time, if the page is writable then.
enum class Do : std::uint8_t {
  kRead,
  kWrite,
  kClear,
  kOperate,
  kLock,
  kUnlock,
  kAcquire,
  kAcquireBeside,
  kBarrier,
  kBeat,
  kBeatBeside,
  kEvict
};
struct Op {
  Do what;
  std::uint8_t page;
  std::uint8_t byte;
};
using Program = std::vector<Op>;

enum class Fault : std::uint8_t {
  kNone,
  kMarkBehindCopy,
  kAnnounceBeforeSending,
  kNoMarks,
  kWholePage,
  kNoTwinOfHome,
  kStoredUntold,
  kEvictUnsent,
  // Of homes that move
  kTakeWhileUsed,
  kTakeWhileWritten,
  kTakeWithoutContents,
  kGoneUnnoticed,
  kSendToWhoWasHome,
  // Of habits
  kWarmWithoutTwin,
  kWarmWhileTaken,
  kElsewhereKept,
  // Of what is believed
  kBelievedUntold,
  kBelievedWhileTaken,
  // Of what is refreshed and has a twin
  kRefreshWhole,
  kTwinNotMerged,
  kMergeOverOwn
};

struct Bytes {
  std::uint8_t at[kBytes];
};

// All there is: plain bytes, so that states are compared as such.
struct PeState {
  Page pages[kPages];
  Bytes contents[kPages];
  Bytes twins[kPages];
  std::uint8_t marks[kPages];
  Place places[kPages];
  std::uint8_t homes[kPages];  // as far as it knows
  Habit habits[kPages];        // of all intervals, which is one of the things that they may be
  std::uint8_t warms[kPages];  // it writes the page in them; 2: which is believed
  std::uint8_t notices[kMostNotices];
  std::uint8_t published;
  std::uint8_t added;
  std::uint8_t seen[kPes];
  std::uint8_t op;     // of the program
  std::uint8_t step;   // within it
  std::uint8_t noted;  // pages noticed, or marked: bits
  std::uint8_t arrived;
  std::uint8_t page;    // of several, that it is at
  std::uint8_t stage;   // of an acquire
  std::uint8_t part;    // of sending or fetching a page
  std::uint8_t at;      // the home that it uses for that
  std::uint8_t wanted;  // the page is to be at home here
  Bytes changed;        // those that go home: 1
  Bytes fresh;
  std::uint8_t beside;  // the other thread has written
};
struct All {
  PeState pe[kPes];
  std::uint8_t expected[kPages][kBytes];
  std::uint8_t next_value;
  std::uint8_t far;  // pages move by questions
  std::int8_t holder;
  std::uint8_t episodes;
};

}  // namespace weft::dsm::protocol
