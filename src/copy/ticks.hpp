// What trials of routines are timed by, and where there are none.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace weft::copy {

// Sanitizers know the C library's routine, and not what instructions of ours access.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kTriesOut = false;
#elif defined(__x86_64__)
inline constexpr bool kTriesOut = true;
#else
inline constexpr bool kTriesOut = false;  // no routines but one
#endif

inline double ticks() noexcept {
#if defined(__x86_64__)
  return static_cast<double>(__rdtsc());
#else
  return 0;
#endif
}

/// Processors' own loops for strings of bytes (rep movsb, which the C library uses for middle sizes) may be far slower
/// where the target lies just ahead of the source in a page: they take each load for one of what was stored just now,
/// by the addresses' lower twelve bits. On an AMD machine of 2022 it is one seventeenth for 1 to 15 bytes and one half
/// for 16 to 31, at all sizes from 2 KiB to 1 MiB; loops of vector registers are as fast there as anywhere.
inline bool just_ahead(std::uintptr_t distance) noexcept {
  constexpr std::uintptr_t kSameInPages = 4096;
  constexpr std::uintptr_t kAhead = 32;
  return distance % kSameInPages - 1 < kAhead - 1;  // 0, which is fast, becomes the largest number
}

}  // namespace weft::copy
