// What is learned of intervals (protocol/habits.hpp): a program that does the same again comes to need no faults, and
// what it stops doing is forgotten.
#include "dsm/protocol/habits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace weft::dsm::protocol {
namespace {

using Pages = std::vector<std::uint32_t>;

// A PE with copies of pages that all change between any two intervals, so that each that is used has to come anew.
class Reader {
 public:
  // Faults of an interval in which these are read.
  std::size_t interval(Site site, const Pages& reads) {
    habits_.learn({missed_, {}, {}, {}});
    habits_.begin(site);
    std::set<std::uint32_t> here;
    for (const std::uint32_t page : here_) {
      if (habits_.expects(page)) {
        here.insert(page);
      }
    }
    habits_.each_expected([&](std::uint32_t page) { return !here_.contains(page); },
                          [&](std::uint32_t page) { here.insert(page); });
    came_ += here.size();
    missed_.clear();
    for (const std::uint32_t page : reads) {
      if (here.insert(page).second) {
        missed_.push_back(page);
      }
    }
    came_ += missed_.size();
    here_ = here;
    return missed_.size();
  }
  std::size_t came() const { return came_; }
  Habits& habits() { return habits_; }

 private:
  Habits habits_;
  Pages missed_;
  std::set<std::uint32_t> here_;
  std::size_t came_ = 0;
};

TEST(Habits, EachSiteHasItsOwnPages) {
  Reader reader;
  const Pages first = {3, 4, 5, 90};
  const Pages second = {5, 6, 91};
  EXPECT_EQ(reader.interval(1, first), 4U);
  EXPECT_EQ(reader.interval(2, second), 3U);
  const std::size_t before = reader.came();
  for (int k = 0; k < Habits::kVisits; ++k) {
    EXPECT_EQ(reader.interval(1, first), 0U);
    EXPECT_EQ(reader.interval(2, second), 0U);
  }
  EXPECT_EQ(reader.came() - before, 7U * Habits::kVisits) << "none came in vain";
}

TEST(Habits, PagesAreLeftOutMoreAndMoreSeldom) {
  Reader reader;
  std::size_t faults = 0;
  for (int k = 0; k < 2000; ++k) {
    faults += reader.interval(1, {7});
  }
  EXPECT_GE(faults, 5U);
  EXPECT_LE(faults, 1U + Habits::kMostDoublings + 2000 / (Habits::kVisits << Habits::kMostDoublings) + 1);
}

TEST(Habits, WhatIsNotReadAnyMoreIsForgotten) {
  Reader reader;
  reader.interval(1, {7, 8});
  for (int k = 0; k < Habits::kVisits; ++k) {
    reader.interval(1, {8});
  }
  EXPECT_EQ(reader.interval(1, {8}), 1U);  // left out, and missed
  reader.interval(1, {8});
  EXPECT_EQ(reader.habits().pages(), 1U);
  EXPECT_EQ(reader.interval(1, {7, 8}), 1U);
}

TEST(Habits, AnIntervalIsSupposedToReadAFewPagesWhenItRunsFirst) {
  const Pages few = {3, 7};
  Pages many;
  for (std::uint32_t page = 0; page <= Habits::kMostSupposed; ++page) {
    many.push_back(page);
  }
  Habits habits;
  habits.suppose(few);  // of no interval
  habits.begin(1);
  habits.suppose(few);
  EXPECT_TRUE(habits.expects(3));
  EXPECT_TRUE(habits.expects(7));
  EXPECT_FALSE(habits.expects(4));
  habits.learn({});
  habits.begin(2);
  habits.suppose(many);
  EXPECT_FALSE(habits.expects(3)) << "there are many";
  habits.learn({});
  habits.begin(1);
  habits.suppose(Pages{4});
  EXPECT_FALSE(habits.expects(4)) << "what it reads is known by now";
  for (int k = 1; k < Habits::kVisits; ++k) {
    EXPECT_TRUE(habits.expects(3)) << k;
  }
  EXPECT_FALSE(habits.expects(3)) << "left out, to see whether it is missed";
  habits.learn({});
  EXPECT_EQ(habits.pages(), 1U) << "7 has not been left out yet";
}

// Pages that an interval may write as it begins, with a fault for each that is not among them.
Pages written(Habits& habits, Site site, const Pages& all) {
  habits.begin(site);
  Pages warm;
  habits.each_written([&](std::uint32_t page) { return std::find(all.begin(), all.end(), page) != all.end(); },
                      [&](std::uint32_t page, bool /*sure*/) {
                        warm.push_back(page);
                        return false;
                      });
  return warm;
}

TEST(Habits, WhatWasWrittenIsMadeWritable) {
  Habits habits;
  const Pages pages = {10, 11, 12};
  EXPECT_TRUE(written(habits, 1, pages).empty());
  habits.learn({{}, Pages{10}, Pages{10, 12}, {}});
  EXPECT_TRUE(written(habits, 2, pages).empty());
  habits.learn({{}, {}, Pages{11}, {}});
  for (int k = 0; k < Habits::kVain; ++k) {
    EXPECT_EQ(written(habits, 1, pages), (Pages{10, 12}));
    habits.learn({{}, {}, Pages{12}, {}});  // in vain for 10
    written(habits, 2, pages);
    habits.learn({{}, {}, Pages{11}, {}});
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(written(habits, 1, pages), (Pages{12}));
    habits.learn({{}, {}, Pages{12}, {}});
  }
  EXPECT_EQ(habits.pages(), 2U);
}

// What is stored was there before, or only others are seen to have stored: comparing does not show it, faults do.
TEST(Habits, WhereWritesAreNotSeenFaultsBecomeSeldom) {
  for (const Pages& unsure : {Pages{}, Pages{10}}) {
    const int visits = Habits::kVain * (unsure.empty() ? 1 : Habits::kUnsure);
    Habits habits;
    int faults = 0;
    for (int k = 0; k < 2000; ++k) {
      const bool warm = !written(habits, 1, {10}).empty();
      faults += warm ? 0 : 1;
      habits.learn({{}, warm ? Pages{} : Pages{10}, {}, unsure});
    }
    EXPECT_GE(faults, 5);
    EXPECT_LE(faults, 1 + Habits::kMostDoublings + 2000 / (visits << Habits::kMostDoublings) + 1);
    // It is written no more.
    for (int k = 0; k < (visits << Habits::kMostDoublings) + 2; ++k) {
      written(habits, 1, {10});
      habits.learn({{}, {}, {}, unsure});
    }
    EXPECT_EQ(habits.pages(), 0U);
  }
}

// Pages of which it is believed that the interval writes them; the others are compared.
Pages believed(Habits& habits, Site site) {
  habits.begin(site);
  Pages sure;
  habits.each_written([](std::uint32_t /*page*/) { return true; },
                      [&](std::uint32_t page, bool is_sure) {
                        if (is_sure) {
                          sure.push_back(page);
                        }
                        return is_sure;
                      });
  return sure;
}

TEST(Habits, WhatIsAlwaysWrittenIsBelievedButForAVisitNowAndThen) {
  Habits habits;
  for (int k = 0; k < Habits::kSure; ++k) {
    EXPECT_TRUE(believed(habits, 1).empty());
    habits.learn({{}, {}, Pages{10, 11}, {}});
  }
  int shown = 0;
  int visits = 0;
  for (; visits < 3 * Habits::kShown; ++visits) {
    if (believed(habits, 1).empty()) {
      ++shown;
      habits.learn({{}, {}, Pages{10, 11}, {}});
    } else {
      habits.learn({});
    }
  }
  EXPECT_GE(shown, 2);
  EXPECT_LE(shown, 4);
  // It is written no more: believed until it has to show it, and soon forgotten.
  for (visits = 0; habits.pages() > 0 && visits < 3 * Habits::kShown; ++visits) {
    believed(habits, 1);
    habits.learn({});
  }
  EXPECT_LE(visits, Habits::kShown + Habits::kVain + 1);
}

TEST(Habits, WhatIsWrittenBehindAReleaseAsWellIsNotBelieved) {
  Habits habits;
  for (int k = 0; k <= Habits::kSure; ++k) {
    believed(habits, 1);
    habits.learn({{}, {}, Pages{10}, {}});
  }
  EXPECT_EQ(believed(habits, 1), Pages{10});
  habits.learn({{}, Pages{10}, {}, {}});
  EXPECT_TRUE(believed(habits, 1).empty());
}

TEST(Habits, TellHowLongAnIntervalTookLast) {
  Habits habits;
  EXPECT_EQ(habits.took_ns(), UINT64_MAX) << "nothing is known before the first";
  habits.begin(1);
  EXPECT_EQ(habits.took_ns(), UINT64_MAX);
  habits.learn({{}, {}, {}, {}, 3000});
  habits.begin(2);
  EXPECT_EQ(habits.took_ns(), UINT64_MAX);
  habits.learn({{}, {}, {}, {}, 70});
  habits.begin(1);
  EXPECT_EQ(habits.took_ns(), 3000U);
  habits.learn({{}, {}, {}, {}, 20});
  habits.begin(2);
  EXPECT_EQ(habits.took_ns(), 70U);
  habits.begin(1);
  EXPECT_EQ(habits.took_ns(), 20U);
  // One long one among short ones is the exception, two running are not.
  habits.learn({{}, {}, {}, {}, 5000});
  habits.begin(1);
  EXPECT_EQ(habits.took_ns(), 20U);
  habits.learn({{}, {}, {}, {}, 4000});
  habits.begin(1);
  EXPECT_EQ(habits.took_ns(), 4000U);
}

TEST(Habits, AreBounded) {
  Habits habits;
  Pages many(Habits::kMostPages / 2 + 1);
  for (std::uint32_t k = 0; k < many.size(); ++k) {
    many[k] = k;
  }
  for (Site site = 1; site < Habits::kMostSites + 10; ++site) {
    habits.begin(site);
    EXPECT_EQ(habits.has_site(), site <= Habits::kMostSites);
    if (site < 5) {
      habits.learn({many, {}, {}, {}});
      EXPECT_LE(habits.pages(), Habits::kMostPages);
    }
  }
  EXPECT_EQ(habits.pages(), Habits::kMostPages);
  habits.begin(0);
  EXPECT_FALSE(habits.has_site());
  EXPECT_FALSE(habits.expects(0));
  habits.begin(1);
  EXPECT_TRUE(habits.expects(0));
}

}  // namespace
}  // namespace weft::dsm::protocol
