// One type of static functions per name of the point-to-point routines: `P2p_uint::wait_until_any(...)` and so on.
#ifndef WEFT_TESTS_SPEC_P2P_OPS_HPP
#define WEFT_TESTS_SPEC_P2P_OPS_HPP

#include "typed.hpp"

#include <initializer_list>
#include <limits>

namespace spec {

#define P2P_OPS(NAME, TYPE)                                                                                           \
  struct P2p_##NAME {                                                                                                 \
    using T = TYPE;                                                                                                   \
    using N = std::size_t;                                                                                            \
    static constexpr const char* kName = #NAME;                                                                       \
    static void set(T* d, T v, int pe) { shmem_##NAME##_atomic_set(d, v, pe); }                                       \
    static void wait_until(T* v, int c, T w) { shmem_##NAME##_wait_until(v, c, w); }                                  \
    static int test(T* v, int c, T w) { return shmem_##NAME##_test(v, c, w); }                                        \
    static void wait_until_all(T* v, N n, const int* s, int c, T w) { shmem_##NAME##_wait_until_all(v, n, s, c, w); } \
    static N wait_until_any(T* v, N n, const int* s, int c, T w) {                                                    \
      return shmem_##NAME##_wait_until_any(v, n, s, c, w);                                                            \
    }                                                                                                                 \
    static N wait_until_some(T* v, N n, N* i, const int* s, int c, T w) {                                             \
      return shmem_##NAME##_wait_until_some(v, n, i, s, c, w);                                                        \
    }                                                                                                                 \
    static void wait_until_all_vector(T* v, N n, const int* s, int c, const T* w) {                                   \
      shmem_##NAME##_wait_until_all_vector(v, n, s, c, w);                                                            \
    }                                                                                                                 \
    static N wait_until_any_vector(T* v, N n, const int* s, int c, const T* w) {                                      \
      return shmem_##NAME##_wait_until_any_vector(v, n, s, c, w);                                                     \
    }                                                                                                                 \
    static N wait_until_some_vector(T* v, N n, N* i, const int* s, int c, const T* w) {                               \
      return shmem_##NAME##_wait_until_some_vector(v, n, i, s, c, w);                                                 \
    }                                                                                                                 \
    static int test_all(T* v, N n, const int* s, int c, T w) { return shmem_##NAME##_test_all(v, n, s, c, w); }       \
    static N test_any(T* v, N n, const int* s, int c, T w) { return shmem_##NAME##_test_any(v, n, s, c, w); }         \
    static N test_some(T* v, N n, N* i, const int* s, int c, T w) {                                                   \
      return shmem_##NAME##_test_some(v, n, i, s, c, w);                                                              \
    }                                                                                                                 \
    static int test_all_vector(T* v, N n, const int* s, int c, const T* w) {                                          \
      return shmem_##NAME##_test_all_vector(v, n, s, c, w);                                                           \
    }                                                                                                                 \
    static N test_any_vector(T* v, N n, const int* s, int c, const T* w) {                                            \
      return shmem_##NAME##_test_any_vector(v, n, s, c, w);                                                           \
    }                                                                                                                 \
    static N test_some_vector(T* v, N n, N* i, const int* s, int c, const T* w) {                                     \
      return shmem_##NAME##_test_some_vector(v, n, i, s, c, w);                                                       \
    }                                                                                                                 \
  };
SPEC_SYNC_TYPES(P2P_OPS)

template <class F>
void for_all_p2p(F&& visit) {
#define VISIT(NAME, TYPE) visit(P2p_##NAME{});
  SPEC_SYNC_TYPES(VISIT)
#undef VISIT
}

constexpr int kAllComparisons[] = {SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_GE, SHMEM_CMP_LT, SHMEM_CMP_LE};

// What the specification says about `left cmp right`, in the type's own order.
template <class T>
bool holds(T left, int cmp, T right) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return left == right;
    case SHMEM_CMP_NE: return left != right;
    case SHMEM_CMP_GT: return left > right;
    case SHMEM_CMP_GE: return left >= right;
    case SHMEM_CMP_LT: return left < right;
    default: return left <= right;
  }
}
inline const char* name_of_comparison(int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return "EQ";
    case SHMEM_CMP_NE: return "NE";
    case SHMEM_CMP_GT: return "GT";
    case SHMEM_CMP_GE: return "GE";
    case SHMEM_CMP_LT: return "LT";
    default: return "LE";
  }
}

// Symmetric words for the objects of any type, in the heap and in static memory.
constexpr std::size_t kWords = 64;
alignas(64) inline unsigned char g_static_words[kWords * 8];

template <class F>
void on_heap_and_static(F&& run) {
  auto* const heap = static_cast<unsigned char*>(shmem_align(64, kWords * 8));
  REQUIRE(heap != nullptr, "no memory");
  run(heap);
  run(g_static_words);
  shmem_free(heap);
}

// Whether these indices are the members of `expected` (as a mask), each once and all of them.
inline bool same_set(const std::size_t* indices, std::size_t n, std::uint64_t expected) {
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (indices[i] >= 64 || (seen >> indices[i] & 1)) return false;
    seen |= std::uint64_t{1} << indices[i];
  }
  return seen == expected;
}

}  // namespace spec

#endif
