// What the program calls its communicators, for reports: also for who must not touch them while others free them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::mpi {

struct Comm;

/// The communicator has a context, and this name from now on.
void note_name(const Comm& comm) noexcept;
/// It is freed.
void forget_name(const Comm& comm) noexcept;
/// For msg::set_label_of.
void write_label(std::uint32_t context, char* into, std::size_t room) noexcept;

}  // namespace weft::mpi
