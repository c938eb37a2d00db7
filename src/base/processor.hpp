// What this processor has, of what the compiler may not take for granted.
#pragma once

#if defined(__x86_64__) && \
    __has_include(<sys/platform/x86.h>) && !defined(__clang__)  // glibc 2.36's is not C++ to clang
#include <sys/platform/x86.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

namespace weft::base {

// The C library knows since the program's start what the processor can do. The compiler's own functions would ask once
// more, at each start, and in a virtual machine every such question goes to the hypervisor.
#if defined(CPU_FEATURE_ACTIVE)
inline bool has_avx2() noexcept { return CPU_FEATURE_ACTIVE(AVX2); }
/// With instructions on bytes.
inline bool has_avx512() noexcept { return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512BW); }
/// And with those that put some bytes of a vector side by side, and back.
inline bool has_avx512_vbmi2() noexcept {
  return has_avx512() && CPU_FEATURE_ACTIVE(AVX512_VBMI2) && CPU_FEATURE_ACTIVE(POPCNT);
}
/// Family, model and stepping, as the processor has them in one word; 0: not known. Makers use different families.
inline unsigned processor_type() noexcept { return __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array[0]; }
#elif defined(__x86_64__)
inline bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }
inline bool has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}
inline bool has_avx512_vbmi2() noexcept {
  return has_avx512() && __builtin_cpu_supports("avx512vbmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
}
inline unsigned processor_type() noexcept {
  unsigned type = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &type, &b, &c, &d) != 0 ? type : 0;
}
#else
constexpr bool has_avx2() noexcept { return false; }
constexpr bool has_avx512() noexcept { return false; }
constexpr bool has_avx512_vbmi2() noexcept { return false; }
constexpr unsigned processor_type() noexcept { return 0; }
#endif

}  // namespace weft::base
