/// How each transfer of C++ programs finds its C routine: the one named after the element type, or for other types the
/// one that moves bytes or words. Programs include <weft/shmem.hpp>; what they call is in rma.hpp.
///
/// `ctx` is a pack of none or one context: without one the routine without a context is called, which has an inline
/// body.
#pragma once

#include <weft/cxx/base.hpp>
#include <weft/cxx/routines.hpp>

#include <new>

namespace shmem::detail {

/// Bytes of `nelems` elements; more than there can be when the product does not fit, which the library then reports.
template <class T>
WEFT_CXX constexpr std::size_t bytes(std::size_t nelems) noexcept {
  return nelems <= SIZE_MAX / sizeof(T) ? nelems * sizeof(T) : SIZE_MAX;
}

/// Elements that no routine is named after are blocks of naturally aligned words, as large as their alignment allows:
/// a strided transfer of elements is a block-strided transfer of words.
template <class T>
inline constexpr std::size_t word_bytes = alignof(T) < 16 ? alignof(T) : 16;
template <class T>
inline constexpr std::size_t words = sizeof(T) / word_bytes<T>;
template <class T>
WEFT_CXX constexpr std::ptrdiff_t in_words(std::ptrdiff_t stride) noexcept {
  return stride * static_cast<std::ptrdiff_t>(words<T>);
}
template <std::size_t kBits>
using unit = std::integral_constant<std::size_t, kBits>;
template <class T>
using word = unit<8 * word_bytes<T>>;

#define WEFT_CXX_BLOCKS(BITS, NAME)                                                                      \
  WEFT_CXX void NAME(unit<BITS>, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, \
                     std::size_t bsize, std::size_t nblocks, int pe) {                                   \
    shmem_##NAME##BITS(dest, source, dst, sst, bsize, nblocks, pe);                                      \
  }                                                                                                      \
  WEFT_CXX void NAME(unit<BITS>, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, \
                     std::size_t bsize, std::size_t nblocks, int pe, shmem_ctx_t ctx) {                  \
    shmem_ctx_##NAME##BITS(ctx, dest, source, dst, sst, bsize, nblocks, pe);                             \
  }
#define WEFT_CXX_UNIT(BITS) WEFT_CXX_BLOCKS(BITS, ibput) WEFT_CXX_BLOCKS(BITS, ibget)
WEFT_CXX_UNIT(8)
WEFT_CXX_UNIT(16)
WEFT_CXX_UNIT(32)
WEFT_CXX_UNIT(64)
WEFT_CXX_UNIT(128)
#undef WEFT_CXX_UNIT
#undef WEFT_CXX_BLOCKS

/// shmem_putmem and its kin with the context last, where a pack can be.
#define WEFT_CXX_BYTES(NAME)                                                                        \
  WEFT_CXX void NAME(void* dest, const void* source, std::size_t nelems, int pe) {                  \
    shmem_##NAME(dest, source, nelems, pe);                                                         \
  }                                                                                                 \
  WEFT_CXX void NAME(void* dest, const void* source, std::size_t nelems, int pe, shmem_ctx_t ctx) { \
    shmem_ctx_##NAME(ctx, dest, source, nelems, pe);                                                \
  }
WEFT_CXX_BYTES(putmem)
WEFT_CXX_BYTES(getmem)
WEFT_CXX_BYTES(putmem_nbi)
WEFT_CXX_BYTES(getmem_nbi)
#undef WEFT_CXX_BYTES

#define WEFT_CXX_BYTES_SIGNAL(NAME)                                                               \
  WEFT_CXX void NAME(void* dest, const void* source, std::size_t nelems, std::uint64_t* sig_addr, \
                     std::uint64_t signal, int sig_op, int pe) {                                  \
    shmem_##NAME(dest, source, nelems, sig_addr, signal, sig_op, pe);                             \
  }                                                                                               \
  WEFT_CXX void NAME(void* dest, const void* source, std::size_t nelems, std::uint64_t* sig_addr, \
                     std::uint64_t signal, int sig_op, int pe, shmem_ctx_t ctx) {                 \
    shmem_ctx_##NAME(ctx, dest, source, nelems, sig_addr, signal, sig_op, pe);                    \
  }
WEFT_CXX_BYTES_SIGNAL(putmem_signal)
WEFT_CXX_BYTES_SIGNAL(putmem_signal_nbi)
#undef WEFT_CXX_BYTES_SIGNAL

template <class T, class... Ctx>
WEFT_CXX void put(T* dest, const T* source, std::size_t nelems, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::put(ctx..., dest, source, nelems, pe);
  } else {
    putmem(dest, source, bytes<T>(nelems), pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void get(T* dest, const T* source, std::size_t nelems, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::get(ctx..., dest, source, nelems, pe);
  } else {
    getmem(dest, source, bytes<T>(nelems), pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void put_nbi(T* dest, const T* source, std::size_t nelems, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::put_nbi(ctx..., dest, source, nelems, pe);
  } else {
    putmem_nbi(dest, source, bytes<T>(nelems), pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void get_nbi(T* dest, const T* source, std::size_t nelems, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::get_nbi(ctx..., dest, source, nelems, pe);
  } else {
    getmem_nbi(dest, source, bytes<T>(nelems), pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void p(T* dest, T value, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::p(ctx..., dest, value, pe);
  } else {
    putmem(dest, &value, sizeof(T), pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX T g(const T* source, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    return typed::g(ctx..., source, pe);
  } else {
    // Not a T yet: it may have no default constructor.
    alignas(T) unsigned char value[sizeof(T)];
    getmem(value, source, sizeof(T), pe, ctx...);
    return *std::launder(reinterpret_cast<T*>(value));
  }
}

template <class T, class... Ctx>
WEFT_CXX void iput(T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems, int pe,
                   Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::iput(ctx..., dest, source, dst, sst, nelems, pe);
  } else {
    ibput(word<T>{}, dest, source, in_words<T>(dst), in_words<T>(sst), words<T>, nelems, pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void iget(T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems, int pe,
                   Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::iget(ctx..., dest, source, dst, sst, nelems, pe);
  } else {
    ibget(word<T>{}, dest, source, in_words<T>(dst), in_words<T>(sst), words<T>, nelems, pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void ibput(T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                    std::size_t nblocks, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::ibput(ctx..., dest, source, dst, sst, bsize, nblocks, pe);
  } else {
    ibput(word<T>{}, dest, source, in_words<T>(dst), in_words<T>(sst), bsize * words<T>, nblocks, pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void ibget(T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                    std::size_t nblocks, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::ibget(ctx..., dest, source, dst, sst, bsize, nblocks, pe);
  } else {
    ibget(word<T>{}, dest, source, in_words<T>(dst), in_words<T>(sst), bsize * words<T>, nblocks, pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void put_signal(T* dest, const T* source, std::size_t nelems, std::uint64_t* sig_addr, std::uint64_t signal,
                         signal_op op, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::put_signal(ctx..., dest, source, nelems, sig_addr, signal, static_cast<int>(op), pe);
  } else {
    putmem_signal(dest, source, bytes<T>(nelems), sig_addr, signal, static_cast<int>(op), pe, ctx...);
  }
}

template <class T, class... Ctx>
WEFT_CXX void put_signal_nbi(T* dest, const T* source, std::size_t nelems, std::uint64_t* sig_addr,
                             std::uint64_t signal, signal_op op, int pe, Ctx... ctx) {
  check_element<T>();
  if constexpr (is_stdrma<T>) {
    typed::put_signal_nbi(ctx..., dest, source, nelems, sig_addr, signal, static_cast<int>(op), pe);
  } else {
    putmem_signal_nbi(dest, source, bytes<T>(nelems), sig_addr, signal, static_cast<int>(op), pe, ctx...);
  }
}

}  // namespace shmem::detail
