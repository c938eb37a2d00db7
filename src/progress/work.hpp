// What a PE does for others beside its own calls. Each room and front end that owes others something adds it here, so
// that the rooms that wait and the thread that serves need to know none of them.
#pragma once

namespace weft::progress {

/// Called whenever something may have come by the network, by whichever thread is at it: short, and never waits.
using Look = void (*)() noexcept;
void add_look(Look look) noexcept;
void look_at_all() noexcept;

/// Called now and then by who waits longer than a few yields. True while work is left, and then naps are short.
using IdleWork = bool (*)() noexcept;
void add_idle_work(IdleWork work) noexcept;
bool do_idle_work() noexcept;

}  // namespace weft::progress
