// What happens when a routine returns: the counting of one thread, in its part of the recording. No locks, no
// allocation, no system call.
#pragma once

#include <cstdint>

#include "profile/recording.hpp"

namespace weft::profile {

/// A call that has returned.
struct Returned {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bytes = 0;
  int peer = -1;            // the PE at the other end
  int last = -1;            // the PE that came last to the meeting
  std::uint64_t late = 0;   // ticks we were there before it
  bool by_message = false;  // the last is who has sent what was waited for
};

/// Which module an address is in, for a place seen for the first time.
struct Place {
  std::uint16_t module = kNoModule;
  std::uint64_t offset = 0;
};
using FindPlace = Place (*)(std::uint64_t address);

class ThreadRecorder {
 public:
  constexpr ThreadRecorder() = default;
  ThreadRecorder(ThreadPart* part, int n_pes, std::uint32_t trace_room, FindPlace find_place)
      : part_(part), n_pes_(n_pes), trace_room_(trace_room), find_place_(find_place) {}

  bool is_open() const { return part_ != nullptr; }
  ThreadPart* part() const { return part_; }

  /// The number of the entry for this routine called from this address.
  std::uint32_t site(std::uint32_t call, Kind kind, std::uint64_t address) noexcept;

  /// A routine that waits begins: the recording shows it if the PE never comes back.
  void go_inside(std::uint32_t site, std::uint64_t begin) noexcept {
    part_->inside_site = site;
    part_->inside_since = begin;
  }

  void count(std::uint32_t site, Kind kind, const Returned& call) noexcept;
  /// A message was sent in the call that is under way.
  void count_sent(int peer, std::uint64_t bytes) noexcept;
  /// The call that has returned sent one message only, and took so long.
  void add_time_of_send(std::uint64_t bytes, std::uint64_t ticks) noexcept;

 private:
  std::uint32_t add_site(std::uint32_t slot, std::uint32_t call, Kind kind, std::uint64_t address) noexcept;

  ThreadPart* part_ = nullptr;
  int n_pes_ = 0;
  std::uint32_t trace_room_ = 0;
  FindPlace find_place_ = nullptr;
};

/// Adds a stretch of time to the time line. Exposed for tests.
void add_time(TimeLine& line, Kind kind, std::uint64_t begin, std::uint64_t end) noexcept;
void add_wait(Waits& waits, const Wait& wait) noexcept;

}  // namespace weft::profile
