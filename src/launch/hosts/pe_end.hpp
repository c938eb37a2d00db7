// How a PE on another host has ended, with what oshrun cannot know of that host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/rules/limits.hpp"
#include "launch/tree/frames.hpp"

namespace weft::launch::hosts {

using tree::Packer;
using tree::Unpacker;

struct PeEnd {
  int pe = 0;
  int status = 0;  // as waitpid gives it
  rules::OutOfMemory memory = rules::OutOfMemory::kUnknown;
  rules::Limits limits;
};

/// As it is found here; `kills_before` is what rules::out_of_memory_kills said when the job began.
PeEnd end_of(int pe, int status, const std::optional<std::uint64_t>& kills_before);

std::string pack(const PeEnd& end);
/// False: these bytes are no such thing.
bool unpack(Unpacker from, PeEnd& end);

}  // namespace weft::launch::hosts
