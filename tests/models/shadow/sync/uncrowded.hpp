// In place of src/sync/uncrowded.hpp: which processor a PE has is nothing to the explorer.
#pragma once

#include <atomic>
#include <cstdint>

#include "sync/crowding.hpp"
#include "sync/waiter.hpp"

namespace weft::sync {
inline constinit std::uint32_t Crowding::g_suspect = Crowding::kSuspect;
namespace detail {
inline Crowding& crowding() noexcept {
  static constinit Crowding nobodys;  // no wait spins here
  return nobodys;
}
inline void leave_processor() noexcept {}
}  // namespace detail

template <class Done, class Note = WaitNote, class Bell = Doorbell>
void wait_uncrowded(const Patience& patience, Bell& bell, std::atomic<std::uint32_t>* all_sleepers, const Note& note,
                    Done&& done) noexcept {
  wait(patience, bell, all_sleepers, note, done);
}
}  // namespace weft::sync
