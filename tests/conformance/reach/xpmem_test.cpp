// What only xpmem has: attachments that are kept.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "owner.hpp"
#include "reach/identity.hpp"

namespace weft::reach::test {
namespace {

constexpr std::uint64_t kPiece = XpmemLink::kPieceBytes;

// Reaches this process itself: a file that it has mapped, of more pieces than are kept.
class Attachments : public testing::Test {
 protected:
  static constexpr std::uint64_t kPieces = 3 * XpmemLink::kPieces;
  Attachments() {
    file_ = ::memfd_create("pieces", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(file_, static_cast<off_t>(kPieces * kPiece)), 0);
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, kPieces * kPiece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, 0));
    EXPECT_FALSE(own_.open(substitutes()));
    card_.pid = ::getpid();
    card_.started = start_of(card_.pid);
    card_.pid_space = space_of_own("pid");
    card_.segment = own_.segment();
    EXPECT_FALSE(link_.open(own_, card_));
  }
  ~Attachments() override {
    link_.close();
    EXPECT_EQ(link_.attached(), 0);
    (void)::munmap(memory_, kPieces * kPiece);
    (void)::close(file_);
  }
  Moved read(std::uint64_t offset, void* to, std::size_t bytes) {
    const Place place{reinterpret_cast<std::uintptr_t>(memory_), kPieces * kPiece, 0};
    const Piece piece{to, bytes};
    const Range range{offset, bytes};
    Walk walk(Direction::kRead, {&piece, 1}, {place, &range, 1});
    return link_.move(walk);
  }

  int file_ = -1;
  std::byte* memory_ = nullptr;
  Xpmem own_;
  Card card_{};
  XpmemLink link_;
};

TEST_F(Attachments, AreBounded) {
  for (std::uint64_t k = 0; k < kPieces; ++k) memory_[k * kPiece] = static_cast<std::byte>(k);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t k = 0; k < kPieces; ++k) {
      std::byte byte{};
      ASSERT_EQ(read(k * kPiece, &byte, 1).outcome, Outcome::kDone);
      ASSERT_EQ(byte, static_cast<std::byte>(k));
      ASSERT_LE(link_.attached(), XpmemLink::kPieces);
    }
  }
  EXPECT_GE(link_.attached(), XpmemLink::kPieces - 1);
}

TEST_F(Attachments, AreKeptAndLetGo) {
  std::byte bytes[2] = {};
  ASSERT_EQ(read(0, bytes, 2).outcome, Outcome::kDone);
  const int once = link_.attached();
  ASSERT_EQ(read(0, bytes, 2).outcome, Outcome::kDone);
  EXPECT_EQ(link_.attached(), once);
  link_.forget(reinterpret_cast<std::uintptr_t>(memory_), 1);
  EXPECT_EQ(link_.attached(), once - 1);
}

// The memory goes while it is attached: a bus error in the copy.
TEST_F(Attachments, MayLoseTheirMemory) {
  std::byte bytes[16] = {};
  ASSERT_EQ(read(0, bytes, 16).outcome, Outcome::kDone);
  ASSERT_EQ(::ftruncate(file_, 0), 0);
  EXPECT_EQ(read(0, bytes, 16).outcome, Outcome::kUnmapped);
  EXPECT_EQ(link_.attached(), 0);
}

}  // namespace
}  // namespace weft::reach::test
