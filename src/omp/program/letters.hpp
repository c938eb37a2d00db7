// What processes of one machine's memory want of each other: bodies that another one is to run, one at a time. Where
// they have pages, messages do that (omp/far).
#pragma once

#include "omp/program/carried.hpp"

namespace weft::omp::program {

/// Before all else here, by all processes together. False: no shared memory is left.
bool begin_letters() noexcept;

/// What threads of other processes take over from process 0; in shared memory, by pages too.
Carried& carried_things() noexcept;
/// By process 0: they are this process's and the calling thread's of now.
void carry_by_memory() noexcept;

struct Letter {
  void (*body)(void*) = nullptr;  // null: the program ends
  void* argument = nullptr;
};
/// The process runs that body when it has run those before.
void send(int process, void (*body)(void*), void* argument) noexcept;
/// By process 0: all others do.
void have_all_run(void (*body)(void*), void* argument) noexcept;
/// Waits for the next one; what came with it is this process's own then.
Letter next_letter() noexcept;
/// One of have_all_run() has returned here.
void note_run() noexcept;
/// By process 0: all of these have returned, or do so in a moment.
bool all_have_run() noexcept;

}  // namespace weft::omp::program
