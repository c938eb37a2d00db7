// Files of jobs that other processes show us: this one shows some.
#include "doctor/look_in.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace weft::doctor {
namespace {

class Shown {
 public:
  Shown(std::uint32_t n_pes, std::size_t bytes, int seals = F_SEAL_SHRINK | F_SEAL_GROW,
        std::uint32_t layout = boot::kJobLayout)
      : fd_(::memfd_create("weft-control", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    boot::JobHeader header{};
    header.magic = boot::kJobMagic;
    header.layout = layout;
    header.n_pes = n_pes;
    header.launcher_pid = ::getpid();
    EXPECT_EQ(::ftruncate(fd_, static_cast<off_t>(bytes)), 0);
    EXPECT_GE(::pwrite(fd_, static_cast<const void*>(&header), std::min(bytes, sizeof header), 0), 0);
    EXPECT_EQ(::fcntl(fd_, F_ADD_SEALS, seals), 0);
  }
  ~Shown() { (void)::close(fd_); }

 private:
  int fd_;
};

std::string refused() {
  const auto job = look_in(::getpid());
  return job ? "" : job.error().text();
}

constexpr std::size_t kEnough = boot::records_bytes(3);

TEST(Attach, AWholeFileOfAJob) {
  const Shown shown(3, kEnough);
  const auto job = look_in(::getpid());
  ASSERT_TRUE(job);
  EXPECT_EQ(job->shape.n_pes, 3);
  EXPECT_EQ(look_at(job->header, job->shape, living(*job), 1).size(), 3U);
}

TEST(Attach, NoFileAtAll) { EXPECT_NE(refused().find("is no oshrun"), std::string::npos) << refused(); }

// Reading behind its end would be SIGBUS.
TEST(Attach, AFileThatIsTooShort) {
  const Shown shown(3, kEnough - 1);
  EXPECT_NE(refused().find("is damaged: "), std::string::npos) << refused();
  const std::vector<int> listed = jobs();
  EXPECT_EQ(std::count(listed.begin(), listed.end(), ::getpid()), 0);
}

TEST(Attach, AFileWithoutAWholeHeader) {
  const Shown shown(3, 100);
  EXPECT_NE(refused().find("is no oshrun"), std::string::npos) << refused();
}

TEST(Attach, MorePesThanAnyJobHas) {
  const Shown shown(4'000'000'000U, std::size_t{1} << 42);
  EXPECT_NE(refused().find("is damaged: "), std::string::npos) << refused();
}

TEST(Attach, NoPesAtAll) {
  const Shown shown(0, kEnough);
  EXPECT_NE(refused().find("is damaged: "), std::string::npos) << refused();
}

TEST(Attach, AFileThatMayShrinkWhileItIsRead) {
  const Shown shown(3, kEnough, 0);
  EXPECT_NE(refused().find("is damaged: "), std::string::npos) << refused();
}

TEST(Attach, AnotherVersion) {
  const Shown shown(4'000'000'000U, 4096, 0, boot::kJobLayout + 1);
  EXPECT_NE(refused().find("of another version"), std::string::npos) << refused();
}

}  // namespace
}  // namespace weft::doctor
