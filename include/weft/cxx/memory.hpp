/// Symmetric memory of C++ programs (9.3). Programs include <weft/shmem.hpp>.
#pragma once

#include <weft/cxx/base.hpp>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace shmem {

/// Elements of another PE, for ordinary loads and stores; false where that is impossible. The addresses are not
/// symmetric: puts, gets and atomics want those of this PE's own elements.
template <class T>
class view {
 public:
  view() noexcept = default;
  WEFT_CXX view(T* data, std::size_t size) noexcept : data_{data}, size_{data != nullptr ? size : 0} {}

  WEFT_CXX explicit operator bool() const noexcept { return data_ != nullptr; }
  [[nodiscard]] WEFT_CXX T* data() const noexcept { return data_; }
  [[nodiscard]] WEFT_CXX std::size_t size() const noexcept { return size_; }
  [[nodiscard]] WEFT_CXX T* begin() const noexcept { return data_; }
  [[nodiscard]] WEFT_CXX T* end() const noexcept { return data_ + size_; }
  [[nodiscard]] WEFT_CXX T& operator[](std::size_t i) const noexcept { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An array in the symmetric heap: every PE has one, and the address of an element is a symmetric address. All bytes
/// are 0 at first.
///
/// Making, ending and assigning it are collective over all PEs, like shmem_calloc and shmem_free (9.3.2, 9.3.6): every
/// PE does them, in the same order and with the same size, while the runtime lives. The constructor is a barrier when
/// it ends, the destructor when it begins. Where the heap is exhausted all PEs together get std::bad_alloc; compiled
/// without exceptions, the program ends. An exception that unwinds one PE only leaves that PE in the destructor,
/// waiting for the others.
template <class T>
class symmetric {
  static_assert(std::is_trivially_copyable_v<T>,
                "shmem::symmetric: elements move between PEs as bytes, so their type has to be trivially copyable");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  /// No elements, and not collective.
  symmetric() noexcept = default;
  explicit symmetric(std::size_t size) : data_{allocate(size)}, size_{size} {
    if (data_ == nullptr && size != 0) no_memory();
  }
  symmetric(symmetric&& other) noexcept
      : data_{std::exchange(other.data_, nullptr)}, size_{std::exchange(other.size_, 0)} {}
  symmetric& operator=(symmetric&& other) noexcept {
    symmetric moved{std::move(other)};
    swap(moved);
    return *this;
  }
  symmetric(const symmetric&) = delete;
  symmetric& operator=(const symmetric&) = delete;
  ~symmetric() { shmem_free(data_); }

  void swap(symmetric& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  [[nodiscard]] WEFT_CXX T* data() noexcept { return data_; }
  [[nodiscard]] WEFT_CXX const T* data() const noexcept { return data_; }
  [[nodiscard]] WEFT_CXX std::size_t size() const noexcept { return size_; }
  [[nodiscard]] WEFT_CXX bool empty() const noexcept { return size_ == 0; }
  WEFT_CXX T& operator[](std::size_t i) noexcept { return data_[i]; }
  WEFT_CXX const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] WEFT_CXX T* begin() noexcept { return data_; }
  [[nodiscard]] WEFT_CXX T* end() noexcept { return data_ + size_; }
  [[nodiscard]] WEFT_CXX const T* begin() const noexcept { return data_; }
  [[nodiscard]] WEFT_CXX const T* end() const noexcept { return data_ + size_; }

  /// The array of `pe`, for loads and stores (9.1.9).
  [[nodiscard]] WEFT_CXX view<T> on(int pe) noexcept { return {static_cast<T*>(shmem_ptr(data_, pe)), size_}; }
  [[nodiscard]] WEFT_CXX view<const T> on(int pe) const noexcept {
    return {static_cast<const T*>(shmem_ptr(data_, pe)), size_};
  }

 private:
  static T* allocate(std::size_t size) {
    if constexpr (alignof(T) <= alignof(std::max_align_t)) {
      return static_cast<T*>(shmem_calloc(size, sizeof(T)));
    } else {
      const std::size_t bytes = size <= SIZE_MAX / sizeof(T) ? size * sizeof(T) : SIZE_MAX;
      void* memory = shmem_align(alignof(T), bytes);
      if (memory == nullptr) return nullptr;
      std::memset(memory, 0, bytes);
      // Nobody puts anything here before it is cleared.
      shmem_sync_all();
      return static_cast<T*>(memory);
    }
  }

  [[noreturn]] static void no_memory() {
#if defined(__cpp_exceptions)
    throw std::bad_alloc{};
#else
    std::abort();
#endif
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// One object in the symmetric heap, by the rules of symmetric<T>.
template <class T>
class symmetric_object {
 public:
  symmetric_object() : one_{1} {}

  [[nodiscard]] WEFT_CXX T* get() noexcept { return one_.data(); }
  [[nodiscard]] WEFT_CXX const T* get() const noexcept { return one_.data(); }
  WEFT_CXX T& operator*() noexcept { return one_[0]; }
  WEFT_CXX const T& operator*() const noexcept { return one_[0]; }
  WEFT_CXX T* operator->() noexcept { return one_.data(); }
  WEFT_CXX const T* operator->() const noexcept { return one_.data(); }

  /// The object of `pe`, for loads and stores, or null (9.1.9).
  [[nodiscard]] WEFT_CXX T* on(int pe) noexcept { return one_.on(pe).data(); }

 private:
  symmetric<T> one_;
};

}  // namespace shmem
