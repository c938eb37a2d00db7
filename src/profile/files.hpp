// The files of a recording, mapped.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "profile/recording.hpp"

namespace weft::profile {

/// DIR/pe.<pe>.weft with its header and no thread parts. Room is claimed on the disk, so that a disk that fills up
/// later does not end the program. What was there is overwritten.
base::Result<Header*> make_recording(const char* folder, int pe, int n_pes, std::uint32_t trace_room) noexcept;

/// One more part at the end of the file. Null when there is no room.
ThreadPart* add_part(const char* folder, Header* header) noexcept;

/// DIR/job.weft, which all PEs share; made by the first of them.
base::Result<Meetings*> open_meetings(const char* folder) noexcept;

/// Those of an earlier run. In a job of several PEs the launcher does it, before any of them could have begun.
void forget_meetings(const char* folder) noexcept;

}  // namespace weft::profile
