// What PEs do with a page, step by step: come to it at its home, fetch it, access it, send home what was written, take
// its home. The steps of explorer.hpp's moves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dsm/protocol/page.hpp"
#include "dsm/protocol/place.hpp"
#include "explored.hpp"

namespace weft::dsm::protocol {

class PageSteps {
 public:
  PageSteps(const std::vector<Program>& programs, Fault fault) : programs_(programs), fault_(fault) {}

 protected:
  void fail(const char* what) {
    if (found_.empty()) {
      found_ = std::string(what) + " behind " + way_;
    }
  }

  static void add_notice(PeState& here, int page) {
    here.notices[here.added++ % kMostNotices] = static_cast<std::uint8_t>(page);
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

  const std::vector<Program>& programs_;
  Fault fault_;
  std::string found_;
  std::string way_;
  std::size_t moves_ = 0;
};

}  // namespace weft::dsm::protocol
