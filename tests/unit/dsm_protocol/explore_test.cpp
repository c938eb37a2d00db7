// The protocol in all orders in which two or three PEs may act, on pages of two bytes. What a PE does is a list of
// steps that the others see one by one, in the order in which dsm/pages.cpp makes them; programs are free of races, and
// each read has to give what was last written in the order of the lock and the barrier.
//
// Each fault is a step that somebody could have got wrong; the test fails when a fault is not found.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "dsm/protocol/page.hpp"

namespace weft::dsm::protocol {
namespace {

constexpr int kPes = 3;
constexpr int kPages = 2;  // page p is at home at PE p
constexpr int kBytes = 2;
constexpr int kMostNotices = 12;

enum class Do : std::uint8_t { kRead, kWrite, kLock, kUnlock, kAcquire, kBarrier, kEvict };
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
  kEvictUnsent
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
  std::uint8_t notices[kMostNotices];
  std::uint8_t published;
  std::uint8_t added;
  std::uint8_t seen[kPes];
  std::uint8_t op;     // of the program
  std::uint8_t step;   // within it
  std::uint8_t noted;  // pages noticed, or marked: bits
  std::uint8_t cooled;
  std::uint8_t arrived;
};
struct All {
  PeState pe[kPes];
  std::uint8_t expected[kPages][kBytes];
  std::uint8_t next_value;
  std::int8_t holder;
  std::uint8_t episodes;
};

class Explorer {
 public:
  Explorer(const std::vector<Program>& programs, Fault fault) : programs_(programs), fault_(fault) {}

  // Empty: all is well.
  std::string explore(const All& begin) {
    visit(begin);
    return found_;
  }
  std::size_t states() const { return known_.size(); }

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
      case Do::kWrite: return access(all, me, op);
      case Do::kLock:
        if (here.step == 0) {
          if (all.holder >= 0) {
            return false;
          }
          all.holder = static_cast<std::int8_t>(me);
          here.step = 1;
          return true;
        }
        return acquire(all, me, 1);
      case Do::kAcquire: return acquire(all, me, 0);
      case Do::kUnlock:
        if (release(all, me)) {
          all.holder = -1;
          done(here);
        }
        return true;
      case Do::kBarrier: return barrier(all, me);
      case Do::kEvict: return evict(all, me, op.page);
    }
    return false;
  }

  static void done(PeState& here) {
    ++here.op;
    here.step = 0;
    here.noted = 0;
    here.cooled = 0;
  }

  bool access(All& all, int me, const Op& op) {
    PeState& here = all.pe[me];
    Page& page = here.pages[op.page];
    const bool write = op.what == Do::kWrite;
    const Access wanted = write ? Access::kWrite : Access::kRead;
    PeState& home = all.pe[op.page];
    if (access_of(page.state) < wanted) {
      Page next = page;
      const OnFault todo = on_fault(next, write);
      // The mark, the contents byte by byte, the twin with the access.
      const bool late = fault_ == Fault::kMarkBehindCopy;
      if (todo.fetch && here.step < 3) {
        const int step = late ? (here.step + 1) % 3 : here.step;
        if (step == 0) {
          home.marks[op.page] = fault_ == Fault::kNoMarks ? 0 : 1;
        } else {
          here.contents[op.page].at[step - 1] = home.contents[op.page].at[step - 1];
        }
        ++here.step;
        return true;
      }
      page = next;
      if (todo.twin) {
        here.twins[op.page] = here.contents[op.page];
      }
      here.step = 3;
      return true;
    }
    if (write) {
      here.contents[op.page].at[op.byte] = all.expected[op.page][op.byte] = ++all.next_value;
    } else if (here.contents[op.page].at[op.byte] != all.expected[op.page][op.byte]) {
      fail("a read gives what is old");
    }
    done(here);
    return true;
  }

  // Changes of a page go home.
  void send(All& all, int me, int page) {
    PeState& here = all.pe[me];
    for (int b = 0; b < kBytes; ++b) {
      if (here.contents[page].at[b] != here.twins[page].at[b] || fault_ == Fault::kWholePage) {
        all.pe[page].contents[page].at[b] = here.contents[page].at[b];
      }
    }
  }

  bool compare(All& all, int me, int page, bool cooled) {
    PeState& here = all.pe[me];
    Page& state = here.pages[page];
    const bool is_home = state.state == State::kCompared;
    const bool changed = std::memcmp(&here.contents[page], &here.twins[page], sizeof(Bytes)) != 0 &&
                         !(is_home && fault_ == Fault::kNoTwinOfHome);
    const OnCompared todo = on_compared(state, changed, cooled);
    if (todo.send && fault_ != Fault::kAnnounceBeforeSending) {
      send(all, me, page);
    }
    here.twins[page] = here.contents[page];
    return todo.announce;
  }

  // True: it is over. Steps: marks are looked at, taken away, each page is compared, notices are published.
  bool release(All& all, int me) {
    PeState& here = all.pe[me];
    const int step = here.step++;
    if (step == 0) {
      for (int page = 0; page < kPages; ++page) {
        if (here.marks[page] != 0) {
          here.noted |= static_cast<std::uint8_t>(1 << page);
          if (on_mark(here.pages[page]).announce) {
            add_notice(here, page);
          }
        }
      }
      return false;
    }
    if (step == 1) {
      for (int page = 0; page < kPages; ++page) {
        if ((here.noted >> page & 1) != 0) {
          here.marks[page] = 0;
        }
      }
      return false;
    }
    if (step < 2 + kPages) {
      const int page = step - 2;
      if (has_twin(here.pages[page].state)) {
        const Bytes twin = here.twins[page];
        if (compare(all, me, page, cools(here.pages[page]))) {
          add_notice(here, page);
        }
        if (fault_ == Fault::kAnnounceBeforeSending) {
          here.cooled |= static_cast<std::uint8_t>(1 << page);
          here.twins[page] = twin;
        }
      }
      return false;
    }
    if (step == 2 + kPages) {
      here.published = here.added;
      return fault_ != Fault::kAnnounceBeforeSending;
    }
    for (int page = 0; page < kPages; ++page) {  // of the fault: it comes too late
      if ((here.cooled >> page & 1) != 0 && me != page) {
        send(all, me, page);
        here.twins[page] = here.contents[page];
      }
    }
    return true;
  }

  // Steps from `first` on: notices are read, pages are dropped or go home and come again, byte by byte.
  bool acquire(All& all, int me, int first) {
    PeState& here = all.pe[me];
    const int step = here.step - first;
    ++here.step;
    if (step == 0) {
      here.noted = 0;
      for (int pe = 0; pe < kPes; ++pe) {
        for (; pe != me && here.seen[pe] != all.pe[pe].published; ++here.seen[pe]) {
          here.noted |= static_cast<std::uint8_t>(1 << all.pe[pe].notices[here.seen[pe] % kMostNotices]);
        }
      }
      return true;
    }
    // Three steps for each page: what was written here goes home; the mark and the first byte; the second byte.
    const int page = (step - 1) / 3;
    if (page == kPages) {
      done(here);
      return true;
    }
    if ((here.noted >> page & 1) == 0) {
      return true;
    }
    PeState& home = all.pe[page];
    switch ((step - 1) % 3) {
      case 0: {
        const bool twin = has_twin(here.pages[page].state);
        const OnNotice what = on_notice(here.pages[page], Renewal::kLearned);
        if (twin) {
          const Page kept = here.pages[page];
          here.pages[page].state = State::kWritten;
          if (compare(all, me, page, false)) {
            add_notice(here, page);
            here.published = here.added;
          }
          here.pages[page] = kept;
          if (fault_ == Fault::kAnnounceBeforeSending) {
            send(all, me, page);
          }
        }
        if (what != OnNotice::kRefresh) {
          here.noted &= static_cast<std::uint8_t>(~(1 << page));
        }
        return true;
      }
      case 1: home.marks[page] = fault_ == Fault::kNoMarks ? 0 : 1; break;
      default: break;
    }
    const int byte = (step - 1) % 3 - 1;
    here.contents[page].at[byte] = here.twins[page].at[byte] = home.contents[page].at[byte];
    return true;
  }

  // Steps: access is taken away, and what was written goes home; then it is announced.
  bool evict(All& all, int me, int page) {
    PeState& here = all.pe[me];
    Page& state = here.pages[page];
    if (here.step == 0 && is_copy(state.state)) {
      if (has_twin(state.state) && fault_ != Fault::kEvictUnsent && compare(all, me, page, false)) {
        add_notice(here, page);
      }
      on_evict(state);
      here.step = 1;
      return true;
    }
    here.published = here.added;
    done(here);
    return true;
  }

  bool barrier(All& all, int me) {
    PeState& here = all.pe[me];
    if (here.arrived == 0) {
      if (release(all, me)) {
        here.arrived = 1;
        here.step = 0;
      }
      return true;
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
    acquire(all, me, 0);
    if (here.op != op) {
      here.arrived = 0;
    }
    return true;
  }

  const std::vector<Program>& programs_;
  Fault fault_;
  std::unordered_set<std::string> known_;
  std::string found_;
  std::string way_;
};

All begin_of(std::mt19937& random) {
  All all;
  std::memset(static_cast<void*>(&all), 0, sizeof all);
  all.holder = -1;
  for (int pe = 0; pe < kPes; ++pe) {
    for (int page = 0; page < kPages; ++page) {
      Page& state = all.pe[pe].pages[page];
      state = Page{};
      // What counts and habits are is anybody's guess; so is whether anybody has copies.
      state.missed = random() % 2 == 0;
      state.renewal = static_cast<Renewal>(random() % 4);
      if (pe == page) {
        const State states[] = {State::kShut, State::kOpen, State::kWatched, State::kCompared};
        state.state = states[random() % 4];
        state.alone = static_cast<std::uint8_t>(random() % kAloneReleases);
      } else {
        const State states[] = {State::kAway, State::kAway, State::kCopy, State::kWritten};
        state.state = states[random() % 4];
      }
      state.idle = static_cast<std::uint8_t>(random() % 2 == 0 ? 0 : kIdleReleases);
    }
  }
  for (int page = 0; page < kPages; ++page) {
    bool copies = false;
    for (int pe = 0; pe < kPes; ++pe) {
      copies = copies || is_copy(all.pe[pe].pages[page].state);
    }
    Page& home = all.pe[page].pages[page];
    // As it is when somebody has just fetched it.
    all.pe[page].marks[page] = copies ? 1 : 0;
    home.shared = home.state == State::kShut && copies;
  }
  return all;
}

// Accesses under the lock, to any byte; and outside to bytes that one PE only has there, which all look at in the end.
Program program_of(int me, int pes, std::mt19937& random, int sections) {
  Program program;
  const auto place = [&](Do what) {
    return Op{what, static_cast<std::uint8_t>(random() % kPages), static_cast<std::uint8_t>(random() % kBytes)};
  };
  for (int section = 0; section < sections; ++section) {
    if (random() % 3 == 0) {
      program.push_back({Do::kAcquire, 0, 0});  // of whoever has released something meanwhile
    }
    program.push_back({Do::kLock, 0, 0});
    for (unsigned k = random() % 2; k < 2; ++k) {
      program.push_back(place(random() % 2 == 0 ? Do::kRead : Do::kWrite));
    }
    if (random() % 3 == 0) {
      program.push_back(place(Do::kEvict));
    }
    program.push_back({Do::kUnlock, 0, 0});
  }
  program.push_back({Do::kBarrier, 0, 0});
  // Between the barriers each byte of a page is one PE's.
  const auto page = static_cast<std::uint8_t>(random() % kPages);
  if (me < kBytes && pes >= kBytes) {
    const auto what = random();
    if (what % 3 != 0) {
      program.push_back({Do::kRead, page, static_cast<std::uint8_t>(me)});
    }
    if (what % 3 != 1) {
      program.push_back({Do::kWrite, page, static_cast<std::uint8_t>(me)});
    }
    if (what % 5 == 0) {
      program.push_back({Do::kAcquire, 0, 0});
    }
  }
  program.push_back({Do::kBarrier, 0, 0});
  program.push_back(place(Do::kRead));
  return program;
}

// A fault is found if any of these programs shows it.
std::string explore(int pes, int sections, int programs, Fault fault, std::size_t* states = nullptr) {
  for (int k = 0; k < programs; ++k) {
    std::mt19937 random(static_cast<unsigned>(k * 10 + pes));
    std::vector<Program> all;
    for (int pe = 0; pe < pes; ++pe) {
      all.push_back(program_of(pe, pes, random, sections));
    }
    const All begin = begin_of(random);
    Explorer explorer(all, fault);
    const std::string found = explorer.explore(begin);
    if (states != nullptr) {
      *states += explorer.states();
    }
    if (!found.empty()) {
      return "program " + std::to_string(k) + ": " + found;
    }
  }
  return "";
}

TEST(Explore, TwoPesWithTwoSections) {
  std::size_t states = 0;
  EXPECT_EQ(explore(2, 2, 300, Fault::kNone, &states), "");
  EXPECT_GT(states, 10'000U);
}

TEST(Explore, ThreePesWithOneSection) { EXPECT_EQ(explore(3, 1, 5, Fault::kNone), ""); }

TEST(Explore, FindsFaults) {
  for (const Fault fault :
       {Fault::kMarkBehindCopy, Fault::kNoMarks, Fault::kWholePage, Fault::kNoTwinOfHome, Fault::kEvictUnsent}) {
    EXPECT_NE(explore(2, 2, 300, fault), "") << "fault " << static_cast<int>(fault);
  }
  // It takes two that have copies, and a home.
  EXPECT_NE(explore(3, 1, 200, Fault::kAnnounceBeforeSending), "");
}

}  // namespace
}  // namespace weft::dsm::protocol
