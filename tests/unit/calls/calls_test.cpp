#include "calls/calls.hpp"

#include <gtest/gtest.h>

#include "api/calls.hpp"
#include "api/interfaces.hpp"
#include "job/node.hpp"
#include "profile/routines.hpp"

namespace weft::calls {
namespace {

static_assert(api::kInterfaceShift == job::kInterfaceShift, "records and tables divide a number alike");

constexpr Number number(api::Call call) { return static_cast<Number>(call); }
constexpr Number number(std::uint32_t interface, std::uint32_t index) {
  return interface << api::kInterfaceShift | index;
}

TEST(Calls, HaveTheNamesOfTheirInterface) {
  EXPECT_EQ(name_of(number(api::Call::shmem_init)), "shmem_init");
  EXPECT_EQ(name_of(number(api::Call::shmem_long_put)), "shmem_long_put");
  EXPECT_EQ(name_of(api::kCalls - 1), api::call_name(static_cast<api::Call>(api::kCalls - 1)));
  EXPECT_EQ(name_of(0), "");
}

TEST(Calls, OfAnInterfaceWithoutATableHaveNumbers) {
  EXPECT_TRUE(possible(number(5, 17)));
  EXPECT_EQ(name_of(number(5, 17)), "call 17 of interface 5");
  EXPECT_EQ(kind_of(number(5, 17)), api::Kind::kQuery);
  EXPECT_STREQ(words_of(number(5, 17)).init, "shmem_init");
  EXPECT_STREQ(interface_name(5), "");
  EXPECT_EQ(count_of(5), 0U);
}

TEST(Calls, ThatNobodyHasGivenAreNone) {
  for (const Number call : {Number{api::kCalls}, number(0, 0xffffff), number(5, 0), number(5, 1 << 16), number(16, 1),
                            number(255, 17), Number{0xdeadbeef}, Number{0xffffffff}}) {
    EXPECT_FALSE(possible(call)) << call;
    EXPECT_EQ(name_of(call), "") << call;
    EXPECT_EQ(kind_of(call), api::Kind::kQuery) << call;
    EXPECT_STREQ(words_of(call).finalize, "shmem_finalize") << call;
  }
}

TEST(Calls, AreAboutSomething) {
  EXPECT_EQ(kind_of(number(api::Call::shmem_long_put)), api::Kind::kPut);
  EXPECT_EQ(kind_of(number(api::Call::shmem_getmem)), api::Kind::kGet);
  EXPECT_EQ(kind_of(number(api::Call::shmem_barrier_all)), api::Kind::kBarrier);
  EXPECT_EQ(kind_of(number(api::Call::shmem_set_lock)), api::Kind::kLock);
  EXPECT_EQ(kind_of(number(api::Call::shmem_malloc)), api::Kind::kSetup);
  EXPECT_EQ(kind_of(number(api::Call::shmem_my_pe)), api::Kind::kQuery);
}

// The tool that records has its routines in a table of its own.
TEST(Calls, AreTheSameToWhoRecordsAndWhoReads) {
  EXPECT_EQ(count_of(profile::kInterface), api::kCalls);
  EXPECT_EQ(hash_of(profile::kInterface), profile::hash_of_routines());
  EXPECT_NE(hash_of(5), profile::hash_of_routines());
  EXPECT_STREQ(interface_name(profile::kInterface), "OpenSHMEM");
}

}  // namespace
}  // namespace weft::calls
