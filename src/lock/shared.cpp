#include "lock/shared.hpp"

#include "job/notes.hpp"

namespace weft::lock {
namespace {

// A wait for a lock that is no word of symmetric memory, and so has no place that people know it by.
constexpr sync::WaitNote::Writer kNote = {[](const void* /*subject*/, std::uint64_t /*detail*/) noexcept {
                                            return job::begin_wait({.why = boot::Waiting::kLock});
                                          },
                                          job::looked_in_vain, job::end_wait};

}  // namespace

void wait_in_queue(SharedLock& lock, Mode mode, std::uint32_t position, int /*home*/) noexcept {
  const job::Node& node = job::node();
  await_turn(lock, mode, position, node.patience, sync::WaitNote(kNote, &lock));
}

}  // namespace weft::lock
