// Locks that are asked for now and taken later: requests that do not wait.
#pragma once

#include <cstdint>

#include "dsm/order.hpp"

namespace weft::dsm {

/// This PE's place among those that want the lock: a number, never 0.
std::uint64_t begin_lock(LockWords* lock) noexcept;
/// True: it is taken, and there is no request of that number any more.
bool test_lock(std::uint64_t number) noexcept;
void wait_for_lock(std::uint64_t number) noexcept;
/// How many have been begun and not been taken.
std::size_t lock_requests() noexcept;

}  // namespace weft::dsm
