// Start and end, and what a program may ask of where it runs.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "mpi/communicators.hpp"
#include "mpi/info.hpp"

namespace weft::mpi {

enum class Phase : std::uint8_t { kBefore, kRunning, kAfter };
/// Read by any thread at any time.
inline constinit std::atomic<Phase> g_phase = Phase::kBefore;
/// Between MPI_Init and MPI_Finalize. Inline: each call asks it.
inline bool running() noexcept {
  // Acquire: who sees that MPI runs sees who is in the communicators.
  return g_phase.load(std::memory_order_acquire) == Phase::kRunning;
}
/// A call that is made before or after: the job ends with a line.
int raise_not_running() noexcept;

int abort(Comm& comm, int errorcode) noexcept;
int alloc_mem(MPI_Aint size, const Info* info, void* baseptr) noexcept;
int finalize() noexcept;
int finalized(int* flag) noexcept;
int free_mem(void* base) noexcept;
int get_hw_resource_info(MPI_Info* hw_info) noexcept;
int get_library_version(char* version, int* resultlen) noexcept;
int get_processor_name(char* name, int* resultlen) noexcept;
int get_version(int* version, int* subversion) noexcept;
int init(int* argc, char*** argv) noexcept;
int init_thread(int* argc, char*** argv, int required, int* provided) noexcept;
int initialized(int* flag) noexcept;
int is_thread_main(int* flag) noexcept;
int pcontrol(int level) noexcept;
int query_thread(int* provided) noexcept;
double wtick() noexcept;
double wtime() noexcept;

}  // namespace weft::mpi
