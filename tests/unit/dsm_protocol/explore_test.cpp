// The protocol in all orders in which two or three PEs may act (explorer.hpp). Programs are free of races, and each
// read has to give what was last written in the order of the lock and the barrier. The test fails when a fault is not
// found.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "explorer.hpp"

namespace weft::dsm::protocol {
namespace {

All begin_of(std::mt19937& random) {
  All all;
  std::memset(static_cast<void*>(&all), 0, sizeof all);
  all.holder = -1;
  all.far = random() % 2;
  for (int pe = 0; pe < kPes; ++pe) {
    for (int page = 0; page < kPages; ++page) {
      Page& state = all.pe[pe].pages[page];
      state = Page{};
      // What counts and habits are is anybody's guess; so is whether anybody has copies.
      state.missed = random() % 2 == 0;
      state.renewal = static_cast<Renewal>(random() % 5);
      all.pe[pe].habits[page] = static_cast<Habit>(random() % 3);
      all.pe[pe].warms[page] = static_cast<std::uint8_t>(random() % 3);
      if (pe == page) {
        const State states[] = {State::kShut, State::kOpen, State::kWatched, State::kCompared};
        state.state = states[random() % 4];
        state.alone = static_cast<std::uint8_t>(random() % kAloneReleases);
      } else {
        const State states[] = {State::kAway, State::kAway, State::kCopy, State::kWritten};
        state.state = states[random() % 4];
      }
      const std::uint8_t sole[] = {0, 1, 3, UINT8_MAX};
      state.sole = sole[random() % 4];
      all.pe[pe].homes[page] = static_cast<std::uint8_t>(page);
      if (is_home(state.state) && access_of(state.state) == Access::kWrite) {
        all.pe[pe].places[page].heat();
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

// Accesses under the lock, to any byte; and outside to bytes that one PE only has there, which all look at in the end,
// and which other threads of the PE may write as well. What is written is new, or what was there at first.
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
    } else if (random() % 8 == 0) {
      program.push_back({Do::kBeat, 0, 0});
    }
    program.push_back({Do::kUnlock, 0, 0});
  }
  program.push_back({Do::kBarrier, 0, 0});
  // Between the barriers each byte of a page is one PE's.
  const auto page = static_cast<std::uint8_t>(random() % kPages);
  const int byte = me - (pes - kBytes);  // of three PEs the last two have one
  if (byte >= 0) {
    const auto what = random();
    if (what % 3 != 0) {
      program.push_back({Do::kRead, page, static_cast<std::uint8_t>(byte)});
    }
    if (what % 3 != 1) {
      program.push_back({what % 11 < 4 ? Do::kClear : Do::kWrite, page, static_cast<std::uint8_t>(byte)});
    }
    if (what % 5 == 0) {
      program.push_back({what % 2 == 0 ? Do::kBeatBeside : Do::kAcquireBeside, page, static_cast<std::uint8_t>(byte)});
    }
  }
  program.push_back({Do::kBarrier, 0, 0});
  program.push_back(place(Do::kRead));
  return program;
}

struct Been {
  std::size_t states = 0;
  std::size_t moves = 0;
  std::size_t merges = 0;
  std::size_t besides = 0;
};
// A fault is found if any of these programs shows it.
std::string explore(int pes, int sections, int programs, Fault fault, Been* been = nullptr) {
  for (int k = 0; k < programs; ++k) {
    std::mt19937 random(static_cast<unsigned>(k * 10 + pes));
    std::vector<Program> all;
    for (int pe = 0; pe < pes; ++pe) {
      all.push_back(program_of(pe, pes, random, sections));
    }
    const All begin = begin_of(random);
    Explorer explorer(all, fault);
    const std::string found = explorer.explore(begin);
    if (been != nullptr) {
      been->states += explorer.states();
      been->moves += explorer.moves();
      been->merges += explorer.merges();
      been->besides += explorer.besides();
    }
    if (!found.empty()) {
      return "program " + std::to_string(k) + ": " + found;
    }
  }
  return "";
}

TEST(Explore, TwoPesWithTwoSections) {
  Been been;
  EXPECT_EQ(explore(2, 2, 100, Fault::kNone, &been), "");
  EXPECT_GT(been.states, 10'000U);
  EXPECT_GT(been.moves, 1'000U);
  EXPECT_GT(been.merges, 1'000U);
  EXPECT_GT(been.besides, 1'000U);
}

TEST(Explore, ThreePesWithOneSection) { EXPECT_EQ(explore(3, 1, 3, Fault::kNone), ""); }

// A page that is at home and has a twin already, and a copy that nothing marks any more. The copy's PE changes a byte
// there, and the home's makes it what the twin says.
All compared_at_home_and_copied() {
  All all;
  std::memset(static_cast<void*>(&all), 0, sizeof all);
  all.holder = -1;
  for (int pe = 0; pe < kPes; ++pe) {
    for (int page = 0; page < kPages; ++page) {
      all.pe[pe].pages[page] = Page{.state = pe == page ? State::kWatched : pe > 1 ? State::kAway : State::kCopy};
      all.pe[pe].homes[page] = static_cast<std::uint8_t>(page);
      all.pe[pe].warms[page] = 1;
    }
  }
  return all;
}
std::string explore_changing_back(Do change, Fault fault) {
  const std::vector<Program> programs = {
      {{Do::kLock, 0, 0}, {Do::kUnlock, 0, 0}, {Do::kLock, 0, 0}, {Do::kClear, 0, 0}, {Do::kUnlock, 0, 0}},
      {{Do::kLock, 0, 0},
       {change, 0, 0},
       {Do::kUnlock, 0, 0},
       {Do::kLock, 0, 0},
       {Do::kRead, 0, 0},
       {Do::kUnlock, 0, 0}}};
  return Explorer(programs, fault).explore(compared_at_home_and_copied());
}

TEST(Explore, TheHomeMakesWhatOthersHaveChangedAsItWas) {
  for (const Do change : {Do::kWrite, Do::kOperate}) {
    EXPECT_EQ(explore_changing_back(change, Fault::kNone), "");
    EXPECT_NE(explore_changing_back(change, Fault::kStoredUntold), "");
  }
}

void find(std::initializer_list<Fault> faults) {
  for (const Fault fault : faults) {
    EXPECT_NE(explore(2, 2, 300, fault), "") << "fault " << static_cast<int>(fault);
  }
}
TEST(Explore, FindsFaults) {
  find({Fault::kMarkBehindCopy, Fault::kNoMarks, Fault::kWholePage, Fault::kNoTwinOfHome, Fault::kEvictUnsent});
}
TEST(Explore, FindsFaultsOfHomesHabitsAndMerging) {
  find({Fault::kTakeWhileWritten, Fault::kTakeWithoutContents, Fault::kGoneUnnoticed, Fault::kSendToWhoWasHome,
        Fault::kWarmWithoutTwin, Fault::kWarmWhileTaken, Fault::kElsewhereKept, Fault::kBelievedUntold,
        Fault::kBelievedWhileTaken, Fault::kRefreshWhole, Fault::kTwinNotMerged, Fault::kMergeOverOwn});
}
// It takes two that have copies, and a home.
TEST(Explore, FindsFaultsOfThreePes) {
  EXPECT_NE(explore(3, 1, 200, Fault::kAnnounceBeforeSending), "");
  EXPECT_NE(explore(3, 1, 200, Fault::kTakeWhileUsed), "");
}

}  // namespace
}  // namespace weft::dsm::protocol
