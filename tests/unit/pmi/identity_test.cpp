#include "pmi/identity.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace weft::pmi {
namespace {

Identity self() {
  const Token token = *make_token();
  const int fd = *make_token_file(token);
  Identity found =
      *describe_self(*base::read_options([](const char*) -> const char* { return nullptr; }), fd, token, fd);
  found.heap.named = 1;
  (void)::close(fd);
  return found;
}

std::string why(const Identity& one, const Identity& other) {
  const auto agreed = agree(one, other, 3);
  return agreed ? "" : agreed.error().text();
}

TEST(Identity, DescribesThisProcess) {
  const Identity one = self();
  EXPECT_EQ(one.token_file.pid, ::getpid());
  EXPECT_GT(one.heap.memory_bytes, 0U);
  EXPECT_EQ(one.heap.asked, std::uint64_t{512} << 20);
  EXPECT_NE(one.pid_space, 0U);
  EXPECT_STRNE(one.host, "");
  int cpus = 0;
  for (const std::uint8_t byte : one.cpus) cpus += __builtin_popcount(byte);
  EXPECT_GE(cpus, 1);
  std::uint8_t nobody[16] = {};
  EXPECT_NE(std::memcmp(one.boot_id, nobody, sizeof nobody), 0);
}

TEST(Identity, KeysAndTokensDifferFromTimeToTime) {
  const Identity one = self();
  const Identity other = self();
  EXPECT_FALSE(same(one.token, other.token));
  EXPECT_NE(one.job_key[0], other.job_key[0]);
}

TEST(Identity, MaySharesOnlyWithTheSameKernelAndTheSameProcessNumbers) {
  const Identity one = self();
  Identity other = self();
  EXPECT_TRUE(may_share(one, other));
  other.boot_id[15] ^= 1U;
  EXPECT_FALSE(may_share(one, other));
  other = one;
  other.pid_space += 1;
  EXPECT_FALSE(may_share(one, other));
  other = one;
  other.heap.named = 0;  // somebody else has its name
  EXPECT_FALSE(may_share(one, other));
  EXPECT_FALSE(may_share(other, one));
}

TEST(Identity, TellsWhoDoesNotFitIntoTheJob) {
  const Identity one = self();
  EXPECT_EQ(why(one, self()), "");
  Identity other = self();
  other.layout += 1;
  EXPECT_NE(why(one, other).find("PE 3"), std::string::npos);
  EXPECT_NE(why(one, other).find("another version of Weft"), std::string::npos);
  other = self();
  other.heap.asked *= 2;
  EXPECT_NE(why(one, other).find("SHMEM_SYMMETRIC_SIZE"), std::string::npos);
  EXPECT_NE(why(one, other).find("1073741824 bytes"), std::string::npos);
}

TEST(Identity, ReadsNoFurtherThanTheNameOfAHost) {
  const Identity one = self();
  Identity others[2] = {one, one};
  others[0].heap.asked += 1;
  std::memset(others[0].host, 'x', sizeof others[0].host);
  others[1].layout = 0x79797979;  // letters, behind the name
  const std::string told = why(one, others[0]);
  EXPECT_NE(told.find("(on " + std::string(sizeof one.host, 'x') + ")"), std::string::npos) << told;
}

}  // namespace
}  // namespace weft::pmi
