// How libgomp tells people what is wrong: programs and their users know these lines.
#pragma once

namespace weft::omp {

/// An empty line, "libgomp: " and the text.
[[gnu::format(printf, 1, 2)]] void complain(const char* format, ...) noexcept;
/// The same, and the program ends with status 1.
[[noreturn, gnu::format(printf, 1, 2)]] void die(const char* format, ...) noexcept;

/// While there is one thread: what complain has to say is kept, until it is told or dropped.
void keep_complaints() noexcept;
void end_complaints(bool tell) noexcept;

/// Memory, or the program ends.
[[nodiscard]] void* need_memory(unsigned long bytes, unsigned long alignment = 16) noexcept;

}  // namespace weft::omp
