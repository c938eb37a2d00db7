// What a PE does for others beside its own calls. Each room and front end that owes others something adds it here, so
// that the rooms that wait and the thread that serves need to know none of them.
//
// Whoever adds something may take it away again while others go through the lists. When remove() returns nobody is in
// it any more. So it is not called by what is in a list itself, nor under a lock that something in a list waits for.
#pragma once

#include <atomic>

#include "sync/doorbell.hpp"

namespace weft::progress {

/// One entry of a list: the caller's own, which stays where it is while it is there.
template <class What>
struct Entry {
  What what{};  // changed only while it is in no list
  std::atomic<Entry*> next = nullptr;
  bool listed = false;
};

/// Called whenever something may have come, by whichever thread is at it: short, and never waits. True when it has
/// found something that a thread of this PE may be sleeping for, and has made that visible by a full fence.
using Poller = Entry<bool (*)() noexcept>;
/// What is there already stays: the library may start several times.
void add_poller(Poller& poller) noexcept;
void remove_poller(Poller& poller) noexcept;
bool poll_all() noexcept;

/// Called now and then by who waits longer than a few yields. True while work is left, and then naps are short.
using IdleWork = Entry<bool (*)() noexcept>;
void add_idle_work(IdleWork& work) noexcept;
void remove_idle_work(IdleWork& work) noexcept;
bool do_idle_work() noexcept;

/// Rung when something has come: what threads of this PE sleep on that wait for it.
using Bell = Entry<sync::Doorbell*>;
void add_bell(Bell& bell) noexcept;
void remove_bell(Bell& bell) noexcept;
/// The news is visible by a full fence in this thread.
void ring_all() noexcept;

}  // namespace weft::progress
