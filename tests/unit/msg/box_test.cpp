// A box between two threads, as between two PEs.
#include "msg/box.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace weft::msg;

struct Free {
  void operator()(BoxHead* box) const { std::free(box); }
};
using Block = std::unique_ptr<BoxHead, Free>;
// For messages from the one behind `before` on.
Block make_block(std::uint32_t lines, std::uint32_t before = 0) {
  auto* const box = static_cast<BoxHead*>(std::aligned_alloc(kLine, box_bytes(lines)));
  clear_box(box, lines, before);
  return Block(box);
}

bool put(BoxWriter& writer, std::uint32_t sequence, const std::vector<std::byte>& data) {
  const std::uint32_t lines = lines_of(data.size());
  Line* const line = writer.reserve(lines, sequence);
  if (line == nullptr) {
    return false;
  }
  Envelope envelope;
  envelope.bytes = data.size();
  envelope.what = Envelope::what_of(Kind::kData, 0);
  line->write(envelope);
  if (!data.empty()) {
    std::memcpy(line->data(), data.data(), data.size());
  }
  writer.publish(line, lines, sequence);
  return true;
}

// The message of this number, if it is there.
bool get(BoxReader& reader, std::uint32_t sequence, std::vector<std::byte>* data) {
  const Line* line = reader.look(sequence);
  if (line != nullptr && line->read(sequence).kind() == Kind::kSkip) {
    reader.take(static_cast<std::uint32_t>(line->read(sequence).bytes));
    line = reader.look(sequence);  // it may not be published yet
  }
  if (line == nullptr) {
    return false;
  }
  const Envelope envelope = line->read(sequence);
  EXPECT_EQ(envelope.kind(), Kind::kData);
  data->resize(envelope.bytes);
  if (!data->empty()) {
    std::memcpy(data->data(), line->data(), envelope.bytes);
  }
  reader.take(lines_of(envelope.bytes));
  return true;
}

// Its data looks like the numbers of messages that are still to come: what a reader that took old data for an entry
// would fall for.
std::vector<std::byte> data_of(std::uint32_t sequence, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t at = 0; at + sizeof sequence <= bytes; at += sizeof sequence) {
    const std::uint32_t later = sequence + 1 + static_cast<std::uint32_t>(at / 64 % 7);
    std::memcpy(data.data() + at, &later, sizeof later);
  }
  return data;
}

std::size_t bytes_of(std::uint32_t sequence, std::uint32_t lines) {
  std::minstd_rand random(sequence * 7919);
  const auto drawn = static_cast<std::size_t>(random());
  return drawn % 3 == 0 ? drawn % (kLine * lines / 4 - sizeof(Envelope)) : drawn % 40;
}

// More than a minute of work for nobody: it ends when it is full.
constexpr std::uint32_t kMessages = 200'000;

TEST(Box, KeepsWhatAThreadWrites) {
  for (const std::uint32_t lines : {8U, 256U}) {
    const Block block = make_block(lines);
    BoxWriter writer;
    writer.open(block.get(), lines);
    std::thread other([&] {
      for (std::uint32_t sequence = 1; sequence <= kMessages; ++sequence) {
        while (!put(writer, sequence, data_of(sequence, bytes_of(sequence, lines)))) {
          std::this_thread::yield();
        }
      }
    });
    BoxReader reader;
    reader.open(block.get(), lines);
    std::vector<std::byte> data;
    bool same = true;
    for (std::uint32_t sequence = 1; sequence <= kMessages; ++sequence) {
      while (!get(reader, sequence, &data)) {
        std::this_thread::yield();
      }
      same = same && data == data_of(sequence, bytes_of(sequence, lines));
    }
    other.join();
    EXPECT_TRUE(same) << lines << " lines";
  }
}

TEST(Box, IsFullAndHasRoomAgain) {
  const Block block = make_block(8);
  BoxWriter writer;
  writer.open(block.get(), 8);
  BoxReader reader;
  reader.open(block.get(), 8);
  std::uint32_t sent = 0;
  while (put(writer, sent + 1, {})) {
    ++sent;
  }
  EXPECT_EQ(sent, 7U) << "one line stays free";
  EXPECT_TRUE(writer.looks_full());
  EXPECT_TRUE(writer.has_looked());
  EXPECT_FALSE(writer.has_looked());
  std::vector<std::byte> data;
  EXPECT_TRUE(get(reader, 1, &data));
  EXPECT_FALSE(get(reader, 1, &data)) << "it is taken";
  EXPECT_TRUE(put(writer, ++sent, {}));
  EXPECT_FALSE(put(writer, sent + 1, {}));
}

TEST(Box, ShowsAMessageInItsTurnOnly) {
  const Block block = make_block(8);
  BoxWriter writer;
  writer.open(block.get(), 8);
  BoxReader reader;
  reader.open(block.get(), 8);
  EXPECT_TRUE(put(writer, 2, {}));
  EXPECT_EQ(reader.look(1), nullptr) << "the first one has gone another way and is not here yet";
  EXPECT_NE(reader.look(2), nullptr);
}

// By turns, so that the reader looks at each line that is none yet.
TEST(Box, CountsRoundTheLargestNumber) {
  for (const std::uint32_t lines : {8u, 64u, 1024u}) {
    constexpr std::uint32_t kBefore = UINT32_MAX - 2000;
    const Block block = make_block(lines, kBefore);
    BoxWriter writer;
    BoxReader reader;
    writer.open(block.get(), lines);
    reader.open(block.get(), lines);
    std::mt19937 random(lines);
    std::vector<std::byte> got;
    for (std::uint32_t sequence = kBefore + 1; sequence != 2000; ++sequence) {
      EXPECT_FALSE(get(reader, sequence, &got)) << sequence;
      const auto data = std::vector<std::byte>(random() % 200);  // zeros: what message 0 looks like
      ASSERT_TRUE(put(writer, sequence, data));
      ASSERT_TRUE(get(reader, sequence, &got)) << sequence;
      EXPECT_EQ(got, data);
    }
  }
  // A box that is new when the number goes round.
  const Block block = make_block(8, UINT32_MAX);
  BoxReader reader;
  reader.open(block.get(), 8);
  std::vector<std::byte> got;
  EXPECT_FALSE(get(reader, 0, &got));
}

// Where the message of this number begins, in lines; it is read at once.
long place_of_next(BoxWriter& writer, BoxReader& reader, const BoxHead* box, std::uint32_t sequence,
                   std::size_t bytes) {
  std::vector<std::byte> data;
  EXPECT_FALSE(get(reader, sequence, &data)) << sequence;
  Line* const line = writer.reserve(lines_of(bytes), sequence);
  Envelope envelope;
  envelope.bytes = bytes;
  envelope.what = Envelope::what_of(Kind::kData, 0);
  line->write(envelope);
  writer.publish(line, lines_of(bytes), sequence);
  EXPECT_TRUE(get(reader, sequence, &data)) << sequence;
  return line - reinterpret_cast<const Line*>(box + 1);
}

TEST(Box, TurnsEarlyWithAReaderThatKeepsUp) {
  const Block block = make_block(kMostLines);
  BoxWriter writer;
  BoxReader reader;
  writer.open(block.get(), kMostLines);
  reader.open(block.get(), kMostLines);
  for (std::uint32_t sequence = 1; sequence <= 100; ++sequence) {
    const std::size_t bytes = sequence % 2 == 0 ? 4096 : 1000;
    EXPECT_LE(place_of_next(writer, reader, block.get(), sequence, bytes) + lines_of(bytes), kTurn) << sequence;
  }
}

// Also where it stopped at a turn: lines there say where to go on, and one stays free.
TEST(Box, IsUsedWholeWhereTheReaderStops) {
  for (const std::uint32_t before : {0U, 100U, kTurn, kTurn + 1, 200U}) {
    const Block block = make_block(kMostLines);
    BoxWriter writer;
    BoxReader reader;
    writer.open(block.get(), kMostLines);
    reader.open(block.get(), kMostLines);
    std::vector<std::byte> data;
    std::uint32_t sent = 0;
    while (sent < before) {
      ASSERT_TRUE(put(writer, ++sent, {}));
      ASSERT_TRUE(get(reader, sent, &data));
    }
    while (put(writer, sent + 1, {})) {
      ++sent;
    }
    EXPECT_GE(sent - before, kMostLines - 4) << before;
    for (std::uint32_t sequence = before + 1; sequence <= sent; ++sequence) {
      ASSERT_TRUE(get(reader, sequence, &data)) << sequence << " of " << before;
    }
    ASSERT_TRUE(put(writer, ++sent, {}));
    ASSERT_TRUE(get(reader, sent, &data));
  }
}

// Lines behind a turn are left alone, maybe until a number that stands there is that of a message to come.
TEST(Box, FindsNoOldNumbersBehindATurn) {
  const Block block = make_block(kMostLines);
  BoxWriter writer;
  BoxReader reader;
  writer.open(block.get(), kMostLines);
  reader.open(block.get(), kMostLines);
  std::vector<std::byte> data;
  const auto long_round = [&](std::uint32_t first) {
    for (std::uint32_t sequence = first; sequence != first + 500; ++sequence) {
      EXPECT_FALSE(get(reader, sequence, &data)) << sequence;
      ASSERT_TRUE(put(writer, sequence, {}));
      if (sequence == first + 200) {  // the reader stays behind until it is too late to turn early
        for (std::uint32_t read = first; read != first + 200; ++read) {
          ASSERT_TRUE(get(reader, read, &data)) << read;
        }
      }
      if (sequence >= first + 200) {
        ASSERT_TRUE(get(reader, sequence, &data)) << sequence;
      }
    }
  };
  for (int round = 0; round < 2; ++round) {
    long_round(1);
    // To the end of the box and into short rounds.
    for (std::uint32_t sequence = 501; sequence != 2001; ++sequence) {
      (void)place_of_next(writer, reader, block.get(), sequence, 8);
    }
    // Into the beginning of a round, as the first one.
    std::uint32_t sequence = 2001;
    while (place_of_next(writer, reader, block.get(), sequence, 8) != kTurn - 3) {
      ++sequence;
    }
  }
}

TEST(Box, GetsNoRoomFromADamagedCount) {
  const Block block = make_block(8);
  BoxWriter writer;
  writer.open(block.get(), 8);
  for (std::uint32_t sequence = 1; sequence <= 7; ++sequence) {
    EXPECT_TRUE(put(writer, sequence, {}));
  }
  for (const std::uint64_t wrong : {std::uint64_t{8}, std::uint64_t{1} << 40, UINT64_MAX}) {
    block->taken.store(wrong);
    EXPECT_FALSE(put(writer, 8, {})) << wrong;
  }
  block->taken.store(1);
  EXPECT_TRUE(put(writer, 8, {}));
}

}  // namespace
