// Values of variables. What is none leaves what was and is told in libgomp's words.
#pragma once

#include <cstddef>

namespace weft::omp {

/// Blanks and letters' case do not matter in words.
bool word(const char*& text, const char* expected) noexcept;
void skip_blanks(const char*& text) noexcept;

bool read_bool(const char* name, bool& value) noexcept;
bool read_number(const char* name, unsigned long& value, bool zero_allowed) noexcept;
bool read_int(const char* name, int& value, bool zero_allowed) noexcept;
/// Numbers greater than zero, separated by commas; the memory is never given back.
bool read_numbers(const char* name, unsigned long& first, const unsigned long*& list, unsigned& length) noexcept;
/// A number with B, K, M or G; without, of kilobytes, or of what that power of 2 is.
bool read_bytes(const char* name, std::size_t& value, unsigned usual = 10) noexcept;
bool read_schedule(unsigned& schedule, int& chunk) noexcept;
bool read_wait_policy(int& policy) noexcept;
bool read_spin_count(long long& count) noexcept;
bool read_binds(const char* name, unsigned char& first, const unsigned char*& list, unsigned& length) noexcept;
bool read_offload(unsigned& value) noexcept;
bool read_allocator(unsigned long& value) noexcept;

}  // namespace weft::omp
