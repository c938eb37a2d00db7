// The sockets of a PE. None of these functions waits.
#pragma once

#include "transport/tcp/address.hpp"

namespace weft::transport::tcp {

/// Listens on the first free port of a range such as "20000-20999"; null: on one of the kernel's choice. `interface`:
/// at an address of that network interface only; null: at all of this machine.
base::Result<int> listen_on(const char* ports, const char* interface) noexcept;
/// Writes into the card at which addresses others may reach that socket.
base::Result<void> tell_addresses(int listener, const char* interface, boot::PeerCard* card) noexcept;

/// A socket whose connection is under way: there is room to send when that is decided, and connect_error() says how.
/// `interface`: from an address of it. -1: `error` says why there is none.
int begin_connect(const Address& to, in_port_t port, const char* interface, int* error) noexcept;
/// 0: it is connected.
int connect_error(int fd) noexcept;

/// For connections of both sides: nothing waits for more to send. A side that is silent for so many seconds, and is
/// nobody's that is only busy, as a kernel answers for its processes, counts as gone; 0: never.
void set_up(int fd, int timeout) noexcept;

/// With many peers a PE needs more descriptors than a shell allows by default. False: it has all that it may have.
bool raise_limit_of_files() noexcept;

}  // namespace weft::transport::tcp
