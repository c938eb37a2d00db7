/// What the C++ interface stands on: contexts as arguments, comparisons, and how its functions are inlined.
/// Programs include <weft/shmem.hpp>.
#pragma once

#if __cplusplus < 201703L
#error "<weft/shmem.hpp> needs C++17 or later; <shmem.h> is for every version since C++11"
#endif

#include <shmem.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Always inlined, and no step of its own in a debugger: what is called is the C routine, with its inline body, which
/// looks at constant lengths and so has to see the program's arguments.
#define WEFT_CXX __attribute__((__always_inline__, __artificial__)) inline

namespace shmem {

/// The comparisons of section 6, for the wait and test routines (9.11).
enum class cmp : int {
  eq = SHMEM_CMP_EQ,
  ne = SHMEM_CMP_NE,
  lt = SHMEM_CMP_LT,
  le = SHMEM_CMP_LE,
  gt = SHMEM_CMP_GT,
  ge = SHMEM_CMP_GE,
};

/// What a signal does to the word it arrives at (9.8.2).
enum class signal_op : int { set = SHMEM_SIGNAL_SET, add = SHMEM_SIGNAL_ADD };

/// Thread support (9.2), weakest first.
enum class thread_level : int {
  single = SHMEM_THREAD_SINGLE,
  funneled = SHMEM_THREAD_FUNNELED,
  serialized = SHMEM_THREAD_SERIALIZED,
  multiple = SHMEM_THREAD_MULTIPLE,
};

class context;

/// How functions take a context: a shmem::context, or a handle such as SHMEM_CTX_DEFAULT. Owns nothing.
class context_ref {
 public:
  WEFT_CXX context_ref(shmem_ctx_t handle) noexcept : handle_{handle} {}
  WEFT_CXX context_ref(const context& owner) noexcept;
  [[nodiscard]] WEFT_CXX shmem_ctx_t get() const noexcept { return handle_; }

 private:
  shmem_ctx_t handle_;
};

namespace detail {

template <class T, class... Types>
inline constexpr bool one_of = (std::is_same_v<T, Types> || ...);

/// A parameter of this type takes no part in finding T, so what is passed may convert: `p(&a_long, 1, pe)`.
template <class T>
struct same_as {
  using type = T;
};
template <class T>
using same = typename same_as<T>::type;

/// Elements that travel as bytes.
template <class T>
WEFT_CXX constexpr void check_element() {
  static_assert(!std::is_const_v<T> && !std::is_volatile_v<T>,
                "shmem: what is written must be neither const nor volatile");
  static_assert(std::is_trivially_copyable_v<T>,
                "shmem: elements move between PEs as bytes, so their type has to be trivially copyable");
}

/// Stands for a pointer to one of C's complex types, which standard C++ cannot write.
struct complex_pointer {
  void* address;
  template <class C>
  WEFT_CXX operator C*() const noexcept {
    return static_cast<C*>(address);
  }
};
struct const_complex_pointer {
  const void* address;
  template <class C>
  WEFT_CXX operator const C*() const noexcept {
    return static_cast<const C*>(address);
  }
};

/// The pointer to hand to C.
template <class T>
WEFT_CXX T* c_pointer(T* pointer) noexcept {
  return pointer;
}
template <class F>
WEFT_CXX complex_pointer c_pointer(std::complex<F>* pointer) noexcept {
  return {pointer};
}
template <class F>
WEFT_CXX const_complex_pointer c_pointer(const std::complex<F>* pointer) noexcept {
  return {pointer};
}

}  // namespace detail
}  // namespace shmem
