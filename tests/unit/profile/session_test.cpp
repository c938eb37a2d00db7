#include "profile/session.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "support/leftovers.hpp"

namespace weft::profile {
namespace {

// A process has one session, so there is one test of it.
TEST(Session, CountsThreadsApartAndNotInChildren) {
  const test::TemporaryDirectory temporary;
  const std::string& folder = temporary.path();
  EXPECT_EQ(recorder(), nullptr);
  choose_clock();
  ASSERT_TRUE(open_session({.folder = folder.c_str(),
                            .pe = 0,
                            .n_pes = 1,
                            .trace_room = 0,
                            .calls = 10,
                            .calls_hash = 1,
                            .moment = session_clock().moment()}));
  const auto count_one = [] {
    ThreadRecorder* thread = recorder();
    ASSERT_NE(thread, nullptr);
    const std::uint64_t now = session_clock().now();
    thread->count(thread->site(1, Kind::kPut, 0x10), Kind::kPut, {.begin = now, .end = now + 5, .bytes = 8, .peer = 0});
  };
  count_one();
  std::thread([&] { count_one(); }).join();
  // The part of a thread that has ended serves the next.
  std::thread([&] { count_one(); }).join();
  Header* header = session_header();
  ASSERT_NE(header, nullptr);
  EXPECT_EQ(header->parts.load(), 2U);

  count_calls(false);
  EXPECT_EQ(recorder(), nullptr);
  count_calls(true);
  EXPECT_NE(recorder(), nullptr);

  const pid_t child = ::fork();
  if (child == 0) ::_exit(recorder() == nullptr && session_header() == nullptr ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);

  // More threads at a time than there is room for.
  std::vector<std::thread> many;
  std::atomic<unsigned> there = 0;
  std::atomic<unsigned> refused = 0;
  constexpr unsigned kThreads = kMaxThreads + 6;
  for (unsigned k = 0; k < kThreads; ++k) {
    many.emplace_back([&] {
      refused += recorder() == nullptr ? 1 : 0;
      ++there;
      while (there < kThreads) std::this_thread::yield();
    });
  }
  for (std::thread& thread : many) thread.join();
  EXPECT_EQ(refused.load(), kThreads - (kMaxThreads - 1));
  EXPECT_EQ(header->lost_threads.load(), refused.load());

  EXPECT_EQ(header->end, 0U);
  mark_end(State::kFinalised);
  EXPECT_NE(header->end, 0U);
  mark_end(State::kExited);  // finalising is the stronger word
  EXPECT_EQ(header->state, State::kFinalised);
}

}  // namespace
}  // namespace weft::profile
