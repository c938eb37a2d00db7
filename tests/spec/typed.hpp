// What the type-generic programs share: values that tell their writer, buffers with guard bytes, and the two call
// forms. A test body is one template over an `Ops` type (one per routine name, made by an X list of types.h).
#ifndef WEFT_TESTS_SPEC_TYPED_HPP
#define WEFT_TESTS_SPEC_TYPED_HPP

#include "check.h"
#include "types.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace spec {

// The form without a context argument; the other form passes a shmem_ctx_t.
struct Plain {};

constexpr unsigned char kGuard = 0xA5;
constexpr std::size_t kGuardBytes = 32;

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// One element of a fixed-size routine: bytes without a type, aligned to their size.
template <std::size_t N>
struct alignas(N) Block {
  unsigned char byte[N];
  friend bool operator==(const Block& a, const Block& b) { return std::memcmp(a.byte, b.byte, N) == 0; }
  friend bool operator!=(const Block& a, const Block& b) { return !(a == b); }
};

// The value of element `i` of the data named `seed`.
template <class T>
struct Value {
  static T of(std::uint64_t seed, std::size_t i) {
    const std::uint64_t bits = mix(seed * 1000003u + i);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<double>(bits % 16000000u) + 0.5);
    else
      return static_cast<T>(bits);
  }
};
template <std::size_t N>
struct Value<Block<N>> {
  static Block<N> of(std::uint64_t seed, std::size_t i) {
    Block<N> b;
    for (std::size_t k = 0; k < N; ++k) b.byte[k] = static_cast<unsigned char>(mix(seed * 31 + i * 17 + k));
    return b;
  }
};
template <class T>
T value_of(std::uint64_t seed, std::size_t i) {
  return Value<T>::of(seed, i);
}

// Hands out aligned places in a byte buffer, each followed by guard bytes. Every PE that walks in the same order gets
// the same offsets, so a writer and a checker agree without talking.
class Walker {
 public:
  Walker(unsigned char* base, std::size_t bytes) : base_(base), bytes_(bytes) {}

  template <class T>
  T* take(std::size_t elements) {
    at_ = (at_ + kGuardBytes + 15) / 16 * 16;
    T* const place = reinterpret_cast<T*>(base_ + at_);
    at_ += elements * sizeof(T);
    REQUIRE(at_ + kGuardBytes <= bytes_, "the test's buffer of %zu bytes is too small", bytes_);
    return place;
  }

 private:
  unsigned char* base_;
  std::size_t bytes_;
  std::size_t at_ = 0;
};

// True when the guard bytes on both sides of [place, place + bytes) are untouched.
inline bool guards_intact(const void* place, std::size_t bytes) {
  const unsigned char* const p = static_cast<const unsigned char*>(place);
  for (std::size_t i = 0; i < kGuardBytes / 2; ++i)
    if (p[-1 - static_cast<std::ptrdiff_t>(i)] != kGuard || p[bytes + i] != kGuard) return false;
  return true;
}

// Which PE a PE talks to in one round.
enum class Peer { self, next, last };
constexpr Peer kPeers[] = {Peer::self, Peer::next, Peer::last};
inline int peer_of(Peer kind, int pe) {
  if (kind == Peer::self) return pe;
  return kind == Peer::next ? (pe + 1) % check_n : check_n - 1;
}
inline const char* name_of(Peer kind) { return kind == Peer::self ? "self" : kind == Peer::next ? "next" : "last"; }

// A private copy of some elements, never null.
template <class T>
class Private {
 public:
  explicit Private(std::size_t n) : data_(static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) / 64 + 1) * 64))) {
    REQUIRE(data_ != nullptr, "out of memory for %zu elements", n);
  }
  Private(std::size_t n, std::uint64_t seed) : Private(n) {
    for (std::size_t i = 0; i < n; ++i) data_[i] = value_of<T>(seed, i);
  }
  ~Private() { std::free(data_); }
  Private(const Private&) = delete;
  Private& operator=(const Private&) = delete;
  operator T*() { return data_; }
  T* get() { return data_; }

 private:
  T* data_;
};

}  // namespace spec

#endif
