// What the parts of messages with PEs of other nodes share.
#pragma once

#include "msg/engine.hpp"

namespace weft::msg {

// The core's kinds; 0 is transport/tagged's.
inline constexpr transport::Kind kMessage = 8;
inline constexpr transport::Kind kWanted = 9;
inline constexpr transport::Kind kContent = 10;
inline constexpr transport::Kind kReceived = 11;
inline constexpr transport::Kind kAllowance = 12;
inline constexpr transport::Kind kAskedBack = 13;
inline constexpr transport::Kind kWithdrawn = 14;

/// Now, or when there is room.
void say(Peer& peer, const Saying& saying) noexcept;
/// The room that so many bytes of a message took here is its sender's again.
void give_back(Peer& peer, std::uint64_t bytes) noexcept;

// asking_back.cpp
void asked_back(int pe, const Saying& asked) noexcept;
/// What was withdrawn: its data took room.
void drop_beyond(Peer& peer, Kept& message) noexcept;

}  // namespace weft::msg
