#include "transport/tcp/proof.hpp"

#include <sodium.h>
#include <sys/random.h>

namespace weft::transport::tcp {

// Nothing here is made by sodium_init(): the hash is one for all processors, and random numbers come from the kernel.
static_assert(sizeof(Proof) == crypto_auth_hmacsha256_BYTES);

Proof prove(const std::uint64_t (&key)[2], Role role, const Greeting& greeting) noexcept {
  constexpr unsigned char kLabels[][16] = {"weft tcp caller", "weft tcp listen"};
  crypto_auth_hmacsha256_state state;
  (void)crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(key), sizeof key);
  (void)crypto_auth_hmacsha256_update(&state, kLabels[static_cast<int>(role)], sizeof kLabels[0]);
  (void)crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(&greeting), sizeof greeting);
  Proof made;
  (void)crypto_auth_hmacsha256_final(&state, made.bytes);
  return made;
}

bool same(const Proof& a, const Proof& b) noexcept { return sodium_memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0; }

bool make_nonce(Nonce* nonce) noexcept {
  return ::getrandom(nonce->bytes, sizeof nonce->bytes, 0) == static_cast<ssize_t>(sizeof nonce->bytes);
}

}  // namespace weft::transport::tcp
