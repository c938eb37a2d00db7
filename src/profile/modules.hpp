// Which file the code at an address was loaded from: source lines are looked up afterwards, in that file.
#pragma once

#include "profile/recording.hpp"
#include "profile/thread_recorder.hpp"

namespace weft::profile {

/// The module and the offset in it of the call that returns to this address. Notes modules seen for the first time; one
/// thread at a time.
Place find_place(Header& header, std::uint64_t return_address) noexcept;

}  // namespace weft::profile
