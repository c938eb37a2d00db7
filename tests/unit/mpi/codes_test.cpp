#include "mpi/codes.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <thread>
#include <vector>

namespace weft::mpi {
namespace {

TEST(Codes, OfTheStandardAreClasses) {
  EXPECT_TRUE(is_code(MPI_SUCCESS));
  EXPECT_EQ(class_of(MPI_ERR_RANK), MPI_ERR_RANK);
  EXPECT_EQ(class_of(MPI_T_ERR_INVALID_NAME), MPI_T_ERR_INVALID_NAME);
  EXPECT_STREQ(name_of_code(MPI_ERR_RANK), "MPI_ERR_RANK");
  EXPECT_FALSE(is_code(63));
  EXPECT_FALSE(is_code(-1));
  EXPECT_FALSE(is_code(MPI_ERR_LASTCODE + 100'000));
  EXPECT_EQ(class_of(-1), MPI_ERR_UNKNOWN);
}

TEST(Codes, AreAddedByThreads) {
  const int of = add_class();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([of] {
      for (int k = 0; k < 500; ++k) {
        const int code = add_code(of);
        EXPECT_TRUE(set_string(code, std::to_string(code).c_str()));
        char text[MPI_MAX_ERROR_STRING];
        EXPECT_TRUE(string_of(code, text));
        EXPECT_EQ(text, std::to_string(code));
        EXPECT_EQ(class_of(code), of);
        EXPECT_EQ(remove_code(code), Removed::kHasText);
        EXPECT_EQ(remove_string(code), Removed::kYes);
        EXPECT_EQ(remove_code(code), Removed::kYes);
        EXPECT_FALSE(is_code(code));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(remove_class(of), Removed::kYes);
}

TEST(Codes, LongStringsAreCut) {
  const int code = add_code(add_class());
  ASSERT_TRUE(set_string(code, std::string(2 * MPI_MAX_ERROR_STRING, 'x').c_str()));
  char text[MPI_MAX_ERROR_STRING];
  ASSERT_TRUE(string_of(code, text));
  EXPECT_EQ(std::string(text), std::string(MPI_MAX_ERROR_STRING - 1, 'x'));
}

}  // namespace
}  // namespace weft::mpi
