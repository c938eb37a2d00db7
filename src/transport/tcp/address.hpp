// Where a PE listens, in its card, and the way there.
#pragma once

#include "base/result.hpp"
#include "boot/job.hpp"

namespace weft::transport::tcp {

/// A socket that listens at all addresses of this machine, on the first free port of a range such as "20000-20999";
/// null: on one of the kernel's choice.
base::Result<int> listen_on(const char* ports) noexcept;
/// Writes into the card at which addresses of this machine others may reach that socket. `interface`: of one network
/// interface only; null: of all but the loopback, which is taken where there is nothing else.
base::Result<void> tell_addresses(int listener, const char* interface, boot::PeerCard* card) noexcept;

/// A connection to who has that card. An error says why there is none.
base::Result<int> connect_to(const boot::PeerCard& card) noexcept;

/// With many peers a PE needs more descriptors than a shell allows by default. False: it has all that it may have.
bool raise_limit_of_files() noexcept;

/// For connections of both sides: nothing waits for more to send, and a full socket makes nobody wait.
void set_up(int fd) noexcept;

}  // namespace weft::transport::tcp
