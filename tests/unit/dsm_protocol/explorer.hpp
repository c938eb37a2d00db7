// All orders in which PEs may act on pages of two bytes (explore_test.cpp): what a PE does is a list of steps that the
// others see one by one, in the order in which dsm/pages.cpp makes them. Each fault is a step that somebody could have
// got wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "dsm/protocol/page.hpp"
#include "dsm/protocol/place.hpp"
#include "explored.hpp"

namespace weft::dsm::protocol {

class Explorer {
 public:
  Explorer(const std::vector<Program>& programs, Fault fault) : programs_(programs), fault_(fault) {}

  // Empty: all is well.
  std::string explore(const All& begin) {
    visit(begin);
    return found_;
  }
  std::size_t states() const { return known_.size(); }
  std::size_t moves() const { return moves_; }
  std::size_t merges() const { return merges_; }
  std::size_t besides() const { return besides_; }

 private:
  void visit(const All& state) {
    if (!found_.empty() || !known_.insert(std::string(reinterpret_cast<const char*>(&state), sizeof state)).second) {
      return;
    }
    bool anybody = false;
    bool all_done = true;
    for (std::size_t pe = 0; pe < programs_.size(); ++pe) {
      const PeState& here = state.pe[pe];
      all_done = all_done && here.op == programs_[pe].size();
      if (here.op == programs_[pe].size()) {
        continue;
      }
      All beside = state;
      if (write_beside(beside, static_cast<int>(pe))) {
        way_.push_back(static_cast<char>('a' + pe));
        visit(beside);
        way_.pop_back();
      }
      All next = state;
      if (act(next, static_cast<int>(pe))) {
        anybody = true;
        way_.push_back(static_cast<char>('0' + pe));
        visit(next);
        way_.pop_back();
      }
    }
    if (!anybody && !all_done && found_.empty()) {
      found_ = "nobody goes on behind " + way_;
    }
  }

  // The PE's other thread, which nothing makes wait. False: it does not write.
  bool write_beside(All& all, int me) {
    PeState& here = all.pe[me];
    const Op& op = programs_[static_cast<std::size_t>(me)][here.op];
    if ((op.what != Do::kAcquireBeside && op.what != Do::kBeatBeside) || here.beside != 0 ||
        access_of(here.pages[op.page].state) != Access::kWrite) {
      return false;
    }
    here.beside = 1;
    here.contents[op.page].at[op.byte] = all.expected[op.page][op.byte] = ++all.next_value;
    ++besides_;
    return true;
  }

  void fail(const char* what) {
    if (found_.empty()) {
      found_ = std::string(what) + " behind " + way_;
    }
  }

  static void add_notice(PeState& here, int page) {
    here.notices[here.added++ % kMostNotices] = static_cast<std::uint8_t>(page);
  }

  // One step of the PE. False: it has to wait.
  bool act(All& all, int me) {
    PeState& here = all.pe[me];
    const Op& op = programs_[static_cast<std::size_t>(me)][here.op];
    switch (op.what) {
      case Do::kRead:
      case Do::kWrite:
      case Do::kClear: return access(all, me, op);
      case Do::kOperate: return operate(all, me, op);
      case Do::kLock:
        if (here.step == 0) {
          if (all.holder >= 0) {
            return false;
          }
          all.holder = static_cast<std::int8_t>(me);
          here.step = 1;
          return true;
        }
        return acquire(all, me);
      case Do::kAcquire:
      case Do::kAcquireBeside: return acquire(all, me);
      case Do::kBeat:
      case Do::kBeatBeside: {
        const Step step = release(all, me);
        if (step == Step::kDone) {
          done(here);
        }
        return step != Step::kWait;
      }
      case Do::kUnlock: {
        const Step step = release(all, me);
        if (step == Step::kDone) {
          all.holder = -1;
          done(here);
        }
        return step != Step::kWait;
      }
      case Do::kBarrier: return barrier(all, me);
      case Do::kEvict: return evict(all, me, op.page);
    }
    return false;
  }

  static void done(PeState& here) {
    ++here.op;
    here.step = here.page = here.stage = here.part = here.beside = 0;
    here.noted = 0;
  }

  // Who comes to a page at its home. False: that is not possible yet, or it is not there any more.
  bool enter(All& all, int me, int page) {
    PeState& here = all.pe[me];
    Place& place = all.pe[here.homes[page]].places[page];
    if (place.enter()) {
      here.at = here.homes[page];
      return true;
    }
    if (place.found() == Found::kGone) {
      here.homes[page] = static_cast<std::uint8_t>(place.to - 1);
    }
    return false;
  }
  static void leave(All& all, int me, int page) { all.pe[all.pe[me].at].places[page].leave(); }

  // He can do nothing but look again.
  static bool waits(const All& all, int me, int page) {
    return all.pe[all.pe[me].homes[page]].places[page].found() == Found::kWait;
  }

  static void notice_move(PeState& here, int page) {
    if (is_home(here.pages[page].state) && here.places[page].found() == Found::kGone) {
      on_moved(here.pages[page]);
    }
  }

  // Steps: the place and the mark, the contents byte by byte; with the last one the place is left. True: all are here.
  // `merged`: by way of memory of their own.
  bool fetch(All& all, int me, int page, bool merged = false) {
    PeState& here = all.pe[me];
    if (here.part == 0) {
      if (enter(all, me, page)) {
        all.pe[here.at].marks[page] = fault_ == Fault::kNoMarks || fault_ == Fault::kMarkBehindCopy ? 0 : 1;
        here.part = 1;
      }
      return false;
    }
    const int byte = here.part - 1;
    PeState& home = all.pe[here.at];
    if (merged) {
      here.fresh.at[byte] = home.contents[page].at[byte];
    } else {
      here.contents[page].at[byte] = here.twins[page].at[byte] = home.contents[page].at[byte];
    }
    if (++here.part <= kBytes) {
      return false;
    }
    if (fault_ == Fault::kMarkBehindCopy) {
      home.marks[page] = 1;
    }
    leave(all, me, page);
    here.part = 0;
    return true;
  }

  bool access(All& all, int me, const Op& op) {
    PeState& here = all.pe[me];
    Page& page = here.pages[op.page];
    const bool write = op.what != Do::kRead;
    const Access wanted = write ? Access::kWrite : Access::kRead;
    if (access_of(page.state) < wanted) {
      notice_move(here, op.page);
      Page next = page;
      const OnFault todo = on_fault(next, write);
      if (todo.fetch) {
        if (here.part == 0 && waits(all, me, op.page)) {
          return false;
        }
        if (!fetch(all, me, op.page)) {
          return true;
        }
      } else if (is_home(next.state) && access_of(next.state) == Access::kWrite && !here.places[op.page].heat()) {
        return false;  // it is being taken
      }
      page = next;
      if (todo.twin) {
        here.twins[op.page] = here.contents[op.page];
      }
      return true;
    }
    if (write) {
      const std::uint8_t value = op.what == Do::kClear ? std::uint8_t{0} : ++all.next_value;
      here.contents[op.page].at[op.byte] = all.expected[op.page][op.byte] = value;
    } else if (here.contents[op.page].at[op.byte] != all.expected[op.page][op.byte]) {
      fail("a read gives what is old");
    }
    done(here);
    return true;
  }

  // Once the page stays where it is. A copy of the operation's own PE has what it left there.
  bool operate(All& all, int me, const Op& op) {
    PeState& here = all.pe[me];
    PeState& home = all.pe[here.homes[op.page]];
    if (!home.places[op.page].fix()) {
      if (home.places[op.page].found() == Found::kGone) {
        here.homes[op.page] = static_cast<std::uint8_t>(home.places[op.page].to - 1);
        return true;
      }
      return false;
    }
    const std::uint8_t value = all.expected[op.page][op.byte] = ++all.next_value;
    home.contents[op.page].at[op.byte] = value;
    home.places[op.page].store_word();
    if (is_copy(here.pages[op.page].state)) {
      here.contents[op.page].at[op.byte] = here.twins[op.page].at[op.byte] = value;
    }
    add_notice(here, op.page);
    done(here);
    return true;
  }

  // Notes what is to go home, and whether it is to be at home here, for send().
  void compare(PeState& here, int page, bool cooled) {
    Page& state = here.pages[page];
    const bool at_home = state.state == State::kCompared;
    const bool changed = std::memcmp(&here.contents[page], &here.twins[page], sizeof(Bytes)) != 0 &&
                         !(at_home && fault_ == Fault::kNoTwinOfHome);
    OnCompared todo = on_compared(state, changed, cooled, here.places[page].stored);
    todo.announce = todo.announce && (fault_ != Fault::kStoredUntold || changed || here.places[page].stored == 0);
    here.places[page].see();
    for (int b = 0; todo.send && b < kBytes; ++b) {
      here.changed.at[b] = here.contents[page].at[b] != here.twins[page].at[b] || fault_ == Fault::kWholePage ? 1 : 0;
    }
    here.wanted = todo.take ? 1 : 0;
    here.twins[page] = here.contents[page];
    if (state.state == State::kWatched) {
      here.places[page].cool();
    }
    here.part = todo.send ? 1 : 0;
    if (todo.announce) {
      add_notice(here, page);
      here.published = fault_ == Fault::kAnnounceBeforeSending ? here.added : here.published;
    }
  }

  void look_at_believed(PeState& here, int page, bool beat) const {
    const OnBelieved todo = on_release_of_believed(here.pages[page], !beat);
    if (todo.protect) {
      here.places[page].cool();
    }
    if (todo.announce && fault_ != Fault::kBelievedUntold) {
      add_notice(here, page);
    }
  }

  // What goes home is what was compared, which the twin is; the page may have been written since.
  // Steps: into the page's place at its home; changes; then, where it is wanted, its place is closed, contents come,
  // and it is at home here. False: it has to wait.
  bool send(All& all, int me, int page) {
    PeState& here = all.pe[me];
    switch (here.part) {
      case 1:
        if (fault_ == Fault::kSendToWhoWasHome) {
          here.at = here.homes[page];
          ++all.pe[here.at].places[page].users;
          here.part = 2;
          return true;
        }
        if (waits(all, me, page)) {
          return false;
        }
        here.part = enter(all, me, page) ? 2 : 1;
        return true;
      case 2:
        for (int b = 0; b < kBytes; ++b) {
          if (here.changed.at[b] != 0) {
            all.pe[here.at].contents[page].at[b] = here.twins[page].at[b];
          }
        }
        here.changed = {};
        all.pe[here.at].places[page].leave_stored();
        here.part = here.wanted != 0 ? 3 : 0;
        here.wanted = 0;
        return true;
      default: return all.far != 0 ? take_from_afar(all, me, page) : take(all, me, page);
    }
  }

  bool close(Place& place) const {
    Place as_if = place;
    as_if.users = fault_ == Fault::kTakeWhileUsed ? 0 : as_if.users;
    as_if.stays = fault_ == Fault::kTakeWhileWritten ? 0 : as_if.stays;
    const bool may = as_if.close();
    place.closed = may ? 1 : place.closed;
    return may;
  }

  // Who uses it, which nobody does unless that is the mistake that is made, goes on.
  static void pass_on(Place& place, int pe) {
    const std::uint16_t users = place.users;
    place.pass_on(pe);
    place.users = users;
  }

  void have_taken(All& all, int me, int page) {
    PeState& here = all.pe[me];
    for (int b = 0; b < kBytes && fault_ != Fault::kTakeWithoutContents; ++b) {
      if (here.fresh.at[b] != here.twins[page].at[b]) {
        here.contents[page].at[b] = here.twins[page].at[b] = here.fresh.at[b];
      }
    }
    on_taken(here.pages[page]);
    here.homes[page] = static_cast<std::uint8_t>(me);
    here.places[page].open();
    ++moves_;
  }

  bool take(All& all, int me, int page) {
    PeState& here = all.pe[me];
    if (here.part == 3) {
      here.at = here.homes[page];
      here.part = close(all.pe[here.at].places[page]) ? 4 : 0;
      return true;
    }
    if (here.part < 4 + kBytes) {
      here.fresh.at[here.part - 4] = all.pe[here.at].contents[page].at[here.part - 4];
      ++here.part;
      return true;
    }
    if (here.part == 4 + kBytes) {
      have_taken(all, me, page);
      ++here.part;
      return true;
    }
    pass_on(all.pe[here.at].places[page], me);
    here.part = 0;
    return true;
  }

  // Its home does its part at once.
  bool take_from_afar(All& all, int me, int page) {
    PeState& here = all.pe[me];
    if (here.part == 3) {
      here.places[page].expect();
      here.at = here.homes[page];
      here.part = 4;
    } else if (here.part == 4) {
      PeState& home = all.pe[here.at];
      here.part = 6;
      if (close(home.places[page])) {
        here.fresh = home.contents[page];
        pass_on(home.places[page], me);
        here.part = 5;
      }
    } else {
      if (here.part == 5) {
        have_taken(all, me, page);
      } else {
        here.places[page].stay_away();
      }
      here.part = 0;
    }
    return true;
  }

  bool is_beat(int me, const PeState& here) const {
    const Do what = programs_[static_cast<std::size_t>(me)][here.op].what;
    return what == Do::kBeat || what == Do::kBeatBeside;
  }

  enum class Step : std::uint8_t { kDone, kMore, kWait };

  // Steps: marks are looked at, taken away, each page is compared and sent, notices are published.
  Step release(All& all, int me) {
    PeState& here = all.pe[me];
    if (here.step == 0) {
      for (int page = 0; page < kPages; ++page) {
        if (here.marks[page] != 0) {
          here.noted |= static_cast<std::uint8_t>(1 << page);
          if (on_mark(here.pages[page]).announce) {
            add_notice(here, page);
          }
        }
      }
      here.step = 1;
      return Step::kMore;
    }
    if (here.step == 1) {
      for (int page = 0; page < kPages; ++page) {
        if ((here.noted >> page & 1) != 0) {
          here.marks[page] = 0;
          if (here.pages[page].state == State::kWatched) {
            here.places[page].cool();
          }
        }
      }
      here.step = 2;
      return Step::kMore;
    }
    if (here.part != 0) {
      if (!send(all, me, here.step - 2)) {
        return Step::kWait;
      }
      here.step = static_cast<std::uint8_t>(here.step + (here.part == 0 ? 1 : 0));
      return Step::kMore;
    }
    for (; here.step < 2 + kPages; ++here.step) {
      const int page = here.step - 2;
      if (here.pages[page].state == State::kBelieved) {
        look_at_believed(here, page, is_beat(me, here));
        ++here.step;
        return Step::kMore;
      }
      if (!has_twin(here.pages[page].state)) {
        continue;
      }
      compare(here, page, cools(here.pages[page]));
      here.step = static_cast<std::uint8_t>(here.step + (here.part == 0 ? 1 : 0));
      return Step::kMore;
    }
    here.published = here.added;
    return Step::kDone;
  }

  // Steps: notices are read; then page by page: one that is dropped has what was written here go home and announced;
  // one that is refreshed comes again, byte by byte, and where it has a twin it is merged, byte by byte, once all have
  // come.
  bool acquire(All& all, int me) {
    PeState& here = all.pe[me];
    enum : std::uint8_t { kRead, kCompare, kSend, kFetch, kMerge };
    if (here.stage == kRead) {
      here.noted = 0;
      for (int pe = 0; pe < kPes; ++pe) {
        for (; pe != me && here.seen[pe] != all.pe[pe].published; ++here.seen[pe]) {
          here.noted |= static_cast<std::uint8_t>(1 << all.pe[pe].notices[here.seen[pe] % kMostNotices]);
        }
      }
      for (int page = 0; page < kPages; ++page) {
        if ((here.noted >> page & 1) != 0 && fault_ != Fault::kGoneUnnoticed) {
          notice_move(here, page);
        }
        if (!is_copy(here.pages[page].state)) {
          here.noted &= static_cast<std::uint8_t>(~(1 << page));
        }
      }
      here.stage = kCompare;
      return true;
    }
    while (here.page < kPages && (here.noted >> here.page & 1) == 0) {
      ++here.page;
    }
    if (here.page >= kPages) {
      return foresee(all, me);
    }
    const int page = here.page;
    if (here.stage == kCompare) {
      const bool twin = has_twin(here.pages[page].state);
      const Page before = here.pages[page];
      OnNotice what = on_notice(here.pages[page], Renewal::kLearned, here.habits[page]);
      if (fault_ == Fault::kElsewhereKept && what == OnNotice::kDrop && here.habits[page] == Habit::kElsewhere) {
        here.pages[page] = before;
        what = OnNotice::kNothing;
      }
      if (twin && what != OnNotice::kRefresh) {
        compare_as_written(here, page);
      }
      here.wanted = what == OnNotice::kRefresh ? 1 : 0;
      here.stage = kSend;
      return true;
    }
    if (here.stage == kSend) {
      const std::uint8_t again = here.wanted;
      here.wanted = 0;
      const bool went = here.part == 0 || send(all, me, page);
      here.wanted = again;
      if (here.part == 0) {
        here.published = here.added;
        here.stage = again != 0 ? kFetch : kCompare;
        here.page = static_cast<std::uint8_t>(here.page + (again != 0 ? 0 : 1));
      }
      return went;
    }
    if (here.stage == kMerge) {
      merge_one(here, page, here.part);
      if (++here.part == kBytes) {
        here.part = 0;
        here.fresh = {};
        here.stage = kCompare;
        ++here.page;
      }
      return true;
    }
    if (here.part == 0 && waits(all, me, page)) {
      return false;
    }
    const bool merged = has_twin(here.pages[page].state) && fault_ != Fault::kRefreshWhole;
    if (fetch(all, me, page, merged)) {
      here.stage = merged ? kMerge : kCompare;
      here.page = static_cast<std::uint8_t>(here.page + (merged ? 0 : 1));
    }
    return true;
  }

  // What has not changed at home since the twin was made stays what this PE's threads make of it.
  void merge_one(PeState& here, int page, int byte) {
    const std::uint8_t fresh = here.fresh.at[byte];
    const Bytes& before = fault_ == Fault::kMergeOverOwn ? here.contents[page] : here.twins[page];
    if (fresh == before.at[byte]) {
      return;
    }
    here.contents[page].at[byte] = fresh;
    if (fault_ != Fault::kTwinNotMerged) {
      here.twins[page].at[byte] = fresh;
    }
    ++merges_;
  }

  // The end of an acquire. Steps: of each page that is expected place, mark and contents; then those that are written
  // get their twins.
  bool foresee(All& all, int me) {
    PeState& here = all.pe[me];
    if (here.page == 2 * kPages) {
      done(here);
      return true;
    }
    const int page = here.page - kPages;
    Page& state = here.pages[page];
    if (state.state == State::kAway && state.dropped && here.habits[page] == Habit::kReads) {
      if (here.part == 0 && waits(all, me, page)) {
        return false;
      }
      if (fetch(all, me, page)) {
        (void)on_fault(state, false);
      }
      return true;
    }
    notice_move(here, page);
    const bool copy = state.state == State::kCopy;
    if (here.warms[page] == 2 && state.state == State::kWatched &&
        (here.places[page].heat() || fault_ == Fault::kBelievedWhileTaken)) {
      on_believed(state);
    } else if (here.warms[page] != 0 && (copy || (state.state == State::kWatched && heat(here.places[page])))) {
      (void)on_fault(state, true);
      here.twins[page] = fault_ == Fault::kWarmWithoutTwin ? Bytes{} : here.contents[page];  // memory is zero at first
    }
    ++here.page;
    return true;
  }

  bool heat(Place& place) const { return place.heat() || fault_ == Fault::kWarmWhileTaken; }

  // It is no copy of that kind any more, and does not move for that.
  void compare_as_written(PeState& here, int page) {
    const State now = here.pages[page].state;
    here.pages[page].state = State::kWritten;
    compare(here, page, false);
    here.pages[page].state = now;
    here.wanted = 0;
  }

  // Steps: access is taken away, what was written goes home, then it is announced.
  bool evict(All& all, int me, int page) {
    PeState& here = all.pe[me];
    Page& state = here.pages[page];
    if (here.step == 0) {
      here.step = 1;
      if (is_copy(state.state)) {
        if (has_twin(state.state) && fault_ != Fault::kEvictUnsent) {
          compare_as_written(here, page);
        }
        on_evict(state);
      }
      return true;
    }
    if (here.part != 0) {
      return send(all, me, page);
    }
    here.published = here.added;
    done(here);
    return true;
  }

  bool barrier(All& all, int me) {
    PeState& here = all.pe[me];
    if (here.arrived == 0) {
      const Step step = release(all, me);
      if (step == Step::kDone) {
        here.arrived = 1;
        here.step = 0;
        here.noted = 0;
      }
      return step != Step::kWait;
    }
    if (here.arrived == 1) {
      here.arrived = 2;
      bool last = true;
      for (std::size_t pe = 0; pe < programs_.size(); ++pe) {
        last = last && (all.pe[pe].arrived == 2);
      }
      if (last) {
        for (std::size_t pe = 0; pe < programs_.size(); ++pe) {
          all.pe[pe].arrived = 3;
        }
      }
      return true;
    }
    if (here.arrived == 2) {
      return false;
    }
    const std::uint8_t op = here.op;
    const bool went = acquire(all, me);
    if (here.op != op) {
      here.arrived = 0;
    }
    return went;
  }

  const std::vector<Program>& programs_;
  Fault fault_;
  std::unordered_set<std::string> known_;
  std::string found_;
  std::string way_;
  std::size_t moves_ = 0;
  std::size_t merges_ = 0;
  std::size_t besides_ = 0;
};

}  // namespace weft::dsm::protocol
