#include "pmi/names.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

#include "pmi/arrays.hpp"

namespace weft::pmi {
namespace {

std::vector<int> named(const char* job) {
  const auto list = open_names();
  EXPECT_TRUE(list) << list.error().text();
  const auto found = find_named(*list, job, 100);
  EXPECT_TRUE(found) << found.error().text();
  std::vector<int> pes(found->pes, found->pes + found->n);
  drop_array(found->pes, 100);
  return pes;
}

TEST(Names, AreFoundAsLongAsTheyAreKept) {
  const std::string job = "names-test-" + std::to_string(::getpid());
  std::vector<int> kept;
  for (const int pe : {12, 0, 7}) {
    const auto name = take_name(job.c_str(), pe);
    ASSERT_TRUE(name) << name.error().text();
    kept.push_back(*name);
  }
  EXPECT_FALSE(take_name(job.c_str(), 7)) << "it is another one's";
  EXPECT_EQ(named(job.c_str()), (std::vector<int>{0, 7, 12}));
  EXPECT_TRUE(named((job + "x").c_str()).empty());
  (void)::close(kept[1]);
  EXPECT_EQ(named(job.c_str()), (std::vector<int>{7, 12}));
  (void)::close(kept[0]);
  (void)::close(kept[2]);
  EXPECT_TRUE(named(job.c_str()).empty());
}

TEST(Names, AreFoundOnceThoughASocketOfAnotherKindHasOneToo) {
  const std::string job = "names-test-" + std::to_string(::getpid());
  const auto name = take_name(job.c_str(), 3);
  ASSERT_TRUE(name) << name.error().text();
  const std::string same = name_of_job(job.c_str()).text + std::string("3");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  same.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const int other = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + same.size());
  ASSERT_EQ(::bind(other, reinterpret_cast<const sockaddr*>(&address), bytes), 0);
  EXPECT_EQ(named(job.c_str()), std::vector<int>{3});
  (void)::close(other);
  (void)::close(*name);
}

TEST(Names, OnlyWhatAPeHasWrittenIsOne) {
  const JobName job = name_of_job("j");
  const auto pe = [&](const std::string& end) {
    return pe_in_line(("0000: 00000002 00000000 00000000 0002 01 4711 @" + (job.text + end)).c_str(), job.text);
  };
  EXPECT_EQ(pe("0"), 0);
  EXPECT_EQ(pe("41"), 41);
  for (const char* end : {"", "-1", "007", "4x", " 4", "99999999999999999999"}) EXPECT_EQ(pe(end), -1) << end;
  EXPECT_EQ(pe_in_line("0000: 00000002 00000000 00000000 0002 01 4711", job.text), -1);
  EXPECT_EQ(pe_in_line("0000: 2 0 0 2 01 4711 @weft-pe-0-3", job.text), -1);
}

}  // namespace
}  // namespace weft::pmi
