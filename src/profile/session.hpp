// The recording of this process: opened when the library starts, there until the process ends.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "profile/clock.hpp"
#include "profile/meetings.hpp"
#include "profile/recording.hpp"
#include "profile/thread_recorder.hpp"

namespace weft::profile {

struct Beginning {
  const char* folder;
  int pe;
  int n_pes;
  std::uint32_t trace_room;     // events to keep of each thread
  std::uint32_t interface = 0;  // whose routines are counted
  std::uint32_t calls;          // so many of them there are, with these names
  std::uint64_t calls_hash;
  std::uint64_t hashes[kInterfaces] = {};  // of each interface whose calls may come; 0: none of its do
  Moment moment;
};

/// Before the first use of the clock.
void choose_clock() noexcept;

/// Once in a process; later calls do nothing.
base::Result<void> open_session(const Beginning& beginning) noexcept;

/// Null when there is none, or in a forked child.
Header* session_header() noexcept;
const Clock& session_clock() noexcept;
MeetingBook& session_meetings() noexcept;
/// Where the recording is; empty when there is none.
const char* session_folder() noexcept;
/// Where a call was made that returns to this address. There is a recording.
Place session_place(std::uint64_t address) noexcept;

/// From now on calls are counted, or not: shmem_pcontrol.
void count_calls(bool on) noexcept;

/// Whether they are.
bool session_counts() noexcept;

/// The process ends, or has left the library.
void mark_end(State state) noexcept;

/// Notes what time it is by both clocks, by which the ticks are measured.
void note_moment() noexcept;

/// The recorder of this thread; it gets one at its first call. Null when calls are not counted.
ThreadRecorder* recorder() noexcept;

}  // namespace weft::profile
