// What all that handles stand for has in common.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "mpi/handles.hpp"
#include "mpi/safe.hpp"

namespace weft::mpi {

/// Counted: its handle is one user, and each object that keeps it another one.
struct Object {
  std::atomic<std::uint32_t> users{1};
  Number number = 0;
};

template <class T>
typename T::Handle handle_of(const T& object) noexcept {
  return handle_of<typename T::Handle>(object.number);
}

/// Predefined ones are static, and nobody counts who uses them.
inline void keep(Object& object) noexcept {
  if (is_predefined(object.number)) {
    return;
  }
  // Relaxed: who passes an object on to another thread does so by means that order it.
  if (one_thread()) {
    object.users.store(object.users.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  } else {
    object.users.fetch_add(1, std::memory_order_relaxed);
  }
}

/// The last one to go deletes it.
template <class T>
void drop(T& object) noexcept {
  if (is_predefined(object.number)) {
    return;
  }
  if (one_thread()) {
    // Relaxed: nobody else counts.
    const std::uint32_t left = object.users.load(std::memory_order_relaxed) - 1;
    object.users.store(left, std::memory_order_relaxed);
    if (left == 0) {
      delete &object;
    }
    return;
  }
  // acq_rel: the last one to go deletes what all others have used before they went.
  if (object.users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete &object;
  }
}

/// Gives a new object its handle. False: there is none left, and the object is gone.
template <class T>
bool publish(T* object, typename T::Handle* handle) noexcept {
  object->number = add_object(T::kKind, object);
  if (object->number == 0) {
    delete object;
    return false;
  }
  *handle = handle_of(*object);
  if (checks()) [[unlikely]] {
    note_made(T::kKind, object->number);
  }
  return true;
}

/// The handle is none from now on, and the program's variable holds the null handle.
template <class T>
void retire(T& object, typename T::Handle* handle) noexcept {
  (void)remove_object(T::kKind, object.number);
  *handle = handle_of<typename T::Handle>(text_of(T::kKind).first);
  drop(object);
}

}  // namespace weft::mpi
