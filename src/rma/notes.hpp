// What this PE tells the launcher, for people: what a long wait is for (boot::WaitRecord), and which locks it holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "boot/job.hpp"
#include "rma/team.hpp"
#include "sync/waiter.hpp"

namespace weft::rma {

/// As boot::WaitRecord has it, but with this PE's addresses.
struct Awaited {
  boot::Waiting why = boot::Waiting::kNot;
  const void* object = nullptr;
  std::uint64_t elements = 0;
  std::uint64_t wanted = 0;
  std::uint32_t compare = 0;
  std::uint32_t type = 0;
  Members members{};
  std::uint32_t slot = boot::kNoSlot;
  std::uint64_t number = 0;
  int root = -1;
};

/// The result is for end_wait.
int begin_wait(const Awaited& awaited) noexcept;
void end_wait(int place) noexcept;

/// Of a wait at which the members of a team meet; the subject is the Team.
template <boot::Waiting why>
inline constexpr sync::WaitNote::Writer kMeetingNote = {
    [](const void* subject) noexcept {
      const Team& team = *static_cast<const Team*>(subject);
      return begin_wait(
          {.why = why, .members = team.members, .slot = static_cast<std::uint32_t>(team.slot), .number = team.calls});
    },
    end_wait};

/// Of a wait for a lock; the subject is this PE's address of it.
extern const sync::WaitNote::Writer kLockNote;

void note_held(const void* lock) noexcept;
void note_released(const void* lock) noexcept;

}  // namespace weft::rma
