// OMP_PLACES and GOMP_CPU_AFFINITY, and how threads are told where they are.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp {

/// Processors that this process may use; where they are is kept.
int read_processors() noexcept;
/// `bound`: OMP_PROC_BIND was given, and is in icv.bind, which this may change.
void read_places(Icv& icv, bool bound) noexcept;
void read_affinity_format(const char* text) noexcept;

int number_of_places() noexcept;
/// Null: there is no such place.
const cpu_set_t* place(int number) noexcept;

/// As OMP_PLACES would be written.
void print_places() noexcept;
const char* affinity_format() noexcept;
void set_affinity_format(const char* text, std::size_t length) noexcept;
/// Process 0's format in shared memory, for a region's other processes.
struct SharedFormat {
  const char* text;   // null: no routine has set one, and the environment says what it is
  std::uint64_t set;  // which of its settings; zero: none
};
/// By process 0, between regions.
SharedFormat share_affinity_format() noexcept;
/// By the others, before a region's threads begin: the text is copied.
void take_affinity_format(const SharedFormat& shared) noexcept;
/// By this format, or with null by the one set; returns how long it is, and writes no more than there is room.
std::size_t write_affinity(const Thread& self, const char* format, char* to, std::size_t room) noexcept;

}  // namespace weft::omp
