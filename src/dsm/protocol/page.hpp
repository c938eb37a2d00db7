// One page of shared memory as one PE has it: its state, and what becomes of it. No system calls, no threads, no clock:
// who uses this carries out what it says, in the order that is written here, and the tests go through all orders in
// which PEs may do so.
//
// Each page has a home: the PE that first wrote it. Others have copies. What a PE wrote goes home when it releases: of
// a copy the bytes that differ from its twin, which is how the copy was before. Then it is announced: others that have
// copies, and acquire later, drop or refresh theirs. The home's own writes are announced as well, if somebody has
// fetched the page; so fetching leaves a mark at the home, made before the contents are read.
//
//   the home's page        may be   others
//   kShut                  -        have fetched it or not: `shared`
//   kOpen                  written  have not fetched it since the last release: writes go unnoticed
//   kWatched               read     have copies, which are as it is
//   kCompared              written  have copies; the twin tells at the next release whether it has changed
//   kBelieved              written  have copies; it is taken to change until the next release, and has no twin
//
//   another one's page     may be
//   kAway                  -
//   kCopy                  read     as it was at home
//   kWritten               written  the twin tells what was written here
//
// A copy that only this PE writes becomes the page at home, if the home's program may not write it just then
// (place.hpp). Who was home has a copy from then on, and hears of it when he comes to the page, or when it is
// announced.
#pragma once

#include <cstdint>
#include <type_traits>

#include "dsm/protocol/place.hpp"

namespace weft::dsm::protocol {

enum class State : std::uint8_t { kAway, kCopy, kWritten, kShut, kOpen, kWatched, kCompared, kBelieved };
enum class Access : std::uint8_t { kNone, kRead, kWrite };

constexpr Access access_of(State state) noexcept {
  switch (state) {
    case State::kAway:
    case State::kShut: return Access::kNone;
    case State::kCopy:
    case State::kWatched: return Access::kRead;
    case State::kWritten:
    case State::kOpen:
    case State::kCompared:
    case State::kBelieved: break;
  }
  return Access::kWrite;
}
constexpr bool has_twin(State state) noexcept { return state == State::kWritten || state == State::kCompared; }
constexpr bool is_copy(State state) noexcept { return state == State::kCopy || state == State::kWritten; }
constexpr bool is_home(State state) noexcept { return state >= State::kShut; }

// A page that stays writable costs a comparison for each release, one that is protected a fault when it is written
// again: ten to eighty times as much.
inline constexpr std::uint8_t kIdleReleases = 8;
// Where it becomes writable without one when its interval comes (habits.hpp).
inline constexpr std::uint8_t kIdleReleasesByHabit = 2;
// A page that changed in so many releases, and that nobody wanted, is open again.
inline constexpr std::uint8_t kAloneReleases = 3;
// A copy that was missed when it had been dropped is refreshed from then on; after so many times, and twice as many
// each time that it is missed again, it is dropped to see whether anybody still wants it.
inline constexpr std::uint16_t kRefreshes = 16;
inline constexpr std::uint8_t kMostDoublings = 6;

// A page that changed in so many releases of a PE, and that nobody else has announced meanwhile, becomes at home there;
// each further time that it comes to this PE, after twice as many.
inline constexpr std::uint8_t kSoleReleases = 2;
inline constexpr std::uint8_t kMostDoublingsOfSole = 6;

/// What becomes of copies that others have announced: as habits tell, never kept, always kept, kept if they were missed
/// in any interval. It changes what things cost, and is each PE's own to choose for each page.
enum class Renewal : std::uint8_t { kAsForAll, kLearned, kInvalidate, kUpdate, kMissed };
/// What is known of a page in the interval that begins (habits.hpp); nothing: then kLearned is as kMissed.
enum class Habit : std::uint8_t { kUnknown, kReads, kElsewhere };

struct Page {
  State state = State::kAway;
  std::uint8_t idle = 0;   // releases running in which it had not changed
  std::uint8_t alone = 0;  // releases in which it had, since somebody fetched it
  bool shared = false;     // kShut: others may have copies
  bool fetched = false;    // kCompared, kBelieved: since the last release
  bool dropped = false;    // kAway: it was a copy that was announced
  bool missed = false;     // a dropped copy was wanted again
  std::uint8_t doublings = 0;
  std::uint16_t refreshes = 0;
  bool listed = false;  // among those with twins, for who keeps a list
  bool pinned = false;  // kOpen, and stays so: announced whenever somebody has fetched it
  Renewal renewal = Renewal::kAsForAll;
  bool kept = false;       // there is memory for a copy, for who counts it
  std::uint8_t sole = 0;   // a copy: releases in which it had changed, and nobody else has announced it
  std::uint8_t moves = 0;  // how often it has come here for that
  static constexpr std::uint8_t kNever = UINT8_MAX;
};
static_assert(sizeof(Page) <= 16 && std::is_trivially_copyable_v<Page>);

/// A thread wants more than it may. First the contents are fetched, then the twin is made, then access is given.
struct OnFault {
  bool fetch = false;
  bool twin = false;
};
constexpr OnFault on_fault(Page& page, bool write) noexcept {
  OnFault todo;
  switch (page.state) {
    case State::kAway:
      if (page.dropped) {
        page.doublings = static_cast<std::uint8_t>(page.missed && page.doublings < kMostDoublings ? page.doublings + 1
                                                                                                  : page.doublings);
        page.missed = true;
        page.dropped = false;
        page.refreshes = 0;
      }
      page.state = write ? State::kWritten : State::kCopy;
      todo = {true, write};
      break;
    case State::kCopy:
      page.state = State::kWritten;
      todo.twin = true;
      break;
    case State::kShut:
      page.state = !page.shared ? State::kOpen : write ? State::kCompared : State::kWatched;
      todo.twin = page.shared && write;
      page.alone = 0;
      page.shared = false;
      break;
    case State::kWatched:
      page.state = State::kCompared;
      todo.twin = true;
      break;
    case State::kWritten:
    case State::kOpen:
    case State::kCompared:
    case State::kBelieved: break;
  }
  if (todo.twin) {
    page.idle = 0;
    page.fetched = false;
  }
  return todo;
}

/// A release, first part: of each page at home that bears the mark. First access is taken away, if so, then the mark;
/// then it is announced. Who has fetched it before the access was taken away hears of it, and who fetches it later has
/// all that went unnoticed.
struct OnMark {
  bool protect = false;  // to kRead
  bool announce = false;
};
constexpr OnMark on_mark(Page& page) noexcept {
  switch (page.state) {
    case State::kOpen:
      if (page.pinned) {
        return {false, true};
      }
      page.state = State::kWatched;
      return {true, true};
    case State::kShut: page.shared = true; return {};
    case State::kWatched: page.alone = 0; return {};
    // What changed and changed back has been seen in between.
    case State::kCompared: page.fetched = true; return {};
    case State::kBelieved:
      page.fetched = true;
      page.alone = 0;
      return {};
    default: return {};
  }
}

/// A release, second part: of each page that has a twin. It loses it if it was not written for long: then access is
/// taken away before it is compared, so that nothing is written behind that.
constexpr bool cools(const Page& page, std::uint8_t idle = kIdleReleases) noexcept { return page.idle >= idle; }

/// Behind the comparison. A copy's changes go home before anything is announced.
struct OnCompared {
  bool send = false;
  bool announce = false;
  bool drop_twin = false;
  bool take = false;  // it is to be at home here, when what changed is at home
};
constexpr bool wants_home(Page& page, bool changed) noexcept {
  if (!changed || page.moves == Page::kNever) {
    return false;
  }
  page.sole = static_cast<std::uint8_t>(page.sole < UINT8_MAX ? page.sole + 1 : page.sole);
  return page.sole >= kSoleReleases << page.moves;
}
/// `stored`: what others have stored to the page at home here since the last comparison (place.hpp). Nobody can tell
/// their changes from the program's own: then it has to write it anew from time to time, to show that it does. And
/// where it has made what they stored as it was, as who clears a word does, the twin does not tell, and their copies
/// are old.
constexpr OnCompared on_compared(Page& page, bool changed, bool cooled, std::uint16_t stored = 0) noexcept {
  OnCompared todo;
  const bool sure = changed && (stored & kChanges) == 0;
  page.idle = static_cast<std::uint8_t>(sure ? 0 : page.idle + 1);
  if (page.state == State::kWritten) {
    todo = {changed, changed, cooled, wants_home(page, changed && !cooled)};
    page.state = cooled ? State::kCopy : State::kWritten;
    return todo;
  }
  todo.announce = changed || page.fetched || stored != 0;
  page.alone = static_cast<std::uint8_t>(page.fetched ? 0 : page.alone + (changed ? 1 : 0));
  page.fetched = false;
  if (cooled) {
    page.state = State::kWatched;
  } else if (page.alone >= kAloneReleases) {
    page.state = State::kOpen;
  }
  todo.drop_twin = page.state != State::kCompared;
  return todo;
}

/// An interval begins that always writes the page, which is kWatched. A release ends it: then access is taken away, if
/// so, and only then it is announced, so that all who have fetched it before hear of it. What comes between, of the
/// heartbeat, tells those who have fetched it.
constexpr void on_believed(Page& page) noexcept {
  page.state = State::kBelieved;
  page.fetched = true;  // they have the copies for which it was watched
}
struct OnBelieved {
  bool protect = false;
  bool announce = false;
};
constexpr OnBelieved on_release_of_believed(Page& page, bool ends) noexcept {
  const bool announce = ends || page.fetched;
  page.fetched = false;
  if (!ends) {
    return {false, announce};
  }
  // Where nobody has fetched it in some of these it opens as behind comparisons.
  page.alone = static_cast<std::uint8_t>(page.alone + 1);
  page.state = page.alone >= kAloneReleases ? State::kOpen : State::kWatched;
  return {page.state == State::kWatched, announce};
}

/// An acquire: of each page that others have announced. Of one that is dropped access is taken away, then what was
/// written here goes home (and is announced). One that is refreshed and has a twin stays writable: what at home is not
/// as in the twin comes into both, and what was written here goes home with the next release.
enum class OnNotice : std::uint8_t { kNothing, kDrop, kRefresh };
constexpr Renewal renewal_of(const Page& page, Renewal of_all) noexcept {
  return page.renewal == Renewal::kAsForAll ? of_all : page.renewal;
}
constexpr OnNotice on_notice(Page& page, Renewal of_all, Habit habit = Habit::kUnknown) noexcept {
  if (!is_copy(page.state)) {
    return OnNotice::kNothing;
  }
  page.sole = 0;
  const Renewal renewal = renewal_of(page, of_all);
  if (renewal == Renewal::kUpdate || (renewal == Renewal::kLearned && habit == Habit::kReads)) {
    return OnNotice::kRefresh;
  }
  const bool by_page = renewal == Renewal::kMissed || (renewal == Renewal::kLearned && habit == Habit::kUnknown);
  if (by_page && page.missed && page.refreshes < kRefreshes << page.doublings) {
    ++page.refreshes;
    return OnNotice::kRefresh;
  }
  page.dropped = true;
  page.state = State::kAway;
  return OnNotice::kDrop;
}

/// A copy makes room for another. As behind a notice, what was written here goes home, access having been taken away,
/// and is announced.
constexpr void on_evict(Page& page) noexcept {
  page.dropped = false;  // who wants it again has not missed what others have changed
  page.state = State::kAway;
}

/// A written copy is the page at home from now on, with what the home's contents were; its twin stays. Others have
/// copies, of who was home at least.
constexpr void on_taken(Page& page) noexcept {
  page.state = State::kCompared;
  page.alone = 0;
  page.fetched = false;
  page.sole = 0;
  page.moves = static_cast<std::uint8_t>(page.moves < kMostDoublingsOfSole ? page.moves + 1 : page.moves);
}

/// Its home keeps it for good. Who is told no for another reason asks at the next change again: his home may write the
/// page for some releases more, as pages beside those that are written come with them.
constexpr void on_refused(Page& page) noexcept { page.moves = Page::kNever; }

/// The page at home was taken, which it is only while it is not written: what is here is a copy.
constexpr void on_moved(Page& page) noexcept {
  page.state = page.state == State::kWatched ? State::kCopy : State::kAway;
  page.shared = false;
  page.dropped = false;
  page.sole = 0;
}

/// All access to all pages has been taken away, all changes have gone home, and marks have been looked at.
constexpr void on_close(Page& page) noexcept {
  if (is_home(page.state)) {
    page.shared = page.shared || (page.state != State::kShut && page.state != State::kOpen);
    page.state = State::kShut;
  } else {
    page.state = State::kAway;
    page.dropped = false;
  }
}

}  // namespace weft::dsm::protocol
