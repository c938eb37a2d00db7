// Who waits for another PE by loads alone, without any call, sees what it stores: a thread of Weft's own releases and
// acquires when the PE itself has not done so for a moment. Sooner than promised is always allowed.
#pragma once

#include "base/result.hpp"

namespace weft::dsm {

base::Result<void> start_heartbeat() noexcept;
void stop_heartbeat() noexcept;

}  // namespace weft::dsm
