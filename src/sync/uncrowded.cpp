#include "sync/uncrowded.hpp"

#include "os/cpus.hpp"

namespace weft::sync {

constinit std::uint32_t Crowding::g_suspect = Crowding::kSuspect;

namespace detail {

Crowding& crowding() noexcept {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Crowding t_crowding;
  return t_crowding;
}

void leave_processor() noexcept { (void)os::leave_processor(); }

}  // namespace detail

}  // namespace weft::sync
