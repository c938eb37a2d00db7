// PEs of a made-up job.
#pragma once

#include <utility>
#include <vector>

#include "api/calls.hpp"
#include "doctor/state.hpp"

namespace weft::doctor {

inline constexpr std::uint64_t kSecond = 1'000'000'000;

inline Pe running(api::Call last = api::Call::kNone) {
  Pe pe;
  pe.phase = boot::Phase::kInitialised;
  pe.call = static_cast<std::uint32_t>(last);
  return pe;
}

inline Pe waiting(Wait wait) {
  Pe pe = running(static_cast<api::Call>(wait.call));
  pe.waits.push_back(wait);
  return pe;
}

/// In the call of this number on the team of `size` PEs from `start` on that has stations in `slot`.
inline Wait meets(api::Call call, std::uint64_t number, int start, int size, std::uint32_t slot = 0) {
  Wait wait;
  wait.why = boot::Waiting::kTeam;
  wait.call = static_cast<std::uint32_t>(call);
  wait.since = kSecond;
  wait.start = start;
  wait.size = size;
  wait.slot = slot;
  wait.number = number;
  return wait;
}

inline Wait locks(boot::Place lock) {
  Wait wait;
  wait.why = boot::Waiting::kLock;
  wait.call = static_cast<std::uint32_t>(api::Call::shmem_set_lock);
  wait.since = kSecond;
  wait.object = lock;
  return wait;
}

inline Wait values(boot::Place variable, std::uint32_t compare, std::int64_t wanted, std::uint32_t type) {
  Wait wait;
  wait.why = boot::Waiting::kValue;
  wait.call = static_cast<std::uint32_t>(api::Call::shmem_int_wait_until);
  wait.since = kSecond;
  wait.object = variable;
  wait.elements = 1;
  wait.compare = compare;
  wait.wanted = static_cast<std::uint64_t>(wanted);
  wait.type = type;
  return wait;
}

}  // namespace weft::doctor
