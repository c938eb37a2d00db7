// What the generated bindings check of a call's arguments before its body gets them.
#pragma once

#include <mpi.h>

#include <type_traits>

#include "mpi/calls.hpp"
#include "mpi/environment.hpp"
#include "mpi/errors.hpp"
#include "mpi/handles.hpp"

namespace weft::mpi {

/// Holds the first argument that is wrong, and the object whose error handler hears of it.
class Checked {
 public:
  /// `any_time`: the call may be made before MPI_Init and after MPI_Finalize.
  explicit Checked(bool any_time) noexcept {
    if (!any_time && !running()) [[unlikely]] {
      wrong_ = Wrong::kTime;
    }
  }

  template <class T>
  T* find(typename T::Handle handle, const char* argument) noexcept {
    T* const found = mpi::find<T>(handle);
    if (found == nullptr) [[unlikely]] {
      note(Wrong::kHandle, argument, handle, T::kKind);
    } else if constexpr (std::is_base_of_v<Watched, T>) {
      on_ = on_ == nullptr ? found : on_;
    }
    return found;
  }
  /// The null handle is one, and gives null.
  template <class T>
  T* find_or_null(typename T::Handle handle, const char* argument) noexcept {
    return is_null<T>(handle) ? nullptr : find<T>(handle, argument);
  }
  void need(const void* pointer, const char* argument) noexcept {
    if (pointer == nullptr) [[unlikely]] {
      note(Wrong::kNull, argument, nullptr);
    }
  }
  void count(MPI_Count count, const char* argument) noexcept {
    if (count < 0) [[unlikely]] {
      number_ = count;
      note(Wrong::kCount, argument, nullptr);
    }
  }

  bool failed() const noexcept { return wrong_ != Wrong::kNothing; }
  /// What the call returns then.
  int refuse() const noexcept;

 private:
  enum class Wrong : unsigned char { kNothing, kTime, kHandle, kNull, kCount };

  void note(Wrong wrong, const char* argument, const void* value, HandleKind kind = {}) noexcept;

  Wrong wrong_ = Wrong::kNothing;
  HandleKind kind_{};
  const char* argument_ = nullptr;
  const void* value_ = nullptr;
  MPI_Count number_ = 0;
  Watched* on_ = nullptr;
};

}  // namespace weft::mpi
