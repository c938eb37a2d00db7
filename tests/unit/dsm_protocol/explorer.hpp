// All orders in which PEs may act on pages of two bytes (explore_test.cpp): what a PE does is a list of steps that the
// others see one by one, in the order in which dsm/pages.cpp makes them. Each fault is a step that somebody could have
// got wrong. What is done with a page is in page_steps.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "dsm/protocol/page.hpp"
#include "dsm/protocol/place.hpp"
#include "page_steps.hpp"

namespace weft::dsm::protocol {

class Explorer : private PageSteps {
 public:
  using PageSteps::PageSteps;

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

  std::unordered_set<std::string> known_;
  std::size_t merges_ = 0;
  std::size_t besides_ = 0;
};

}  // namespace weft::dsm::protocol
