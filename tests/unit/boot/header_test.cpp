#include <gtest/gtest.h>

#include <functional>
#include <new>

#include "boot/enter.hpp"

namespace weft::boot {
namespace {

// The numbers of the first of two nodes with two PEs each, changed.
bool whole(const std::function<void(JobHeader&)>& change, std::size_t less = 0) {
  alignas(JobHeader) std::byte place[sizeof(JobHeader)] = {};
  auto* job = new (place) JobHeader{};
  job->n_pes = 2;
  job->job_pes = 4;
  job->n_nodes = 2;
  job->node = 0;
  change(*job);
  return is_whole(*job, control_bytes(2, 4) - less);
}

TEST(Header, IsWhole) {
  EXPECT_TRUE(whole([](JobHeader&) {}));
  EXPECT_TRUE(whole([](JobHeader& job) { job.job_pes = 2, job.n_nodes = 1; }));
}

TEST(Header, IsNotWhereItsNumbersLeadOutOfTheFile) {
  EXPECT_FALSE(whole([](JobHeader&) {}, 1));
  EXPECT_FALSE(whole([](JobHeader& job) { job.n_pes = 0; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.n_pes = 3; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.n_pes = 0xffffffff; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.job_pes = 1; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.job_pes = 4096; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.job_pes = 0x80000000; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.n_nodes = 0; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.n_nodes = 5; }));
  EXPECT_FALSE(whole([](JobHeader& job) { job.node = 2; }));
}

}  // namespace
}  // namespace weft::boot
