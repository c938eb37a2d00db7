// One type of static functions per AMO routine name and type set, the form being spec::Plain or a context:
// Ext_float (fetch, set, swap), Std_int (those that count and compare), Bit_uint32 (and, or, xor), with their nbi
// forms.
#ifndef WEFT_TESTS_SPEC_AMO_OPS_HPP
#define WEFT_TESTS_SPEC_AMO_OPS_HPP

#include "typed.hpp"

#include <initializer_list>
#include <limits>

namespace spec {

// One method in both forms. ARGS are the parameters, USE their names, both in brackets.
#define AMO_STRIP(...) __VA_ARGS__
#define AMO_METHOD(RESULT, METHOD, NAME, SUFFIX, ARGS, USE)                                             \
  static RESULT METHOD(Plain, AMO_STRIP ARGS) { return shmem_##NAME##_atomic_##SUFFIX(AMO_STRIP USE); } \
  static RESULT METHOD(shmem_ctx_t ctx, AMO_STRIP ARGS) {                                               \
    return shmem_ctx_##NAME##_atomic_##SUFFIX(ctx, AMO_STRIP USE);                                      \
  }

#define AMO_EXTENDED_OPS(NAME, TYPE)                                                      \
  struct Ext_##NAME {                                                                     \
    using T = TYPE;                                                                       \
    static constexpr const char* kName = #NAME;                                           \
    AMO_METHOD(T, fetch, NAME, fetch, (const T* s, int pe), (s, pe))                      \
    AMO_METHOD(void, set, NAME, set, (T * d, T v, int pe), (d, v, pe))                    \
    AMO_METHOD(T, swap, NAME, swap, (T * d, T v, int pe), (d, v, pe))                     \
    AMO_METHOD(void, fetch_nbi, NAME, fetch_nbi, (T * f, const T* s, int pe), (f, s, pe)) \
    AMO_METHOD(void, swap_nbi, NAME, swap_nbi, (T * f, T* d, T v, int pe), (f, d, v, pe)) \
  };
SPEC_AMO_EXTENDED(AMO_EXTENDED_OPS)

#define AMO_STANDARD_OPS(NAME, TYPE)                                                                              \
  struct Std_##NAME {                                                                                             \
    using T = TYPE;                                                                                               \
    static constexpr const char* kName = #NAME;                                                                   \
    AMO_METHOD(T, fetch, NAME, fetch, (const T* s, int pe), (s, pe))                                              \
    AMO_METHOD(void, set, NAME, set, (T * d, T v, int pe), (d, v, pe))                                            \
    AMO_METHOD(T, compare_swap, NAME, compare_swap, (T * d, T c, T v, int pe), (d, c, v, pe))                     \
    AMO_METHOD(T, fetch_inc, NAME, fetch_inc, (T * d, int pe), (d, pe))                                           \
    AMO_METHOD(void, inc, NAME, inc, (T * d, int pe), (d, pe))                                                    \
    AMO_METHOD(T, fetch_add, NAME, fetch_add, (T * d, T v, int pe), (d, v, pe))                                   \
    AMO_METHOD(void, add, NAME, add, (T * d, T v, int pe), (d, v, pe))                                            \
    AMO_METHOD(void, compare_swap_nbi, NAME, compare_swap_nbi, (T * f, T* d, T c, T v, int pe), (f, d, c, v, pe)) \
    AMO_METHOD(void, fetch_inc_nbi, NAME, fetch_inc_nbi, (T * f, T* d, int pe), (f, d, pe))                       \
    AMO_METHOD(void, fetch_add_nbi, NAME, fetch_add_nbi, (T * f, T* d, T v, int pe), (f, d, v, pe))               \
  };
SPEC_AMO_STANDARD(AMO_STANDARD_OPS)

#define AMO_BITWISE_OPS(NAME, TYPE)                                                                 \
  struct Bit_##NAME {                                                                               \
    using T = TYPE;                                                                                 \
    static constexpr const char* kName = #NAME;                                                     \
    AMO_METHOD(T, fetch, NAME, fetch, (const T* s, int pe), (s, pe))                                \
    AMO_METHOD(void, set, NAME, set, (T * d, T v, int pe), (d, v, pe))                              \
    AMO_METHOD(T, fetch_and, NAME, fetch_and, (T * d, T v, int pe), (d, v, pe))                     \
    AMO_METHOD(T, fetch_or, NAME, fetch_or, (T * d, T v, int pe), (d, v, pe))                       \
    AMO_METHOD(T, fetch_xor, NAME, fetch_xor, (T * d, T v, int pe), (d, v, pe))                     \
    AMO_METHOD(void, bit_and, NAME, and, (T * d, T v, int pe), (d, v, pe))                          \
    AMO_METHOD(void, bit_or, NAME, or, (T * d, T v, int pe), (d, v, pe))                            \
    AMO_METHOD(void, bit_xor, NAME, xor, (T * d, T v, int pe), (d, v, pe))                          \
    AMO_METHOD(void, fetch_and_nbi, NAME, fetch_and_nbi, (T * f, T* d, T v, int pe), (f, d, v, pe)) \
    AMO_METHOD(void, fetch_or_nbi, NAME, fetch_or_nbi, (T * f, T* d, T v, int pe), (f, d, v, pe))   \
    AMO_METHOD(void, fetch_xor_nbi, NAME, fetch_xor_nbi, (T * f, T* d, T v, int pe), (f, d, v, pe)) \
  };
SPEC_AMO_BITWISE(AMO_BITWISE_OPS)

// Visit every name of a type set: visit(Std_int{}) and so on.
template <class F>
void for_all_extended(F&& visit) {
#define VISIT(NAME, TYPE) visit(Ext_##NAME{});
  SPEC_AMO_EXTENDED(VISIT)
#undef VISIT
}
template <class F>
void for_all_standard(F&& visit) {
#define VISIT(NAME, TYPE) visit(Std_##NAME{});
  SPEC_AMO_STANDARD(VISIT)
#undef VISIT
}
template <class F>
void for_all_bitwise(F&& visit) {
#define VISIT(NAME, TYPE) visit(Bit_##NAME{});
  SPEC_AMO_BITWISE(VISIT)
#undef VISIT
}

// One word with guard bytes on both sides, the same layout for every type.
struct alignas(16) Cell {
  unsigned char before[32];
  alignas(16) unsigned char word[16];
  unsigned char after[16];

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(word);
  }
};
constexpr std::size_t kCells = kSpecMaxPes;
inline Cell g_static_cells[kCells];

// Everything around the first `bytes` of the word is untouched.
inline bool cell_intact(const Cell& cell, std::size_t bytes) {
  const auto* const all = reinterpret_cast<const unsigned char*>(&cell);
  for (std::size_t i = 0; i < sizeof(Cell); ++i)
    if ((i < offsetof(Cell, word) || i >= offsetof(Cell, word) + bytes) && all[i] != kGuard) return false;
  return true;
}

// Runs round(cells, place name, peer kind, form) over heap and static cells, all peers and both forms.
// Cell i belongs to PE i: only that PE operates on it, so old values are exact.
template <class F>
void for_all_cells(F&& round) {
  REQUIRE(check_n <= kSpecMaxPes, "%d PEs are too many for this test", check_n);
  auto* const heap = static_cast<Cell*>(shmem_align(64, sizeof(Cell) * kCells));
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  REQUIRE(heap != nullptr && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  for (Cell* const cells : {heap, g_static_cells})
    for (const Peer kind : kPeers) {
      std::memset(static_cast<void*>(cells), kGuard, sizeof(Cell) * kCells);
      shmem_barrier_all();
      round(cells, kind, Plain{});
      round(cells, kind, ctx);
      shmem_barrier_all();
    }
  shmem_ctx_destroy(ctx);
  shmem_free(heap);
}

inline void complete(Plain) { shmem_quiet(); }
inline void complete(shmem_ctx_t ctx) { shmem_ctx_quiet(ctx); }

// After a type's turn: the target PE's cell, read back whole, shows `expected` and clean surroundings.
template <class T>
void expect_cell(Cell& mine, int pe, T expected, const char* name, const char* after) {
  Cell seen;
  shmem_getmem(&seen, &mine, sizeof seen, pe);
  CHECK(std::memcmp(seen.word, &expected, sizeof(T)) == 0, "%s: wrong value after %s", name, after);
  CHECK(cell_intact(seen, sizeof(T)), "%s: %s wrote beside its word", name, after);
}

}  // namespace spec

#endif
