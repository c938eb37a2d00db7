// Recordings made up by tests: written as PEs write them, with times that are told.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "profile/files.hpp"
#include "profile/routines.hpp"
#include "profile/thread_recorder.hpp"
#include "report/load.hpp"
#include "report/merge.hpp"
#include "support/leftovers.hpp"

namespace weft::report {

using api::Call;
using profile::Returned;

/// One PE. A tick is a nanosecond; `begun` is CLOCK_MONOTONIC when its tick 0 was.
class RecordedPe {
 public:
  RecordedPe(const std::string& folder, int pe, int n_pes, std::uint64_t begun, std::uint32_t trace_room = 0) {
    const auto made = profile::make_recording(folder.c_str(), pe, n_pes, trace_room);
    EXPECT_TRUE(made) << made.error().text();
    header_ = *made;
    header_->calls = api::kCalls;
    header_->calls_hash = profile::hash_of_routines();
    header_->first = {0, begun};
    header_->latest = {1000, begun + 1000};
    header_->processors[0] = 3;
    std::snprintf(header_->program, sizeof header_->program, "/home/some one/solve");
    header_->modules[0].base = 0x1000 * static_cast<std::uint64_t>(pe + 1);  // as addresses are randomised
    std::snprintf(header_->modules[0].path, sizeof header_->modules[0].path, "/home/some one/solve");
    header_->n_modules = 1;
    part_ = profile::add_part(folder.c_str(), header_);
    EXPECT_NE(part_, nullptr);
    part_->owned = 1;
    part_->used = 1;
    recorder_ = profile::ThreadRecorder(part_, n_pes, trace_room, [](std::uint64_t address) noexcept {
      return profile::Place{0, address & 0xfff};
    });
  }

  std::uint32_t site(Call call, profile::Kind kind, std::uint64_t offset) {
    return recorder_.site(static_cast<std::uint32_t>(call), kind, header_->modules[0].base + offset);
  }
  void count(Call call, profile::Kind kind, std::uint64_t offset, const Returned& returned) {
    recorder_.count(site(call, kind, offset), kind, returned);
  }
  void end(std::uint64_t ticks) {
    header_->end = ticks;
    header_->state = profile::State::kFinalised;
  }

  profile::ThreadRecorder& recorder() { return recorder_; }
  profile::ThreadPart* part() { return part_; }
  profile::Header* header() { return header_; }

 private:
  profile::Header* header_ = nullptr;
  profile::ThreadPart* part_ = nullptr;
  profile::ThreadRecorder recorder_;
};

class Recordings : public testing::Test {
 protected:
  Recordings() { EXPECT_TRUE(profile::open_meetings(folder_.c_str())); }

  Profile merged() {
    const auto raw = load(folder_);
    EXPECT_TRUE(raw) << raw.error().text();
    return merge(*raw);
  }
  const test::TemporaryDirectory temporary_;
  const std::string& folder_ = temporary_.path();
};

}  // namespace weft::report
