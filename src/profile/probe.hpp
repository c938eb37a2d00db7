// The counting of one call, whichever interface it is of: before the routine, and when it has returned.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/meetings.hpp"
#include "profile/recording.hpp"
#include "profile/thread_recorder.hpp"

namespace weft::profile {

struct Probe {
  static constexpr std::uint32_t kOff = 0xffffffff;
  std::uint32_t site;  // kOff: calls are not counted
  std::uint64_t begin;
};

/// `call`: its number, as boot::PeRecord::call has it.
Probe begin(std::uint32_t call, Kind kind, const void* site) noexcept;
void end(const Probe& probe, Kind kind, std::size_t bytes, int pe) noexcept;
/// The same for who knows more of it. The probe is on.
void count(const Probe& probe, Kind kind, const Returned& call) noexcept;
void end_meeting(const Probe& probe, Kind kind, std::size_t bytes, const MeetingBook::Ticket& ticket) noexcept;

/// shmem_pcontrol, MPI_Pcontrol: 0 stops the counting, any other level goes on with it.
void control(int level) noexcept;

}  // namespace weft::profile
