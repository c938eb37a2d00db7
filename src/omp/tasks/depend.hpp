// Which tasks wait for which of their siblings, by the addresses that they name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/state/team.hpp"

namespace weft::omp {

enum class Access : std::uint8_t { in, out, set };  // inout and mutexinoutset are out; set is inoutset

/// A task's access to an address, in the list of all accesses of its siblings to it, newest first.
struct Edge {
  const void* address = nullptr;
  Task* task = nullptr;
  Edge* newer = nullptr;
  Edge* older = nullptr;
  Edge** head = nullptr;  // of the list, where it was when this came into it
  Access access = Access::out;
};

/// How many addresses the array names that the compiler made of a depend clause.
std::size_t count_dependences(void** depend) noexcept;
/// Writes them, those that write first and each address once. Returns how many there are then.
std::size_t read_dependences(void** depend, Edge* edges) noexcept;

/// Under the lock: makes the task wait for those before it. With `stay`, later siblings will wait for it.
void depend_on(Task& parent, Task& task, Edge* edges, std::size_t n, bool stay) noexcept;
/// Under the lock: the task is done; calls `freed` with each that waited for it alone, and the context.
void release_dependents(Task& task, void (*freed)(Task&, void*), void* context) noexcept;
void forget_dependences(Task& parent) noexcept;

}  // namespace weft::omp
