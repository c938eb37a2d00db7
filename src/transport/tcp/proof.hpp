// Proving that one knows the job's key, without saying it.
#pragma once

#include <cstdint>

#include "transport/tcp/protocol.hpp"

namespace weft::transport::tcp {

/// What both sides have said, which a proof holds good for: no other pair of PEs and no other connection.
struct Greeting {
  std::int32_t from;
  std::int32_t to;
  Nonce of_listener;
  Nonce of_caller;
};
static_assert(sizeof(Greeting) == 40);

/// Whose proof: neither side can send back what it was sent.
enum class Role : std::uint8_t { kCaller, kListener };

/// HMAC-SHA-256 under the key.
Proof prove(const std::uint64_t (&key)[2], Role role, const Greeting& greeting) noexcept;
/// Takes as long whatever differs: who guesses learns nothing.
bool same(const Proof& a, const Proof& b) noexcept;

/// False: there are no random numbers.
bool make_nonce(Nonce* nonce) noexcept;

}  // namespace weft::transport::tcp
