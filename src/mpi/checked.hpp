// What is wrong with a call's arguments, once its generated binding has found that something is: it looks whether
// anything is, in registers, and this looks again in the order in which people are told, and says it.
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
    if (!any_time && !running()) {
      wrong_ = Wrong::kTime;
    }
  }

  template <class T>
  void find(typename T::Handle handle, const char* argument) noexcept {
    void* const found = find_object(T::kKind, number_of(handle));
    if (found == nullptr) {
      note(Wrong::kHandle, argument, handle, T::kKind);
    } else if constexpr (std::is_base_of_v<Watched, T>) {
      on_ = on_ == nullptr ? static_cast<T*>(found) : on_;
    }
  }
  /// The null handle is one.
  template <class T>
  void find_or_null(typename T::Handle handle, const char* argument) noexcept {
    if (!is_null<T>(handle)) {
      find<T>(handle, argument);
    }
  }
  void need(const void* pointer, const char* argument) noexcept {
    if (pointer == nullptr) {
      note(Wrong::kNull, argument, nullptr);
    }
  }
  void count(MPI_Count count, const char* argument) noexcept {
    if (count < 0) {
      number_ = count;
      note(Wrong::kCount, argument, nullptr);
    }
  }

  /// What the call returns.
  int refuse() const noexcept;

 private:
  enum class Wrong : unsigned char { kNothing, kTime, kHandle, kNull, kCount };

  void note(Wrong wrong, const char* argument, const void* value, HandleKind kind = {}) noexcept;

  Wrong wrong_ = Wrong::kNothing;
  HandleKind kind_{};
  const char* argument_ = "a handle";
  const void* value_ = nullptr;
  MPI_Count number_ = 0;
  Watched* on_ = nullptr;
};

}  // namespace weft::mpi
