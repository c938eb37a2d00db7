// One type of static functions per RMA routine name: `Rma_int::put(form, ...)`, the form being spec::Plain or a
// context.
#ifndef WEFT_TESTS_SPEC_RMA_OPS_HPP
#define WEFT_TESTS_SPEC_RMA_OPS_HPP

#include "typed.hpp"

namespace spec {

// Strided and contiguous routines of one name; PRE and POST are what stands around `put` in the name.
#define RMA_CONTIGUOUS(PLAIN, CTX, METHOD)                                                   \
  static void METHOD(Plain, T* d, const T* s, std::size_t n, int pe) { PLAIN(d, s, n, pe); } \
  static void METHOD(shmem_ctx_t c, T* d, const T* s, std::size_t n, int pe) { CTX(c, d, s, n, pe); }
#define RMA_STRIDED(PLAIN, CTX, METHOD)                                                                                \
  static void METHOD(Plain, T* d, const T* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe) {         \
    PLAIN(d, s, dst, sst, n, pe);                                                                                      \
  }                                                                                                                    \
  static void METHOD(shmem_ctx_t c, T* d, const T* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, int pe) { \
    CTX(c, d, s, dst, sst, n, pe);                                                                                     \
  }
#define RMA_BLOCKED(PLAIN, CTX, METHOD)                                                                             \
  static void METHOD(Plain, T* d, const T* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b, std::size_t n, \
                     int pe) {                                                                                      \
    PLAIN(d, s, dst, sst, b, n, pe);                                                                                \
  }                                                                                                                 \
  static void METHOD(shmem_ctx_t c, T* d, const T* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t b,        \
                     std::size_t n, int pe) {                                                                       \
    CTX(c, d, s, dst, sst, b, n, pe);                                                                               \
  }

#define RMA_TYPED_OPS(NAME, TYPE)                                                            \
  struct Rma_##NAME {                                                                        \
    using T = TYPE;                                                                          \
    static constexpr const char* kName = #NAME;                                              \
    static constexpr bool kHasSingle = true, kHasStrided = true;                             \
    RMA_CONTIGUOUS(shmem_##NAME##_put, shmem_ctx_##NAME##_put, put)                          \
    RMA_CONTIGUOUS(shmem_##NAME##_get, shmem_ctx_##NAME##_get, get)                          \
    RMA_CONTIGUOUS(shmem_##NAME##_put_nbi, shmem_ctx_##NAME##_put_nbi, put_nbi)              \
    RMA_CONTIGUOUS(shmem_##NAME##_get_nbi, shmem_ctx_##NAME##_get_nbi, get_nbi)              \
    RMA_STRIDED(shmem_##NAME##_iput, shmem_ctx_##NAME##_iput, iput)                          \
    RMA_STRIDED(shmem_##NAME##_iget, shmem_ctx_##NAME##_iget, iget)                          \
    RMA_BLOCKED(shmem_##NAME##_ibput, shmem_ctx_##NAME##_ibput, ibput)                       \
    RMA_BLOCKED(shmem_##NAME##_ibget, shmem_ctx_##NAME##_ibget, ibget)                       \
    static void p(Plain, T* d, T v, int pe) { shmem_##NAME##_p(d, v, pe); }                  \
    static void p(shmem_ctx_t c, T* d, T v, int pe) { shmem_ctx_##NAME##_p(c, d, v, pe); }   \
    static T g(Plain, const T* s, int pe) { return shmem_##NAME##_g(s, pe); }                \
    static T g(shmem_ctx_t c, const T* s, int pe) { return shmem_ctx_##NAME##_g(c, s, pe); } \
  };
SPEC_RMA_TYPES(RMA_TYPED_OPS)

#define RMA_SIZED_OPS(BITS, BYTES)                                            \
  struct Rma_##BITS {                                                         \
    using T = Block<BYTES>;                                                   \
    static constexpr const char* kName = #BITS;                               \
    static constexpr bool kHasSingle = false, kHasStrided = true;             \
    RMA_CONTIGUOUS(shmem_put##BITS, shmem_ctx_put##BITS, put)                 \
    RMA_CONTIGUOUS(shmem_get##BITS, shmem_ctx_get##BITS, get)                 \
    RMA_CONTIGUOUS(shmem_put##BITS##_nbi, shmem_ctx_put##BITS##_nbi, put_nbi) \
    RMA_CONTIGUOUS(shmem_get##BITS##_nbi, shmem_ctx_get##BITS##_nbi, get_nbi) \
    RMA_STRIDED(shmem_iput##BITS, shmem_ctx_iput##BITS, iput)                 \
    RMA_STRIDED(shmem_iget##BITS, shmem_ctx_iget##BITS, iget)                 \
    RMA_BLOCKED(shmem_ibput##BITS, shmem_ctx_ibput##BITS, ibput)              \
    RMA_BLOCKED(shmem_ibget##BITS, shmem_ctx_ibget##BITS, ibget)              \
  };
SPEC_SIZES(RMA_SIZED_OPS)

struct Rma_mem {
  using T = unsigned char;
  static constexpr const char* kName = "mem";
  static constexpr bool kHasSingle = false, kHasStrided = false;
  RMA_CONTIGUOUS(shmem_putmem, shmem_ctx_putmem, put)
  RMA_CONTIGUOUS(shmem_getmem, shmem_ctx_getmem, get)
  RMA_CONTIGUOUS(shmem_putmem_nbi, shmem_ctx_putmem_nbi, put_nbi)
  RMA_CONTIGUOUS(shmem_getmem_nbi, shmem_ctx_getmem_nbi, get_nbi)
};

// Calls visit(Rma_x{}) for all 24 typed, 5 sized and the mem routines.
template <class F>
void for_all_rma(F&& visit) {
#define VISIT(NAME, TYPE) visit(Rma_##NAME{});
  SPEC_RMA_TYPES(VISIT)
  SPEC_SIZES(VISIT)
#undef VISIT
  visit(Rma_mem{});
}

// Where the targets lie: a part for each writing PE, in the heap and in static memory.
constexpr std::size_t kPartBytes = 192 * 1024;
alignas(64) inline unsigned char g_static_parts[kSpecMaxPes * kPartBytes];

struct Place {
  const char* name;
  unsigned char* base;
  unsigned char* part(int pe) const { return base + static_cast<std::size_t>(pe) * kPartBytes; }
  void clear() const { std::memset(base, kGuard, static_cast<std::size_t>(check_n) * kPartBytes); }
};

// Runs round(place, peer kind, form) for both places, all peer kinds and both forms.
template <class F>
void for_all_rounds(F&& round) {
  REQUIRE(check_n <= kSpecMaxPes, "%d PEs are too many for this test", check_n);
  auto* const heap = static_cast<unsigned char*>(shmem_malloc(static_cast<std::size_t>(check_n) * kPartBytes));
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  REQUIRE(heap != nullptr && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  const Place places[] = {{"heap", heap}, {"static", g_static_parts}};
  for (const Place& place : places)
    for (const Peer kind : kPeers) {
      round(place, kind, Plain{});
      round(place, kind, ctx);
    }
  shmem_ctx_destroy(ctx);
  shmem_free(heap);
}

// Element counts: none, one, odd ones, and more than any small-copy path takes at once.
constexpr std::size_t kCounts[] = {0, 1, 3, 17, 130};

// The seed of what `from` writes to `to` with element type number `type`.
inline std::uint64_t seed_of(int from, int to, int type) {
  return (static_cast<std::uint64_t>(from) << 32) + static_cast<std::uint64_t>(to) * 4096 + static_cast<unsigned>(type);
}

// Checks n elements that carry the data named `seed`, and the guard bytes around them.
template <class T>
void expect(const T* seen, std::uint64_t seed, std::size_t n, const char* name, const char* where) {
  for (std::size_t i = 0; i < n; ++i)
    if (!(seen[i] == value_of<T>(seed, i))) {
      CHECK(false, "%s, %s: element %zu of %zu is wrong", name, where, i, n);
      break;
    }
  CHECK(guards_intact(seen, n * sizeof(T)), "%s, %s: bytes beside %zu elements were written", name, where, n);
}

inline void complete(Plain) { shmem_quiet(); }
inline void complete(shmem_ctx_t ctx) { shmem_ctx_quiet(ctx); }

}  // namespace spec

#endif
