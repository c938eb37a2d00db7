// Messages for people, each one line written with one write(2) so that lines of several PEs never mix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::base {

/// Who speaks. Set once the PE number is known; before that lines carry no PE.
void set_reporting_pe(int pe) noexcept;

/// Runs before fail() leaves, with the process still whole: the launcher learns that the reason has been told.
void set_failure_hook(void (*hook)()) noexcept;

/// In a forked child: what fails from here on is its own affair, and neither its parent's nor the job's. What its
/// parent had printed and not written yet is in its buffer too, and is the parent's to write: fail() then writes none
/// of it.
void leave_parent() noexcept;

/// Tells where in the program the call was made that fails: writes "in solve at solver.c:88" or so. False: not known.
void set_place_hook(bool (*hook)(char* text, std::size_t size)) noexcept;

/// "weft: PE 2: <call>: <text>" on stderr. call may be null.
[[gnu::format(printf, 2, 3)]] void say(const char* call, const char* format, ...) noexcept;

/// What the program has printed is written, unless another thread holds stdout at this moment, or it is a parent's.
void flush_stdout() noexcept;

/// Says the line, with the place in the program where it is known, and ends this process with status 1. What the
/// program printed before is flushed unless another thread holds stdout at this moment, as an error must end the job
/// even then, or it is a parent's.
[[noreturn, gnu::format(printf, 2, 3)]] void fail(const char* call, const char* format, ...) noexcept;

/// SHMEM_DEBUG lines.
void set_debug(bool on) noexcept;
bool debug_on() noexcept;
[[gnu::format(printf, 1, 2)]] void debug(const char* format, ...) noexcept;

}  // namespace weft::base
