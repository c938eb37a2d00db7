// Begin and end of messages in a PE, and what the front end tells the job about them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/options.hpp"
#include "base/result.hpp"
#include "transport/transport.hpp"

namespace weft::msg {

/// For Needs::own_bytes of the front end: boxes, heads and staging. Most of it is never touched.
inline constexpr std::uint64_t kOwnBytes = std::uint64_t{32} << 20;

/// From FrontEnd::opening, before anybody can reach this PE by the network. Null: one node.
void opening(transport::Transport* network) noexcept;

/// After job::start, and before all PEs meet for the first time: then any may send. Counted: several front ends may
/// begin it.
base::Result<void> begin(const base::Options& options) noexcept;
/// No receiver looks any more at a message of this PE that was withdrawn. Before all PEs meet for the last time each
/// waits for that, as the memory that those look at is given back behind it.
bool all_withdrawn_are_dropped() noexcept;
/// After all PEs have met for the last time and before job::stop. All requests are complete; what nobody has received
/// is thrown away.
void end() noexcept;

/// Whether several threads may call, also if one at a time; from the start on they may not. Before the first message.
void several_threads(bool several) noexcept;
/// Behind that: no other thread is ever in this room, nor in what it calls.
bool one_thread() noexcept;

/// What people call a context, for reports: written with its null, at most so many bytes. Null: nobody knows.
using LabelOf = void (*)(std::uint32_t context, char* into, std::size_t room) noexcept;
void set_label_of(LabelOf label) noexcept;

/// What is there and nobody has received, in bytes; for reports and tests.
std::uint64_t unexpected_bytes() noexcept;

}  // namespace weft::msg
