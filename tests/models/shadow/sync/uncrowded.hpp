// In place of src/sync/uncrowded.hpp: which processor a PE has is nothing to the explorer.
#pragma once

#include <atomic>
#include <cstdint>

#include "sync/waiter.hpp"

namespace weft::sync {
template <class Done, class Note = WaitNote, class Bell = Doorbell>
void wait_uncrowded(const Patience& patience, Bell& bell, std::atomic<std::uint32_t>* all_sleepers, const Note& note,
                    Done&& done) noexcept {
  wait(patience, bell, all_sleepers, note, done);
}
}  // namespace weft::sync
