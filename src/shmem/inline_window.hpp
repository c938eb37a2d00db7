// What the inline bodies of the headers read (include/weft/window.h): in this library alone it is no constant.
#pragma once

#include "job/node.hpp"

namespace weft::shmem {

/// Once the window is claimed: what programs take for constant. In a job before main, as a compiler may read it there.
/// Where the job is only known in shmem_init, once more then: who has read before that there are no PEs, and keeps it,
/// comes to the library, and who keeps that nobody sleeps wakes nobody, who then wakes by himself (sync/waiter.hpp).
void describe_window(const job::Node& node) noexcept;
/// From now on operations on this node's windows are inline, unless a tool wants to see them (job/tools.hpp).
void open_window(const job::Node& node) noexcept;
/// From now on they come to the library, which says what is wrong.
void close_window() noexcept;

}  // namespace weft::shmem
