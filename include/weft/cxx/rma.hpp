/// Puts, gets (9.6) and signals (9.8) of C++ programs. Programs include <weft/shmem.hpp>.
///
/// T is any trivially copyable type. Types of the specification's table go to their own C routine (shmem_long_put, with
/// its inline body), others, std::complex and structs among them, to the routine that moves bytes. With a context first
/// the operation belongs to that context, and `pe` counts in the context's team.
///
/// What is written on another PE, and what is read from it, has to be symmetric: static data of the program or memory
/// of shmem::symmetric; the buffer of this PE may lie anywhere. A blocking put returns when `source` may be used again,
/// a blocking get when the data is in `dest`; the _nbi forms want both buffers left alone until quiet(). Puts are
/// complete, visible to every PE, after quiet() or barrier_all(). A wrong address or PE number ends the program with a
/// line that says what was wrong.
#pragma once

#include <weft/cxx/elements.hpp>

#if __cplusplus >= 202002L
#include <span>
#endif

namespace shmem {

/// Copies `nelems` elements to `dest` on `pe` (9.6.1.1).
template <class T>
WEFT_CXX void put(T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::put<T>(dest, source, nelems, pe);
}
template <class T>
WEFT_CXX void put(context_ref ctx, T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::put<T>(dest, source, nelems, pe, ctx.get());
}

/// Copies `nelems` elements from `source` on `pe` (9.6.1.5).
template <class T>
WEFT_CXX void get(T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::get<T>(dest, source, nelems, pe);
}
template <class T>
WEFT_CXX void get(context_ref ctx, T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::get<T>(dest, source, nelems, pe, ctx.get());
}

/// put() that may return at once (9.6.2.1).
template <class T>
WEFT_CXX void put_nbi(T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::put_nbi<T>(dest, source, nelems, pe);
}
template <class T>
WEFT_CXX void put_nbi(context_ref ctx, T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::put_nbi<T>(dest, source, nelems, pe, ctx.get());
}

/// get() that may return at once (9.6.2.2).
template <class T>
WEFT_CXX void get_nbi(T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::get_nbi<T>(dest, source, nelems, pe);
}
template <class T>
WEFT_CXX void get_nbi(context_ref ctx, T* dest, const detail::same<T>* source, std::size_t nelems, int pe) {
  detail::get_nbi<T>(dest, source, nelems, pe, ctx.get());
}

/// Writes one element (9.6.1.2).
template <class T>
WEFT_CXX void p(T* dest, detail::same<T> value, int pe) {
  detail::p<T>(dest, value, pe);
}
template <class T>
WEFT_CXX void p(context_ref ctx, T* dest, detail::same<T> value, int pe) {
  detail::p<T>(dest, value, pe, ctx.get());
}

/// Reads one element (9.6.1.6).
template <class T>
WEFT_CXX T g(const T* source, int pe) {
  return detail::g<T>(source, pe);
}
template <class T>
WEFT_CXX T g(context_ref ctx, const T* source, int pe) {
  return detail::g<T>(source, pe, ctx.get());
}

/// Element i of `source`, `sst` elements apart, becomes element i of `dest`, `dst` elements apart (9.6.1.3). The
/// strides are 1 or more.
template <class T>
WEFT_CXX void iput(T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
                   int pe) {
  detail::iput<T>(dest, source, dst, sst, nelems, pe);
}
template <class T>
WEFT_CXX void iput(context_ref ctx, T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                   std::size_t nelems, int pe) {
  detail::iput<T>(dest, source, dst, sst, nelems, pe, ctx.get());
}

/// The same from `pe` to here (9.6.1.7).
template <class T>
WEFT_CXX void iget(T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems,
                   int pe) {
  detail::iget<T>(dest, source, dst, sst, nelems, pe);
}
template <class T>
WEFT_CXX void iget(context_ref ctx, T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                   std::size_t nelems, int pe) {
  detail::iget<T>(dest, source, dst, sst, nelems, pe, ctx.get());
}

/// `nblocks` blocks of `bsize` elements; the strides count elements from the beginning of a block to that of the next
/// and are `bsize` or more (9.6.1.4).
template <class T>
WEFT_CXX void ibput(T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                    std::size_t nblocks, int pe) {
  detail::ibput<T>(dest, source, dst, sst, bsize, nblocks, pe);
}
template <class T>
WEFT_CXX void ibput(context_ref ctx, T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                    std::size_t bsize, std::size_t nblocks, int pe) {
  detail::ibput<T>(dest, source, dst, sst, bsize, nblocks, pe, ctx.get());
}

/// The same from `pe` to here (9.6.1.8).
template <class T>
WEFT_CXX void ibget(T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t bsize,
                    std::size_t nblocks, int pe) {
  detail::ibget<T>(dest, source, dst, sst, bsize, nblocks, pe);
}
template <class T>
WEFT_CXX void ibget(context_ref ctx, T* dest, const detail::same<T>* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                    std::size_t bsize, std::size_t nblocks, int pe) {
  detail::ibget<T>(dest, source, dst, sst, bsize, nblocks, pe, ctx.get());
}

/// put() that then updates the word `sig_addr` of `pe`: who sees the signal there sees the data (9.8.3).
template <class T>
WEFT_CXX void put_signal(T* dest, const detail::same<T>* source, std::size_t nelems, std::uint64_t* sig_addr,
                         std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal<T>(dest, source, nelems, sig_addr, signal, op, pe);
}
template <class T>
WEFT_CXX void put_signal(context_ref ctx, T* dest, const detail::same<T>* source, std::size_t nelems,
                         std::uint64_t* sig_addr, std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal<T>(dest, source, nelems, sig_addr, signal, op, pe, ctx.get());
}

/// put_signal() that may return at once (9.8.4).
template <class T>
WEFT_CXX void put_signal_nbi(T* dest, const detail::same<T>* source, std::size_t nelems, std::uint64_t* sig_addr,
                             std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal_nbi<T>(dest, source, nelems, sig_addr, signal, op, pe);
}
template <class T>
WEFT_CXX void put_signal_nbi(context_ref ctx, T* dest, const detail::same<T>* source, std::size_t nelems,
                             std::uint64_t* sig_addr, std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal_nbi<T>(dest, source, nelems, sig_addr, signal, op, pe, ctx.get());
}

#if __cplusplus >= 202002L
// With a span, or what converts to one (std::vector, std::array, shmem::symmetric), for the buffer of this PE.

/// put() of all elements of `source`.
template <class T>
WEFT_CXX void put(T* dest, std::span<const detail::same<T>> source, int pe) {
  detail::put<T>(dest, source.data(), source.size(), pe);
}
template <class T>
WEFT_CXX void put(context_ref ctx, T* dest, std::span<const detail::same<T>> source, int pe) {
  detail::put<T>(dest, source.data(), source.size(), pe, ctx.get());
}

/// put_nbi() of all elements of `source`.
template <class T>
WEFT_CXX void put_nbi(T* dest, std::span<const detail::same<T>> source, int pe) {
  detail::put_nbi<T>(dest, source.data(), source.size(), pe);
}
template <class T>
WEFT_CXX void put_nbi(context_ref ctx, T* dest, std::span<const detail::same<T>> source, int pe) {
  detail::put_nbi<T>(dest, source.data(), source.size(), pe, ctx.get());
}

/// get() into all elements of `dest`.
template <class T>
WEFT_CXX void get(std::span<detail::same<T>> dest, const T* source, int pe) {
  detail::get<T>(dest.data(), source, dest.size(), pe);
}
template <class T>
WEFT_CXX void get(context_ref ctx, std::span<detail::same<T>> dest, const T* source, int pe) {
  detail::get<T>(dest.data(), source, dest.size(), pe, ctx.get());
}

/// get_nbi() into all elements of `dest`.
template <class T>
WEFT_CXX void get_nbi(std::span<detail::same<T>> dest, const T* source, int pe) {
  detail::get_nbi<T>(dest.data(), source, dest.size(), pe);
}
template <class T>
WEFT_CXX void get_nbi(context_ref ctx, std::span<detail::same<T>> dest, const T* source, int pe) {
  detail::get_nbi<T>(dest.data(), source, dest.size(), pe, ctx.get());
}

/// put_signal() of all elements of `source`.
template <class T>
WEFT_CXX void put_signal(T* dest, std::span<const detail::same<T>> source, std::uint64_t* sig_addr,
                         std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal<T>(dest, source.data(), source.size(), sig_addr, signal, op, pe);
}
template <class T>
WEFT_CXX void put_signal(context_ref ctx, T* dest, std::span<const detail::same<T>> source, std::uint64_t* sig_addr,
                         std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal<T>(dest, source.data(), source.size(), sig_addr, signal, op, pe, ctx.get());
}

/// put_signal_nbi() of all elements of `source`.
template <class T>
WEFT_CXX void put_signal_nbi(T* dest, std::span<const detail::same<T>> source, std::uint64_t* sig_addr,
                             std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal_nbi<T>(dest, source.data(), source.size(), sig_addr, signal, op, pe);
}
template <class T>
WEFT_CXX void put_signal_nbi(context_ref ctx, T* dest, std::span<const detail::same<T>> source, std::uint64_t* sig_addr,
                             std::uint64_t signal, signal_op op, int pe) {
  detail::put_signal_nbi<T>(dest, source.data(), source.size(), sig_addr, signal, op, pe, ctx.get());
}

#endif

/// Adds to, or writes, a signal word of `pe` atomically (9.8.5, 9.8.7). Completed like a put.
WEFT_CXX void signal_add(std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  shmem_signal_add(sig_addr, signal, pe);
}
WEFT_CXX void signal_add(context_ref ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  shmem_ctx_signal_add(ctx.get(), sig_addr, signal, pe);
}
WEFT_CXX void signal_set(std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  shmem_signal_set(sig_addr, signal, pe);
}
WEFT_CXX void signal_set(context_ref ctx, std::uint64_t* sig_addr, std::uint64_t signal, int pe) {
  shmem_ctx_signal_set(ctx.get(), sig_addr, signal, pe);
}

/// The signal word of this PE, read atomically (9.8.6).
WEFT_CXX std::uint64_t signal_fetch(const std::uint64_t* sig_addr) { return shmem_signal_fetch(sig_addr); }

/// Waits until the signal word of this PE satisfies the comparison; returns the value that did (9.11.15). The data of
/// the put that carried the signal is visible then.
WEFT_CXX std::uint64_t signal_wait_until(std::uint64_t* sig_addr, cmp relation, std::uint64_t cmp_value) {
  return shmem_signal_wait_until(sig_addr, static_cast<int>(relation), cmp_value);
}

}  // namespace shmem
