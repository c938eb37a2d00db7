// Life of the library in this process: attach before main, init, finalize, exit (OpenSHMEM 1.6, section 9.1, 9.2).
#pragma once

#include "job/front_end.hpp"
#include "memory/allocator.hpp"

namespace weft::shmem {

/// What the job knows of OpenSHMEM.
const job::FrontEnd& front_end() noexcept;

/// Zero when this PE is initialised. On failure a line has been said.
int initialise(int requested_level, int* provided_level) noexcept;
void finalise() noexcept;
/// At least once, and not begun again.
bool finalised() noexcept;

/// start_pes: initialises once and finalizes at a normal exit of the program.
void initialise_until_exit() noexcept;

[[noreturn]] void exit_job(int status) noexcept;

/// What shmem_init_thread granted.
int thread_level() noexcept;

/// The book of the symmetric heap; exists between init and the last finalize.
memory::Allocator& book() noexcept;

}  // namespace weft::shmem
