#include "mpi/later.hpp"

#include <atomic>

#include "base/lines.hpp"
#include "mpi/communicators.hpp"
#include "mpi/environment.hpp"

namespace weft::mpi {
namespace {

constinit std::atomic<bool> g_told[api::mpi::kCalls]{};

// Once for each function: a program may ask for one in a loop and go another way each time.
void tell(api::mpi::Call call) noexcept {
  const auto index = static_cast<std::size_t>(call) - static_cast<std::size_t>(api::mpi::Call::kNone);
  // Relaxed: it orders nothing.
  if (!g_told[index].exchange(true, std::memory_order_relaxed)) {
    base::say(api::mpi::call_name(call), "Weft does not have this function yet");
  }
}

}  // namespace

int later(api::mpi::Call call, MPI_Comm comm) noexcept {
  if (!running()) {
    return raise_not_running();
  }
  tell(call);
  return raise(find<Comm>(comm), MPI_ERR_UNSUPPORTED_OPERATION, "is not there yet");
}

int later_tool(api::mpi::Call call) noexcept {
  tell(call);
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

}  // namespace weft::mpi
