// The library loaded by dlopen into a program that has threads: their stores to static data are not lost.
#include "job.hpp"

// Of the program when it loads the library; the thread sanitizer has one of its own.
#if defined(__SANITIZE_THREAD__)
#define kThreads "5"
#else
#define kThreads "4"
#endif

namespace weft::fault {
namespace {

class Late : public JobTest {
 protected:
  Output late(int n_pes, const char* what) const {
    return job({"-n", std::to_string(n_pes), WEFT_LATE, WEFT_LIBRARY, what});
  }
};

void expect_right(const Output& output, int n_pes) {
  EXPECT_TRUE(output.ending.clean()) << output.ending.text() << "\n" << output.err;
  EXPECT_EQ(lines_with(output.out, ", right"), n_pes) << output.out << output.err;
}

TEST_F(Late, LosesNoStoreOfThreads) {
  for (const int n_pes : {1, 2, 3}) expect_right(late(n_pes, "count"), n_pes);
}

TEST_F(Late, HasSymmetricStaticDataWithoutThreads) {
  for (const int n_pes : {1, 2, 3}) expect_right(late(n_pes, "alone"), n_pes);
}

TEST_F(Late, LeavesAForkedChildItsStaticData) { expect_right(late(2, "fork"), 2); }

TEST_F(Late, SaysThatStaticDataIsNotSymmetric) {
  const Output output = late(2, "put");
  EXPECT_NE(output.ending.exit_code, 0);
  EXPECT_EQ(lines_with(output.err, "weft: PE 0: shmem_long_p: dest, 0x"), 1) << output.err;
  EXPECT_EQ(
      lines_with(output.err, "is static data, which is not symmetric, because " kThreads " threads ran already when "
                             "libweft.so was loaded (dlopen); use memory from shmem_malloc, or load the library "
                             "before threads start: link the program with it or set LD_PRELOAD"),
      1)
      << output.err;
}

TEST_F(Late, SaysThatStaticDataOfAnotherPeIsNot) {
  const Output output = late(2, "even");
  EXPECT_NE(output.ending.exit_code, 0);
  EXPECT_EQ(lines_with(output.err, "weft: PE 1: an operation"), 1) << output.err;
  EXPECT_EQ(lines_with(output.err,
                       "static data of this program, and PE 0 had several threads when it loaded "
                       "libweft.so, so its own is not symmetric; use memory from shmem_malloc"),
            1)
      << output.err;
}

// The thread that loads the library holds what the kernel takes note by.
TEST_F(Late, APeThatBecomesAnotherProgramIsNoticed) {
  for (const char* loader : {"ended", "lasting"}) {
    const Output output = late(2, loader);
    EXPECT_EQ(output.ending.exit_code, 1) << loader << output.ending.text() << "\n" << output.err;
    EXPECT_EQ(lines_with(output.out, " goes on"), 2) << "the end of a thread is none of the program: " << output.err;
    EXPECT_EQ(lines_with(output.err, "oshrun: PE 1 (pid "), 1) << loader << output.err;
    EXPECT_EQ(lines_with(output.err, ") has become another program after shmem_init, /"), 1) << output.err;
  }
}

TEST_F(Late, TellsOfItWhenAsked) {
  environment = {"SHMEM_DEBUG=1"};
  const Output output = late(2, "count");
  EXPECT_EQ(lines_with(output.err, "static data is not symmetric: " kThreads " threads ran already"), 2) << output.err;
  EXPECT_EQ(lines_with(late(2, "alone").err, "static data is not symmetric"), 0);
}

}  // namespace
}  // namespace weft::fault
