// One type of static functions per put-with-signal routine name, the form being spec::Plain or a context.
#ifndef WEFT_TESTS_SPEC_SIGNAL_OPS_HPP
#define WEFT_TESTS_SPEC_SIGNAL_OPS_HPP

#include "typed.hpp"

namespace spec {

#define SIGNAL_METHOD(PLAIN, CTX, METHOD)                                                                           \
  static void METHOD(Plain, T* d, const T* s, std::size_t n, std::uint64_t* sig, std::uint64_t v, int op, int pe) { \
    PLAIN(d, s, n, sig, v, op, pe);                                                                                 \
  }                                                                                                                 \
  static void METHOD(shmem_ctx_t c, T* d, const T* s, std::size_t n, std::uint64_t* sig, std::uint64_t v, int op,   \
                     int pe) {                                                                                      \
    CTX(c, d, s, n, sig, v, op, pe);                                                                                \
  }
#define SIGNAL_TYPED_OPS(NAME, TYPE)                                                         \
  struct Sig_##NAME {                                                                        \
    using T = TYPE;                                                                          \
    static constexpr const char* kName = #NAME;                                              \
    SIGNAL_METHOD(shmem_##NAME##_put_signal, shmem_ctx_##NAME##_put_signal, put)             \
    SIGNAL_METHOD(shmem_##NAME##_put_signal_nbi, shmem_ctx_##NAME##_put_signal_nbi, put_nbi) \
  };
SPEC_RMA_TYPES(SIGNAL_TYPED_OPS)

#define SIGNAL_SIZED_OPS(BITS, BYTES)                                                      \
  struct Sig_##BITS {                                                                      \
    using T = Block<BYTES>;                                                                \
    static constexpr const char* kName = #BITS;                                            \
    SIGNAL_METHOD(shmem_put##BITS##_signal, shmem_ctx_put##BITS##_signal, put)             \
    SIGNAL_METHOD(shmem_put##BITS##_signal_nbi, shmem_ctx_put##BITS##_signal_nbi, put_nbi) \
  };
SPEC_SIZES(SIGNAL_SIZED_OPS)

struct Sig_mem {
  using T = unsigned char;
  static constexpr const char* kName = "mem";
  SIGNAL_METHOD(shmem_putmem_signal, shmem_ctx_putmem_signal, put)
  SIGNAL_METHOD(shmem_putmem_signal_nbi, shmem_ctx_putmem_signal_nbi, put_nbi)
};

template <class F>
void for_all_signals(F&& visit) {
#define VISIT(NAME, TYPE) visit(Sig_##NAME{});
  SPEC_RMA_TYPES(VISIT)
  SPEC_SIZES(VISIT)
#undef VISIT
  visit(Sig_mem{});
}

}  // namespace spec

#endif
