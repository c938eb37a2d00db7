// The numbers of this front end's routines (api/calls.hpp) among those of all.
#pragma once

#include "api/calls.hpp"
#include "job/node.hpp"

namespace weft::shmem {

static_assert(boot::Interface::kOpenShmem == boot::Interface{}, "the numbers need nothing in their highest byte");

[[gnu::always_inline]] inline void enter(api::Call call, const void* site) noexcept {
  job::enter(static_cast<job::CallNumber>(call), site);
}

}  // namespace weft::shmem
