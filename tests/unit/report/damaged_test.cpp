// Recordings with wrong bytes and without their end: read, or refused with one line, in little time and memory.
#include <cstring>
#include <fstream>
#include <memory>

#include "report/hints.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"
#include "tests/unit/report/recordings.hpp"

namespace weft::report {
namespace {

constexpr std::size_t kLine = 64;

struct alignas(kLine) Line {
  std::byte bytes[kLine];
};

// A file in memory.
class File {
 public:
  explicit File(const std::string& path) : size_(std::filesystem::file_size(path)), lines_(size_ / kLine + 1) {
    std::ifstream(path).read(reinterpret_cast<char*>(at()), static_cast<std::streamsize>(size_));
  }
  std::byte* at() { return lines_.data()->bytes; }
  std::size_t size() const { return size_; }
  Bytes bytes() { return {at(), size_, "pe.weft"}; }

 private:
  std::size_t size_;
  std::vector<Line> lines_;
};

class Damaged : public Recordings {
 protected:
  Damaged() {
    for (int pe = 0; pe < 2; ++pe) {
      RecordedPe one(folder_, pe, 2, 0, 4);
      for (std::uint64_t k = 0; k < 6; ++k) {
        one.count(Call::shmem_long_put, profile::Kind::kPut, 0x10 * k,
                  {.begin = 100 * k, .end = 100 * k + 50, .bytes = std::uint64_t{8} << k, .peer = 1 - pe});
      }
      one.count(Call::shmem_barrier_all, profile::Kind::kBarrier, 0x90,
                {.begin = 1000, .end = 90000, .last = 1 - pe, .late = 5000});
      one.recorder().go_inside(one.site(Call::shmem_sync_all, profile::Kind::kBarrier, 0xa0), 95000);
      one.end(200000);
    }
  }
  std::string path(int pe) const { return folder_ + "/pe." + std::to_string(pe) + ".weft"; }

  // All that weft-profile does with recordings. False: they were refused.
  static bool use(const std::vector<Bytes>& files, bool pages) {
    const auto raw = read_job(files);
    if (!raw) {
      const std::string why = raw.error().text();
      EXPECT_NE(why.find("pe.weft"), std::string::npos) << why;
      EXPECT_EQ(why.find('\n'), std::string::npos) << why;
      return false;
    }
    const Profile profile = merge(*raw);
    EXPECT_EQ(profile.n_pes(), 2);
    const auto found = hints(profile);
    EXPECT_FALSE(summary(profile, found).empty());
    if (pages) {
      EXPECT_FALSE(to_json(profile, found, "0").empty());
      EXPECT_FALSE(to_trace(profile).empty());
    }
    return true;
  }
};

// Something is written near it; or it is one of the few that stand for the empty rest of the tables.
bool worth_a_try(File& file, std::size_t at) {
  const auto* line = file.at() + at / kLine * kLine;
  const bool empty = std::all_of(line, line + std::min(kLine, file.size() - at / kLine * kLine),
                                 [](std::byte byte) { return byte == std::byte{0}; });
  return !empty || at % 1021 == 0;
}

TEST_F(Damaged, OneByteWrong) {
  File zero(path(0));
  File one(path(1));
  ASSERT_TRUE(use({zero.bytes(), one.bytes()}, true));
  std::size_t tried = 0;
  std::size_t refused = 0;
  for (std::size_t at = 0; at < zero.size(); ++at) {
    if (!worth_a_try(zero, at)) continue;
    const std::byte was = zero.at()[at];
    for (const unsigned other : {0x01U, 0x7fU, 0x80U, 0xffU, std::to_integer<unsigned>(was)}) {
      zero.at()[at] = was ^ static_cast<std::byte>(other);
      refused += use({zero.bytes(), one.bytes()}, at % 16 == 0) ? 0 : 1;
      ++tried;
    }
    zero.at()[at] = was;
  }
  EXPECT_GT(tried, 5000U);
  EXPECT_GT(refused, 100U);
  EXPECT_LT(refused, tried / 2);  // most bytes are names, times and counts, and as good as any
}

TEST_F(Damaged, OneByteWrongInTheOnlyFile) {
  File zero(path(0));
  for (std::size_t at = 0; at < offsetof(profile::Header, modules); ++at) {
    const std::byte was = zero.at()[at];
    for (const unsigned other : {0x01U, 0x40U, 0x80U, 0xffU}) {
      zero.at()[at] = was ^ static_cast<std::byte>(other);
      const auto raw = read_job({zero.bytes()});
      EXPECT_TRUE(!raw || merge(*raw).n_pes() <= 64) << at;  // as many as the part has room for
    }
    zero.at()[at] = was;
  }
}

TEST_F(Damaged, AnyLength) {
  File file(path(0));
  for (std::size_t size = 0; size < file.size(); ++size) {
    ASSERT_FALSE(read_pe({file.at(), size, "pe.weft"})) << size;
  }
  EXPECT_TRUE(read_pe(file.bytes()));
}

TEST_F(Damaged, SaysWhatIsWrong) {
  File zero(path(0));
  File one(path(1));
  const auto why = [&] {
    const auto raw = read_job({zero.bytes(), one.bytes()});
    return std::string(raw ? "" : raw.error().text());
  };
  auto* header = reinterpret_cast<profile::Header*>(one.at());
  auto* part = reinterpret_cast<profile::ThreadPart*>(one.at() + profile::kHeaderBytes);
  header->n_pes = 3;
  EXPECT_EQ(why(), "pe.weft is of PE 1 of 3 and lies among those of a job of 2; record into an empty folder");
  header->n_pes = 1 << 30;
  EXPECT_EQ(why(), "pe.weft is damaged: there are no jobs with that many PEs");
  header->n_pes = 2;
  header->parts = 2;
  EXPECT_EQ(why(), "pe.weft is damaged: its end is missing");
  header->parts = 1;
  part->waits.list[0].last = 2;
  EXPECT_EQ(why(), "pe.weft is damaged: a wait in it is in no call or for no PE");
  part->waits.list[0].last = 0;
  part->line.shift = 64;
  EXPECT_EQ(why(), "pe.weft is damaged: its time line is too long");
}

// As weft-profile itself reads them.
TEST_F(Damaged, OnDisk) {
  std::filesystem::resize_file(path(1), std::filesystem::file_size(path(1)) - 1);
  const auto cut = load(folder_);
  ASSERT_FALSE(cut);
  EXPECT_EQ(std::string(cut.error().text()), path(1) + " is damaged: its end is missing");
  std::filesystem::resize_file(path(0), 100);
  EXPECT_FALSE(load(folder_));
}

}  // namespace
}  // namespace weft::report
