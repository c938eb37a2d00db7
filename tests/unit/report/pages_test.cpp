#include "report/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/hints.hpp"
#include "report/json.hpp"
#include "report/places.hpp"
#include "report/summary.hpp"
#include "tests/unit/report/recorded_pages.hpp"
#include "tests/unit/report/recordings.hpp"

namespace weft::report {
namespace {

using dsm::Count;
using nlohmann::json;

constexpr std::uint64_t kMs = 1'000'000;

class SharedPagesTest : public Recordings {
 protected:
  Profile of(RecordedPages& zero, RecordedPages& one) {
    zero.write(folder_);
    one.write(folder_);
    return merged();
  }
  static std::string text(const Profile& profile) { return summary(profile, hints(profile)); }
  static bool has(const Profile& profile, const char* words) { return text(profile).find(words) != std::string::npos; }

  RecordedPages zero_{0};
  RecordedPages one_{1};
};

TEST_F(SharedPagesTest, PesAreTold) {
  one_.fetch(0, 1, 3);
  one_.fetch(0, 2, 1);
  one_.send(0, 2, 2, 24);
  one_.count(Count::kReadFaults, 4);
  one_.count(Count::kWriteFaults, 5);
  one_.count(Count::kFaultTime, 7 * kMs);
  zero_.count(Count::kClaimed, 6);
  const Profile profile = of(zero_, one_);
  EXPECT_EQ(profile.n_pes(), 2);
  EXPECT_FALSE(profile.has_calls());
  EXPECT_EQ(profile.program, "/home/some one/heat");
  EXPECT_DOUBLE_EQ(profile.seconds, 1);
  const json told = json::parse(to_json(profile, {}, "1"));
  EXPECT_EQ(told["interface"], "Shared Pages");
  const json& shared = told["shared_pages"];
  EXPECT_EQ(shared["page_bytes"], 4096);
  const json& pe = shared["pes"][1];
  EXPECT_EQ(pe["pid"], 101);
  EXPECT_EQ(pe["way"], "pages");
  EXPECT_EQ(pe["end"], "finalized");
  EXPECT_EQ(pe["read_faults"], 4);
  EXPECT_EQ(pe["write_faults"], 5);
  EXPECT_EQ(pe["came"], 4);
  EXPECT_EQ(pe["came_bytes"], 4 * 4096);
  EXPECT_EQ(pe["sent"], 2);
  EXPECT_EQ(pe["sent_bytes"], 24);
  EXPECT_EQ(pe["fault_seconds"], 0.007);
  EXPECT_EQ(shared["pes"][0]["claimed"], 6);
  EXPECT_EQ(shared["fetched"], json::parse("[[1,0,4,16384]]"));
  EXPECT_EQ(shared["sent"], json::parse("[[1,0,2,24]]"));
  EXPECT_TRUE(has(profile, "PE 1                  4        5        4 16.0 KiB        0        2     24 B"));
  EXPECT_TRUE(has(profile, "profile of heat: 2 PEs, 1.00 s\n"));
}

TEST_F(SharedPagesTest, MemoryThatMovedIsTold) {
  zero_.fetch(1, 1, 1);
  one_.fetch(0, 1, 5);
  one_.fetch(0, 2, 1);
  one_.fetch(0, 5, 1);
  one_.fetch(0, 6, 2);  // follows in the range, and lies elsewhere in the program
  one_.send(0, 7, 4, 4);
  const Profile profile = of(zero_, one_);
  const auto& moved = profile.shared.moved;
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0].address, RecordedPages::kBase + 4096);
  EXPECT_EQ(moved[0].bytes, 2U * 4096);
  EXPECT_EQ(moved[0].fetched, 7U);
  EXPECT_EQ(moved[0].most, 1);
  EXPECT_EQ(moved[0].most_fetched, 6U);
  EXPECT_EQ(moved[1].address, RecordedPages::kStatic);
  EXPECT_EQ(moved[1].bytes, 2U * 4096);
  EXPECT_EQ(moved[1].sent, 4U);
  EXPECT_EQ(moved[2].address, RecordedPages::kBase + 5 * 4096);
}

TEST_F(SharedPagesTest, AreToldBesideCalls) {
  RecordedPe pe(folder_, 0, 2, 0);
  RecordedPe other(folder_, 1, 2, 0);
  pe.count(Call::shmem_barrier_all, profile::Kind::kBarrier, 0x10, {.begin = 100, .end = 300});
  pe.end(1000);
  other.end(1000);
  one_.fetch(0, 1, 3);
  const Profile profile = of(zero_, one_);
  EXPECT_TRUE(profile.has_calls());
  EXPECT_EQ(profile.program, "/home/some one/solve");
  EXPECT_DOUBLE_EQ(profile.seconds, 1e-6);
  EXPECT_TRUE(has(profile, "shmem_barrier_all"));
  EXPECT_TRUE(has(profile, "shared pages"));
}

TEST_F(SharedPagesTest, WhoSharesNothingIsToldOfNothing) {
  RecordedPe pe(folder_, 0, 1, 0);
  pe.end(1000);
  const Profile profile = merged();
  EXPECT_FALSE(has(profile, "hared"));
  EXPECT_FALSE(json::parse(to_json(profile, {}, "1")).contains("shared_pages"));
}

TEST_F(SharedPagesTest, OneMemoryHasLocksAndBarriersOnly) {
  RecordedPages zero(0, 2, 0);
  RecordedPages one(1, 2, 0);
  one.count(Count::kLocks, 1000);
  one.count(Count::kLockTime, 2 * kMs);
  const Profile profile = of(zero, one);
  EXPECT_TRUE(has(profile, "all PEs have the same, so no page moved; 1,000 locks taken, 2.00 ms waited."));
  EXPECT_EQ(json::parse(to_json(profile, {}, "1"))["shared_pages"]["pes"][1]["way"], "memory");
}

TEST_F(SharedPagesTest, WhoWasEndedIsTold) {
  one_->ended = 0;
  one_->latest = 5'500'000'000;
  const Profile profile = of(zero_, one_);
  EXPECT_TRUE(has(profile, "PE 1 was ended while it shared memory."));
  const json told = json::parse(to_json(profile, {}, "1"))["shared_pages"]["pes"][1];
  EXPECT_EQ(told["end"], "killed");
  EXPECT_EQ(told["seconds"], 0.5);
}

TEST_F(SharedPagesTest, APeWithoutARecordingHasAnEmptyPlace) {
  one_.write(folder_);
  const Profile profile = merged();
  EXPECT_EQ(profile.n_pes(), 2);
  EXPECT_EQ(json::parse(to_json(profile, {}, "1"))["shared_pages"]["pes"][0]["end"], "unknown");
  EXPECT_FALSE(has(profile, "PE 0"));
}

TEST_F(SharedPagesTest, AHealthyRunHasNoHint) {
  one_.fetch(0, 1, 100'000);
  one_.count(Count::kFaultTime, 10 * kMs);  // that is no time
  zero_.fetch(1, 1, 500);                   // and these are not many
  zero_.count(Count::kFaultTime, 500 * kMs);
  EXPECT_FALSE(has(of(zero_, one_), "hint"));
}

TEST_F(SharedPagesTest, WhoWorksOnPagesOfAnotherIsTold) {
  one_.fetch(0, 1, 12'000);
  one_.count(Count::kFetched, 12'000);
  one_.count(Count::kFaultTime, 300 * kMs);
  EXPECT_TRUE(has(of(zero_, one_), "PE 1 fetched 12,000 pages (46.9 MiB) that are at home at PE 0"));
  EXPECT_TRUE(has(merged(), "weft_shared_prefetch"));
  EXPECT_FALSE(has(merged(), "weft_shared_map"));
  one_.send(0, 1, 12'000, 48'000);
  EXPECT_TRUE(has(of(zero_, one_), "weft_shared_map"));
  one_->whose = dsm::Record::kOfOpenMp;
  EXPECT_FALSE(has(of(zero_, one_), "weft_shared_"));
  EXPECT_TRUE(has(merged(), "PE 1 fetched 12,000 pages"));
}

TEST_F(SharedPagesTest, LocksThatTakeTimeAreToldOf) {
  one_.count(Count::kLocks, 50);
  one_.count(Count::kLockTime, 90 * kMs);
  EXPECT_FALSE(has(of(zero_, one_), "hint"));
  one_.count(Count::kLockTime, 110 * kMs);
  EXPECT_TRUE(has(of(zero_, one_), "PEs waited 200 ms for locks in shared memory, 10 % of their time"));
}

TEST_F(SharedPagesTest, WantOfRoomIsToldOf) {
  one_.fetch(0, 1, 2000);
  one_.count(Count::kEvicted, 1500);
  EXPECT_FALSE(has(of(zero_, one_), "WEFT_SHARED_CACHE"));
  one_.count(Count::kFaultTime, 60 * kMs);
  EXPECT_TRUE(has(of(zero_, one_), "WEFT_SHARED_CACHE"));
  zero_.count(Count::kClosed, 1);
  EXPECT_TRUE(has(of(zero_, one_), "vm.max_map_count"));
}

TEST_F(SharedPagesTest, BlocksAreToldApart) {
  for (std::uint32_t page = 0; page < 6; ++page) one_.fetch(0, page, page + 1);
  zero_.got(100, 2 * 4096, 0);            // begins in page 0, most of which it has, and ends in page 2
  one_.got(2 * 4096 + 200, 2 * 4096, 0);  // most of page 2, all of page 3, and a little of page 4
  const Profile profile = of(zero_, one_);
  const auto& moved = profile.shared.moved;
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0].address, RecordedPages::kBase + 2 * 4096 + 200);
  EXPECT_EQ(moved[0].fetched, 3U + 4 + 5);
  EXPECT_EQ(moved[1].address, RecordedPages::kBase + 5 * 4096);  // in none
  EXPECT_EQ(moved[1].fetched, 6U);
  EXPECT_EQ(moved[2].address, RecordedPages::kBase + 100);
  EXPECT_EQ(moved[2].fetched, 1U + 2);
}

// ---- Names of variables and blocks

class MovedVariables : public SharedPagesTest {
 protected:
  static constexpr std::uint32_t kPages = 1000;
  static constexpr std::uint64_t kBias = 0x10000;

  MovedVariables() {
    for (RecordedPages* pe : {&zero_, &one_}) {
      *pe = RecordedPages(pe == &one_ ? 1 : 0, 2, kPages + 1);
      (*pe)->bias = kBias;
      (*pe)->windows[0] = {RecordedPages::kStatic, kPages * 4096, 4096};  // all but the first
    }
    // Before 0x500000 lies one, and behind it another one; and each question is written down.
    std::ofstream(where_) << "#!/bin/sh\necho $# >> " << asked_
                          << "\nshift 2\nfor a; do [ $((a)) -lt $((0x500000)) ] && echo one+$a || echo two; done\n";
    std::filesystem::permissions(where_, std::filesystem::perms::owner_all);
  }
  std::uint32_t page_of(std::uint64_t linked) const {
    return static_cast<std::uint32_t>((linked + kBias - RecordedPages::kStatic) / 4096 + 1);
  }
  Profile described() {
    zero_.write(folder_);
    one_.write(folder_);
    const auto raw = load(folder_);
    EXPECT_TRUE(raw) << raw.error().text();
    Profile profile = merge(*raw);
    describe_moved(*raw, profile, where_);
    return profile;
  }
  int questions() const {
    std::ifstream file(asked_);
    int all = 0;
    for (int words = 0; file >> words;) all += words - 2;
    return all;
  }

  const std::string where_ = folder_ + "/where";
  const std::string asked_ = folder_ + "/asked";
};

TEST_F(MovedVariables, ArePutTogetherByName) {
  one_.fetch(0, 0, 2);  // no variable of the program
  for (std::uint32_t page = 1; page <= kPages; ++page) {
    if (page != 40) one_.fetch(0, page, 1);
  }
  const Profile profile = described();
  const auto& moved = profile.shared.moved;
  const std::uint64_t before = page_of(0x500000) - 1;
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0].name, "two");
  EXPECT_EQ(moved[0].address, 0x500000 + kBias);
  EXPECT_EQ(moved[0].fetched, kPages - before);
  EXPECT_EQ(moved[1].name, "one");
  EXPECT_EQ(moved[1].address, RecordedPages::kStatic);
  EXPECT_EQ(moved[1].fetched, before - 1);
  EXPECT_EQ(moved[1].bytes, (before - 1) * 4096);
  EXPECT_EQ(moved[2].name, "");
  EXPECT_EQ(moved[2].address, RecordedPages::kBase);
  EXPECT_LT(questions(), 40);  // of a thousand pieces
  EXPECT_TRUE(has(profile, "\ntwo  "));
  EXPECT_EQ(json::parse(to_json(profile, {}, "1"))["shared_pages"]["moved"][1]["name"], "one");
}

TEST_F(MovedVariables, AreFoundBetweenWhatHasNoName) {
  std::ofstream(where_) << "#!/bin/sh\nshift 2\nfor a; do [ $((a)) -ge $((0x480000)) ] && [ $((a)) -lt $((0x580000)) ] "
                           "&& echo mine || echo '?'; done\n";
  for (std::uint32_t page = 1; page <= kPages; ++page) one_.fetch(0, page, 1);
  const auto& moved = described().shared.moved;
  ASSERT_GE(moved.size(), 2U);
  const auto mine = std::find_if(moved.begin(), moved.end(), [](const auto& each) { return each.name == "mine"; });
  ASSERT_NE(mine, moved.end());
  EXPECT_EQ(mine->fetched, 0x100U);
}

TEST_F(MovedVariables, BlocksAreNamedByWhereTheyWereGot) {
  zero_->n_windows = 0;
  one_.got(4096, 4096, 0x400010);
  one_.got(3 * 4096, 4096, 0x400010);
  zero_.got(8 * 4096, 4096, 0x600000);
  zero_.got(9 * 4096, 4096, 0);
  for (const std::uint32_t page : {1, 3, 8, 9}) one_.fetch(0, page, page);
  const Profile profile = described();
  const auto& moved = profile.shared.moved;
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0].address, RecordedPages::kBase + 9 * 4096);
  EXPECT_EQ(moved[0].name, "");
  EXPECT_EQ(moved[1].name, "two");
  EXPECT_EQ(moved[2].name, "one+0x400010");  // all that is said of a line of the program
  EXPECT_EQ(moved[2].fetched, 4U);
  EXPECT_EQ(moved[2].bytes, 2U * 4096);
}

TEST_F(MovedVariables, WhoFetchesMostOfOneIsToldOfIt) {
  one_.fetch(0, page_of(0x4f0000), 12'000);
  one_.count(Count::kFaultTime, 300 * kMs);
  EXPECT_TRUE(has(described(), "is of one."));
}

TEST_F(MovedVariables, WithoutTheProgramThatKnowsThemTheyAreAddresses) {
  one_.fetch(0, page_of(0x4f0000), 1);
  std::filesystem::remove(where_);
  EXPECT_TRUE(has(described(), "0x500000 "));
  std::ofstream(where_) << "#!/bin/sh\nexit 1\n";  // or it does not know the file
  std::filesystem::permissions(where_, std::filesystem::perms::owner_all);
  EXPECT_TRUE(has(described(), "0x500000 "));
}

TEST_F(MovedVariables, WhatIsOfTheFileOnlyHasNoName) {
  one_.fetch(0, page_of(0x4f0000), 1);
  for (const char* answer : {"?", "heat+0xf0000"}) {
    std::ofstream(where_) << "#!/bin/sh\necho '" << answer << "'\n";
    EXPECT_EQ(described().shared.moved.at(0).name, "") << answer;
  }
}

// ---- What is no recording

std::string why(RecordedPages& record) {
  const auto read = read_pages(record.bytes());
  return read ? "" : read.error().text();
}

TEST(DamagedPages, SaysWhatIsWrong) {
  const auto with = [](auto change) {
    RecordedPages one(1);
    const std::size_t size = one.size();
    change(*one.record());
    const auto read = read_pages({one.at(), size, "pages.weft"});
    return std::string(read ? "" : read.error().text());
  };
  using dsm::Record;
  EXPECT_EQ(with([](Record&) {}), "");
  EXPECT_EQ(with([](Record& r) { r.magic = 1; }), "pages.weft is not a recording of Weft's pages");
  const char* const kOther =
      "pages.weft was written by another version of Weft; use the weft-profile that came with it";
  EXPECT_EQ(with([](Record& r) { r.layout -= 1; }), kOther);
  EXPECT_EQ(with([](Record& r) { r.n_counts += 1; }), kOther);
  EXPECT_EQ(with([](Record& r) { r.n_pes = 1 << 30; }), "pages.weft is damaged: there are no jobs with that many PEs");
  EXPECT_EQ(with([](Record& r) { r.n_pes = 0; }), "pages.weft is damaged: there are no jobs with that many PEs");
  EXPECT_EQ(with([](Record& r) { r.n_pes = 3; }), "pages.weft is damaged: its end is missing");
  EXPECT_EQ(with([](Record& r) { r.pe = 2; }), "pages.weft is damaged: its PE is none of the job");
  EXPECT_EQ(with([](Record& r) { r.pe = -1; }), "pages.weft is damaged: its PE is none of the job");
  EXPECT_EQ(with([](Record& r) { r.n_cells = 9; }), "pages.weft is damaged: its end is missing");
  EXPECT_EQ(with([](Record& r) { r.n_cells = UINT32_MAX; }), "pages.weft is damaged: its range is too large");
  EXPECT_EQ(with([](Record& r) { r.pages_of_cell = 0; }), "pages.weft is damaged: its range is too large");
  EXPECT_EQ(with([](Record& r) { r.page_bytes = 0; }), "pages.weft is damaged: its pages have no size");
  EXPECT_EQ(with([](Record& r) { r.page_bytes = 4097; }), "pages.weft is damaged: its pages have no size");
  EXPECT_EQ(with([](Record& r) { r.n_windows = 17; }), "pages.weft is damaged: it has too many windows");
  EXPECT_EQ(with([](Record& r) { r.n_blocks = 513; }), "pages.weft is damaged: it has too many blocks");
  EXPECT_EQ(with([](Record& r) { std::memset(r.program, 'x', sizeof r.program); }),
            "pages.weft is damaged: a name in it has no end");
}

TEST(DamagedPages, OfAnotherJobAreRefused) {
  RecordedPages zero(0);
  RecordedPages two(2, 3);
  Raw raw;
  const auto read = read_pages_of_job({zero.bytes(), {}, two.bytes()}, &raw);
  ASSERT_FALSE(read);
  EXPECT_STREQ(read.error().text(),
               "pages.weft is of PE 2 of 3 and lies among those of a job of 2; record into an empty folder");
}

TEST(DamagedPages, AnyLength) {
  RecordedPages one(1);
  for (std::size_t size = 0; size < one.size(); ++size) {
    ASSERT_FALSE(read_pages({one.at(), size, "pages.weft"})) << size;
  }
  EXPECT_EQ(why(one), "");
}

// All that weft-profile does with it: read, or refused with one line.
TEST(DamagedPages, OneByteWrong) {
  RecordedPages zero(0);
  RecordedPages one(1);
  one.fetch(0, 1, 12'000);
  one.count(Count::kFaultTime, 300 * kMs);
  one.send(0, 7, 4, 4);
  one.got(100, 2 * 4096, 0x1000);
  std::size_t refused = 0;
  const std::size_t size = one.size();
  for (std::size_t at = 0; at < size; ++at) {
    const std::byte was = one.at()[at];
    for (const unsigned other : {0x01U, 0x7fU, 0x80U, 0xffU, std::to_integer<unsigned>(was)}) {
      one.at()[at] = was ^ static_cast<std::byte>(other);
      Raw raw;
      const auto read = read_pages_of_job({zero.bytes(), {one.at(), size, "pages.weft"}}, &raw);
      if (!read) {
        const std::string line = read.error().text();
        EXPECT_EQ(line.rfind("pages.weft is ", 0) == 0 || line.rfind("pages.weft was ", 0) == 0, true) << line;
        EXPECT_EQ(line.find('\n'), std::string::npos) << line;
        ++refused;
        continue;
      }
      const Profile profile = merge(raw);
      EXPECT_EQ(profile.n_pes(), 2);
      EXPECT_FALSE(summary(profile, hints(profile)).empty());
      EXPECT_FALSE(at % 16 == 0 && to_json(profile, {}, "0").empty());
    }
    one.at()[at] = was;
  }
  EXPECT_GT(refused, 50U);
  EXPECT_LT(refused, size);
}

}  // namespace
}  // namespace weft::report
