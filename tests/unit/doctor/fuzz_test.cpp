// Whatever lies in the records: the report ends, and its text is bounded.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "doctor/examine.hpp"
#include "doctor/openmp_text.hpp"
#include "doctor/whole.hpp"

namespace weft::doctor {
namespace {

constexpr std::uint64_t kNow = 1'000'000'000'000;

class NoNames : public Names {
 public:
  std::string site(int, std::uint64_t site) const override { return site == 0 ? "" : "somewhere"; }
  std::string object(int, const Wait& wait) const override { return "v" + std::to_string(wait.object); }
  std::optional<std::uint64_t> value(int, boot::Place place, int) const override { return place * 0x9e3779b97f4a7c15; }
};

class FuzzTest : public testing::Test {
 protected:
  void make(int n_pes) {
    bytes_ = boot::records_bytes(n_pes);
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory_, MAP_FAILED);
    job = new (memory_) boot::JobHeader{};
    job->n_pes = static_cast<std::uint32_t>(n_pes);
    job->heap_bytes = job->heap_slot_bytes = 1 << 20;
    job->slot_bytes = 2 << 20;
    job->static_offset = 1 << 20;
    shape = Shape(*job);
  }
  void TearDown() override { ::munmap(memory_, bytes_); }

  /// Everything that people are told, in bytes.
  std::size_t told() {
    const std::vector<bool> living(static_cast<std::size_t>(shape.n_pes), true);
    std::vector<Pe> before = look_at(job, shape, living, kNow);
    std::vector<Pe> pes = look_at(job, shape, living, kNow);
    (void)is_settled(before, pes);
    if (random_() % 2 == 0) keep_still(before, pes);
    std::size_t size = collective_counts(pes).size();
    for (const std::string& line : doings(pes, NoNames(), kNow)) size += line.size();
    for (const std::string& line : lock_queues(pes, NoNames())) size += line.size();
    const auto findings = diagnose(pes);
    for (const Finding& finding : findings) size += sentence(finding, pes, NoNames()).size();
    (void)safe_mode_helps(findings, pes);
    return size;
  }
  std::size_t record_bytes() const { return static_cast<std::size_t>(shape.n_pes) * sizeof(boot::PeRecord); }
  void fill_with_noise() {
    auto* words = reinterpret_cast<std::uint64_t*>(job + 1);
    const std::size_t n = record_bytes() / 8;
    for (std::size_t k = 0; k < n; ++k) words[k] = random_();
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  /// Numbers that are nearly right, or at an edge.
  std::uint32_t small() {
    constexpr std::uint32_t kEdges[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 63, 64, 0x104, 0x7fffffff, 0x80000000, UINT32_MAX};
    return kEdges[random_() % std::size(kEdges)];
  }
  void fill_with_edges() {
    auto* words = reinterpret_cast<std::uint32_t*>(job + 1);
    const std::size_t n = record_bytes() / 4;
    for (std::size_t k = 0; k < n; ++k) words[k] = small();
  }
  /// Waits that may be, so that what is behind the checks has work: of teams and locks of all kinds.
  void fill_with_waits() {
    for (int pe = 0; pe < shape.n_pes; ++pe) {
      boot::PeRecord& record = *boot::pe_record(job, pe);
      record.phase = 2;
      record.static_bytes = 4096;
      for (auto& held : record.held) held = random_() % 4 == 0 ? 1 + random_() % 64 : 0;
      for (boot::WaitRecord& wait : record.waits) {
        wait.why = below(7);
        wait.call = below(50);
        wait.since = 1 + random_() % kNow;
        wait.object = 1 + random_() % 64;
        wait.type = random_() % 2 == 0 ? 8 : 4;
        wait.compare = 1 + below(6);
        wait.elements = 1 + random_() % 3;
        wait.wanted = random_() % 8;
        wait.start = static_cast<int>(random_() % 4);
        wait.stride = 1 + static_cast<int>(random_() % 3);
        wait.size = wait.why == 4 || wait.why == 5 ? 0 : static_cast<int>(random_() % 20);
        wait.slot = random_() % 3 == 0 ? boot::kNoSlot : static_cast<std::uint32_t>(random_() % 3);
        wait.number = random_() % 3;
        wait.root = -1;
        wait.given = 20;
        wait.index = random_() % 20;
        wait.n_missing = small();
      }
    }
  }

  /// What OpenMP threads tell: noise, and numbers that may be, of a few teams, in all of which somebody waits.
  void fill_threads(bool with_noise) {
    for (int pe = 0; pe < shape.n_pes; ++pe) {
      boot::PeThreads& all = *boot::pe_threads(job, pe);
      if (with_noise) {
        auto* words = reinterpret_cast<std::uint64_t*>(&all);
        for (std::size_t k = 0; k < sizeof all / 8; ++k) words[k] = random_();
        all.pid = 1 + static_cast<int>(below(1000));
      } else {
        all.pid = 1;
        all.by = below(3);
        all.first = below(3);
        all.here = below(4);
        all.size = 6;
        all.team = below(3);
      }
      all.used = below(boot::PeThreads::kMost + 8);
      for (std::uint32_t k = 0; k < boot::PeThreads::kMost && !with_noise; ++k) fill_thread(all.threads[k]);
    }
  }
  void fill_thread(boot::ThreadRecord& thread) {
    thread.id = below(40);
    thread.why = 1 + below(18);
    thread.since = random_() % 3 == 0 ? 0 : 1 + random_() % kNow;
    thread.site = below(3);
    thread.object = below(4);
    thread.wanted = below(3);
    thread.holder = below(40);
    thread.looks = below(5);
    thread.team = below(4);
    thread.size = random_() % 100 == 0 ? small() : 1 + below(8);
    thread.number = below(std::max(1U, thread.size.load()));
    thread.primary = below(40);
    thread.home_primary = below(40);
    thread.home = below(3);
    thread.home_number = below(8);
    thread.home_level = below(4);
    thread.task = below(2);
    thread.task_parent = below(3);
    thread.task_group = below(3);
    thread.arrived = below(4);
    for (auto& held : thread.held) held = below(4);
  }
  std::size_t told_of_threads() {
    const std::vector<bool> living(static_cast<std::size_t>(shape.n_pes), true);
    const std::vector<Pe> before = look_at(job, shape, living, kNow);
    std::vector<Pe> pes = look_at(job, shape, living, kNow);
    (void)is_settled(before, pes);
    if (random_() % 4 == 0) keep_still(before, pes);
    const OpenMpView view(pes);
    std::size_t size = 0;
    for (const std::string& line : doings(view, pes, NoNames(), {}, kNow)) size += line.size();
    for (const ThreadFinding& finding : view.diagnose()) size += sentence(finding, view, pes, NoNames()).size();
    return size;
  }

  boot::JobHeader* job = nullptr;
  Shape shape;
  std::mt19937_64 random_{20240229};

 private:
  void* memory_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

// At most this for a PE with four waits.
constexpr std::size_t kMostText = 4 * 1500;

TEST_F(FuzzTest, Noise) {
  make(16);
  for (int round = 0; round < 2000; ++round) {
    fill_with_noise();
    ASSERT_LE(told(), 16 * kMostText);
  }
}

TEST_F(FuzzTest, NumbersAtTheEdges) {
  make(64);
  for (int round = 0; round < 500; ++round) {
    fill_with_edges();
    ASSERT_LE(told(), 64 * kMostText);
  }
}

TEST_F(FuzzTest, WaitsOfAllKinds) {
  make(64);
  for (int round = 0; round < 300; ++round) {
    fill_with_waits();
    ASSERT_LE(told(), 64 * kMostText);
  }
}

TEST_F(FuzzTest, AsManyPesAsThereMayBe) {
  make(boot::kMaxPes);
  fill_with_edges();
  EXPECT_LE(told(), boot::kMaxPes * kMostText);
}

// A line for each thread at most, each with some names; circles may be long.
TEST_F(FuzzTest, ThreadsThatTellAnything) {
  make(4);
  for (int round = 0; round < 100; ++round) {
    fill_threads(round % 4 == 0);
    ASSERT_LE(told_of_threads(), 4 * boot::PeThreads::kMost * std::size_t{4000});
  }
}

// The whole report, with files that are shorter than the header says and processes that are none of ours.
TEST_F(FuzzTest, ReportsOfShortFiles) {
  make(8);
  const int data = ::memfd_create("data", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(data, 100), 0);
  for (int round = 0; round < 20; ++round) {
    // Where PEs are on this machine a report takes two seconds to see that nobody moves.
    const int file = round < 2 ? data : -1;
    if (round % 2 == 0) {
      fill_with_waits();
    } else {
      fill_with_noise();
    }
    std::size_t size = 0;
    for (const std::string& line : examine({job, file, file, shape, ::getpid()}, std::vector<bool>(8, true), "")) {
      size += line.size();
    }
    EXPECT_LE(size, 8 * kMostText);
  }
  (void)::close(data);
}

}  // namespace
}  // namespace weft::doctor
