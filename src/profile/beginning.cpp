#include "profile/beginning.hpp"

#include <algorithm>
#include <cstdlib>

#include "profile/routines.hpp"

namespace weft::profile {
namespace {

// Of all PEs together; a trace of more is too large for what shows it.
constexpr std::uint32_t kTraceEvents = 1U << 20;
constexpr std::uint32_t kTraceEventsPerThread = 1U << 16;

std::uint32_t trace_room(int n_pes) noexcept {
  const bool wanted = ::secure_getenv("WEFT_PROFILE_TRACE") != nullptr;
  return wanted ? std::min(kTraceEventsPerThread, kTraceEvents / static_cast<std::uint32_t>(n_pes)) : 0;
}

}  // namespace

Beginning shmem_beginning(const char* folder, int pe, int n_pes, const Moment& moment) noexcept {
  Beginning beginning{.folder = folder,
                      .pe = pe,
                      .n_pes = n_pes,
                      .trace_room = trace_room(n_pes),
                      .interface = kInterface,
                      .calls = api::kCalls,
                      .calls_hash = hash_of_routines(),
                      .hashes = {},
                      .moment = moment};
  // Calls of both may be in it, whichever began.
  beginning.hashes[kInterface] = beginning.calls_hash;
  beginning.hashes[kMpi] = hash_of_mpi();
  return beginning;
}

Beginning mpi_beginning(const char* folder, int pe, int n_pes, const Moment& moment) noexcept {
  Beginning beginning = shmem_beginning(folder, pe, n_pes, moment);
  beginning.interface = kMpi;
  beginning.calls = api::mpi::kCalls;
  beginning.calls_hash = beginning.hashes[kMpi];
  return beginning;
}

}  // namespace weft::profile
