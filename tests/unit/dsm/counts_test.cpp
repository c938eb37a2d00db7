#include "dsm/counts.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "dsm/heap.hpp"
#include "dsm/state.hpp"
#include "support/leftovers.hpp"

namespace weft::dsm {
namespace {

// As tests run in a process of their own, the recording is that of this one.
class Counts : public testing::Test {
 protected:
  Counts() {
    g.way = Way::kPages;
    g.me = 1;
    g.n_pes = 3;
    g.base = 0x200000000000;
    g.pages = 16;
  }
  ~Counts() override {
    forget_record();
    g = Shared{};
  }
  // The file, as it is then.
  const Record& written() {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/pages.1.weft", std::ios::binary).rdbuf();
    bytes_ = text.str();
    bytes_.reserve(bytes_.size() + 64);
    EXPECT_EQ(bytes_.size(), record_bytes(3, 16));
    return *reinterpret_cast<const Record*>(bytes_.data());
  }
  static std::uint64_t of(const Record& record, Count what) {
    return record.counts[static_cast<std::size_t>(what)].load();
  }

  const test::TemporaryDirectory temporary_;
  const std::string folder_ = temporary_.path() + "/new";
  std::string bytes_;
};

TEST_F(Counts, AreInTheFileAtOnce) {
  count(Count::kTwins);
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  count(Count::kTwins, 2);
  note_fetched(2, 14, 2);
  note_fetched(1, 3, 1);  // from here to here is no way
  protocol::Changes changes;
  changes.lines = 0b101;
  changes.bytes[0] = 0xff;
  changes.bytes[2] = 1;
  note_sent(0, 5, changes);
  const Record& record = written();
  EXPECT_EQ(record.magic, Record::kMagic);
  EXPECT_EQ(record.pe, 1);
  EXPECT_EQ(record.by_pages, 1U);
  EXPECT_EQ(of(record, Count::kTwins), 3U);  // with what was before
  EXPECT_EQ(of(record, Count::kSent), 1U);
  EXPECT_EQ(of(record, Count::kSentBytes), 9U);
  EXPECT_EQ(peers_of(&record)[2].fetched.load(), 2U);
  EXPECT_EQ(peers_of(&record)[1].fetched.load(), 0U);
  EXPECT_EQ(peers_of(&record)[0].sent_bytes.load(), 9U);
  EXPECT_EQ(cells_of(&record)[15].fetched.load(), 1U);
  EXPECT_EQ(cells_of(&record)[3].fetched.load(), 0U);
  EXPECT_EQ(cells_of(&record)[5].sent.load(), 1U);
  EXPECT_EQ(record.ended.load(), 0U);
  end_record();
  EXPECT_NE(written().ended.load(), 0U);
}

TEST_F(Counts, TimesAreTakenOnlyWhereTheyAreRecorded) {
  { const Timed timed(Count::kFaultTime); }
  count_if_recorded(Count::kLocks);
  EXPECT_EQ(counted(Count::kFaultTime), 0U);
  EXPECT_EQ(counted(Count::kLocks), 0U);
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  { const Timed timed(Count::kFaultTime); }
  count_if_recorded(Count::kLocks);
  EXPECT_GT(of(written(), Count::kFaultTime), 0U);
  EXPECT_EQ(of(written(), Count::kLocks), 1U);
}

TEST_F(Counts, AChildCountsForItself) {
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  forget_record();
  count(Count::kTwins);
  EXPECT_EQ(of(written(), Count::kTwins), 0U);
}

TEST_F(Counts, BlocksAreKnownUntilOthersLieThere) {
  const auto note = [](std::uint64_t page, std::uint64_t pages, const void* site) {
    note_block(reinterpret_cast<void*>(g.base + page * kPageBytes), pages * kPageBytes, site);
  };
  note(1, 1, nullptr);  // nothing is recorded yet
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  const auto* const code = reinterpret_cast<const void*>(&open_record);
  note(2, 3, code);
  note(8, 1, &folder_);  // that is no code of the program
  note_block(nullptr, kPageBytes, code);
  note_block(reinterpret_cast<void*>(g.base), kPageBytes - 1, code);
  ASSERT_EQ(g_record->n_blocks, 2U);
  EXPECT_EQ(g_record->blocks[0].offset, 2 * kPageBytes);
  EXPECT_EQ(g_record->blocks[0].bytes, 3 * kPageBytes);
  EXPECT_EQ(g_record->blocks[0].site, reinterpret_cast<std::uintptr_t>(code) - g_record->bias);
  EXPECT_EQ(g_record->blocks[1].site, 0U);
  note(4, 1, nullptr);  // the first one was given back
  ASSERT_EQ(g_record->n_blocks, 2U);
  EXPECT_EQ(g_record->blocks[0].offset, 4 * kPageBytes);
  EXPECT_EQ(g_record->blocks[0].bytes, kPageBytes);
  // Of too many the smallest are left out.
  for (std::uint64_t k = 0; k < kMostRecordedBlocks; ++k) note(100 + 2 * k, 2, nullptr);
  EXPECT_EQ(g_record->n_blocks, static_cast<std::uint32_t>(kMostRecordedBlocks));
  for (const RecordedBlock& block : g_record->blocks) EXPECT_EQ(block.bytes, 2 * kPageBytes);
}

TEST_F(Counts, LargeRangesHaveCellsOfSeveralPages) {
  g.pages = 3 * kMostCells - 1;
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  EXPECT_EQ(g_record->pages_of_cell, 3U);
  EXPECT_EQ(g_record->n_cells, kMostCells);
  note_fetched(0, g.pages - 2, 2);
  EXPECT_EQ(cells_of(g_record)[kMostCells - 1].fetched.load(), 2U);
}

TEST_F(Counts, MemoryThatIsSharedAnewMustFitTheRecording) {
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  note_fetched(0, 15, 1);
  end_record();
  EXPECT_NE(written().ended.load(), 0U);
  ASSERT_TRUE(open_record(folder_.c_str(), false));
  EXPECT_EQ(written().ended.load(), 0U);
  g.pages = 32;
  const auto opened = open_record(folder_.c_str(), false);
  ASSERT_FALSE(opened);
  EXPECT_STREQ(opened.error().text(), "its recording is of memory of another size, or shared in another way");
  EXPECT_EQ(g_record, nullptr);
  note_fetched(0, 31, 1);
  EXPECT_EQ(cells_of(&written())[15].fetched.load(), 1U);
}

TEST_F(Counts, WhatCannotBeOpenedIsSaid) {
  const auto opened = open_record("/dev/null/x", false);
  ASSERT_FALSE(opened);
  EXPECT_STREQ(opened.error().text(), "cannot make the folder /dev/null/x: Not a directory");
  EXPECT_EQ(g_record, nullptr);
}

}  // namespace
}  // namespace weft::dsm
