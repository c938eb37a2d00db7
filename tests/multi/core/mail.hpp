// A front end for tests of messages that stands on the core alone. One communicator, of all PEs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "msg/messages.hpp"
#include "msg/start.hpp"

namespace mail {

/// All PEs begin, and end. `threads`: several may call.
void begin(bool threads = false);
void end();
int me();
int n_pes();
/// All PEs have come here; by messages.
void meet();

inline constexpr std::uint32_t kContext = 5;
inline constexpr std::uint32_t kMeeting = 6;

weft::msg::To to(int pe, std::int32_t tag, std::uint32_t context = kContext);
weft::msg::From from(int pe, std::int32_t tag, std::uint32_t context = kContext);

/// Says why and ends the program.
void need(bool good, const char* what);

/// Bytes that tell who wrote them and where each of them is.
std::vector<std::byte> bytes_of(std::uint64_t seed, std::size_t count);

}  // namespace mail
