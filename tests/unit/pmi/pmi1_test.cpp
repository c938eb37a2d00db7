// The client against a server of the test's own, which follows the protocol or, line by line, does not.
#include "pmi/pmi1.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace weft::pmi {
namespace {

using Answer = std::function<std::string(const std::string& line)>;

// What follows "key=" in a line, up to a blank.
std::string field(const std::string& line, const std::string& key) {
  const std::size_t at = line.find(" " + key + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 2;
  return line.substr(begin, line.find(' ', begin) - begin);
}

class Server {
 public:
  // answer: what is sent for a line, "" for nothing at all, "!" to close the connection.
  explicit Server(Answer answer) : answer_(std::move(answer)) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0);
    thread_ = std::thread([this] { serve(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    (void)::shutdown(ends_[0], SHUT_RDWR);
    thread_.join();
    (void)::close(ends_[0]);
    (void)::close(ends_[1]);
  }
  int descriptor() const { return ends_[0]; }
  // The lines that have come, after the connection is over.
  std::vector<std::string> lines() {
    (void)::shutdown(ends_[0], SHUT_RDWR);
    thread_.join();
    thread_ = std::thread([] {});
    return lines_;
  }

 private:
  void serve() {
    std::string text;
    char part[512];
    for (ssize_t got; (got = ::read(ends_[1], part, sizeof part)) > 0;) {
      text.append(part, static_cast<std::size_t>(got));
      for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
        lines_.push_back(text.substr(0, end));
        const std::string answer = answer_(lines_.back());
        if (answer == "!") {
          (void)::shutdown(ends_[1], SHUT_RDWR);
          return;
        }
        // In two parts, as a stream may come.
        (void)::send(ends_[1], answer.data(), answer.size() / 2, MSG_NOSIGNAL);
        (void)::send(ends_[1], answer.data() + answer.size() / 2, answer.size() - answer.size() / 2, MSG_NOSIGNAL);
      }
    }
  }

  Answer answer_;
  int ends_[2] = {-1, -1};
  std::vector<std::string> lines_;
  std::thread thread_;
};

// A server that does all as it should, with values of at most this many characters.
class Store {
 public:
  explicit Store(int most = 1024) : most_(most) {}
  std::string operator()(const std::string& line) {
    if (line.starts_with("cmd=init ")) return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
    if (line == "cmd=get_maxes") {
      return "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=" + std::to_string(most_) + "\n";
    }
    if (line == "cmd=get_my_kvsname") return "cmd=my_kvsname kvsname=kvs_1_0\n";
    if (line.starts_with("cmd=put ")) {
      EXPECT_EQ(field(line, "kvsname"), "kvs_1_0");
      EXPECT_LT(static_cast<int>(field(line, "value").size()), most_);
      values_[field(line, "key")] = field(line, "value");
      return "cmd=put_result rc=0 msg=success\n";
    }
    if (line == "cmd=barrier_in") return "cmd=barrier_out\n";
    if (line.starts_with("cmd=get ")) {
      const auto found = values_.find(field(line, "key"));
      return found == values_.end() ? "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"
                                    : "cmd=get_result rc=0 msg=success value=" + found->second + "\n";
    }
    if (line == "cmd=finalize") return "cmd=finalize_ack\n";
    return "";
  }
  std::map<std::string, std::string>& values() { return values_; }

 private:
  int most_;
  std::map<std::string, std::string> values_;
};

std::string why(const base::Result<void>& result) { return result ? "" : result.error().text(); }

struct Long {
  unsigned char bytes[kMostValue];
};
Long pattern() {
  Long made;
  for (std::size_t k = 0; k < sizeof made.bytes; ++k) made.bytes[k] = static_cast<unsigned char>(k * 37 + 11);
  return made;
}

TEST(Pmi1, KeepsWhatIsPut) {
  Store store;
  Server server([&](const std::string& line) { return store(line); });
  Pmi1 client;
  ASSERT_EQ(why(client.open(server.descriptor(), 2, 5)), "");
  EXPECT_EQ(client.rank(), 2);
  EXPECT_EQ(client.size(), 5);
  ASSERT_EQ(why(put(client, "number", std::int64_t{-42})), "");
  ASSERT_EQ(why(client.fence()), "");
  const auto got = get<std::int64_t>(client, 2, "number");
  ASSERT_TRUE(got) << got.error().text();
  EXPECT_EQ(*got, -42);
  client.finalize();
  EXPECT_EQ(server.lines().back(), "cmd=finalize");
}

// Whatever the store's limit, and with every value of a byte.
TEST(Pmi1, LongValuesGoInPieces) {
  for (const int most : {64, 65, 255, 1024, 4096}) {
    Store store(most);
    Server server([&](const std::string& line) { return store(line); });
    Pmi1 client;
    ASSERT_EQ(why(client.open(server.descriptor(), 0, 2)), "");
    const Long sent = pattern();
    ASSERT_EQ(why(put(client, "long", sent)), "") << most;
    const auto got = get<Long>(client, 0, "long");
    ASSERT_TRUE(got) << got.error().text();
    EXPECT_EQ(std::memcmp(got->bytes, sent.bytes, sizeof sent.bytes), 0) << most;
  }
}

TEST(Pmi1, ManyAnswersAtOnceAreTakenOneByOne) {
  Store store;
  Server server([&](const std::string& line) {
    // Together with what will be asked for next.
    return line == "cmd=barrier_in" ? std::string("cmd=barrier_out\ncmd=barrier_out\n") : store(line);
  });
  Pmi1 client;
  ASSERT_EQ(why(client.open(server.descriptor(), 0, 2)), "");
  EXPECT_EQ(why(client.fence()), "");
  EXPECT_EQ(why(client.fence()), "");
}

TEST(Pmi1, AFenceCanHaveALimit) {
  Store store;
  std::atomic<bool> others_come = true;
  Server server(
      [&](const std::string& line) { return line == "cmd=barrier_in" && !others_come ? std::string() : store(line); });
  Pmi1 client;
  ASSERT_EQ(why(client.open(server.descriptor(), 0, 2)), "");
  EXPECT_TRUE(client.fence_within(60'000));
  others_come = false;
  EXPECT_FALSE(client.fence_within(100));
}

TEST(Pmi1, AbortTellsTheCode) {
  Store store;
  Server server([&](const std::string& line) { return store(line); });
  Pmi1 client;
  ASSERT_EQ(why(client.open(server.descriptor(), 0, 2)), "");
  client.abort(42, "because");
  EXPECT_EQ(server.lines().back(), "cmd=abort exitcode=42");
}

struct Wrong {
  const char* at;      // the beginning of the line that is answered wrongly
  const char* answer;  // "!": none, and the connection is closed; "": none
  const char* told;    // part of what is said
};

class Pmi1Wrong : public testing::TestWithParam<Wrong> {};

TEST_P(Pmi1Wrong, IsToldAndNothingHangs) {
  const Wrong& wrong = GetParam();
  Store store;
  Server server(
      [&](const std::string& line) { return line.starts_with(wrong.at) ? std::string(wrong.answer) : store(line); });
  Pmi1 client;
  client.set_limit(200);
  base::Result<void> done = client.open(server.descriptor(), 0, 2);
  if (done) done = put(client, "number", std::int64_t{7});
  if (done) done = client.fence();
  if (done) {
    const auto got = get<std::int64_t>(client, 0, "number");
    done = got ? base::Result<void>() : got.error();
  }
  EXPECT_NE(why(done).find(wrong.told), std::string::npos) << "'" << why(done) << "'";
}

INSTANTIATE_TEST_SUITE_P(
    All, Pmi1Wrong,
    testing::Values(Wrong{"cmd=init", "!", "it closed the connection"}, Wrong{"cmd=init", "", "does not answer"},
                    Wrong{"cmd=init", "hello\n", "answered \"cmd=init\" with \"hello\""},
                    Wrong{"cmd=init", "\n", "answered \"cmd=init\" with \"\""},
                    Wrong{"cmd=init", "cmd=response_to_init rc=-1\n", "refused \"cmd=init"},
                    Wrong{"cmd=get_maxes", "cmd=maxes kvsname_max=256\n", "does not tell the sizes"},
                    Wrong{"cmd=get_maxes", "cmd=maxes keylen_max=8 vallen_max=1024\n", "keys of 8"},
                    Wrong{"cmd=get_maxes", "cmd=maxes keylen_max=64 vallen_max=x\n", "values of x"},
                    Wrong{"cmd=get_my_kvsname", "cmd=my_kvsname\n", "does not name its store"},
                    Wrong{"cmd=put", "cmd=put_result rc=-1 msg=no_room\n", "no_room"},
                    Wrong{"cmd=barrier_in", "cmd=barrier_out rc=-1\n", "refused \"cmd=barrier_in\""},
                    Wrong{"cmd=barrier_in", "!", "has gone"},
                    Wrong{"cmd=get kvs", "cmd=get_result rc=0 value=0700\n", "came back damaged"},
                    Wrong{"cmd=get kvs", "cmd=get_result rc=0 value=07000000000000xy\n", "came back damaged"},
                    Wrong{"cmd=get kvs", "cmd=get_result rc=0\n", "came back damaged"},
                    Wrong{"cmd=get kvs", "cmd=put_result rc=0\n", "answered \"cmd=get\""}));

TEST(Pmi1, ALineWithoutAnEndIsRefused) {
  Store store;
  Server server(
      [&](const std::string& line) { return line.starts_with("cmd=init") ? std::string(10'000, 'x') : store(line); });
  Pmi1 client;
  EXPECT_NE(why(client.open(server.descriptor(), 0, 2)).find("more than 4096 characters"), std::string::npos);
}

TEST(Manager, ALauncherMayBeWrongAboutWhoThisIs) {
  EXPECT_EQ(why(check_place(0, 1)), "");
  EXPECT_EQ(why(check_place(9999, 10000)), "");
  for (const auto& [rank, size] : {std::pair<std::int64_t, std::int64_t>{0, 0},
                                   {0, -1},
                                   {0, 1048577},
                                   {2, 2},
                                   {-1, 2},
                                   {4294967294, 4294967295}}) {
    EXPECT_NE(why(check_place(rank, size)).find("process " + std::to_string(rank) + " of " + std::to_string(size)),
              std::string::npos);
  }
}

TEST(Pmi1, MoreProcessesThanAJobHasAreRefused) {
  Store store;
  Server server([&](const std::string& line) { return store(line); });
  Pmi1 client;
  EXPECT_NE(why(client.open(server.descriptor(), 0, 1 << 30)).find("1 to 1048576 PEs"), std::string::npos);
}

TEST(Pmi1, WhatIsNoManagerIsToldAsSuch) {
  Pmi1 client;
  client.set_limit(200);
  EXPECT_NE(why(client.open(987, 0, 2)).find("descriptor 987 (PMI_FD)"), std::string::npos);
  EXPECT_NE(why(client.open(0, 2, 2)).find("PMI_RANK is 2, but PMI_SIZE is 2"), std::string::npos);
}

}  // namespace
}  // namespace weft::pmi
