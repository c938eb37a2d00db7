// In place of src/os/futex.cpp. No sleep ends by itself here, so a wake-up that is lost is found.
#include "os/futex.hpp"

namespace weft::os {

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t,
                std::uint32_t waiters) noexcept {
  explore::futex_wait(&word, expected, waiters);
}

void futex_wake_all(const std::atomic<std::uint32_t>& word, std::uint32_t waiters) noexcept {
  explore::futex_wake(&word, waiters);
}

}  // namespace weft::os
