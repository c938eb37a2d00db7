// What a program's handles stand for. A handle is a small number in a pointer: the standard's own below 0x400, others
// with this in them, from the lowest bit on: where it is in its kind's table (22 bits), how often that place was used
// before (4 bits, counted round), its kind (4 bits), and a bit that is set. So none lies on page zero, each is a
// positive int, as Fortran and toint() want it, and one that was freed, or is another kind's, or is an address, is
// found out.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "api/mpi/handles.hpp"

namespace weft::mpi {

using api::mpi::HandleKind;

/// A handle as a number; 0 is none.
using Number = std::uint32_t;

inline constexpr Number kEndOfPredefined = 0x400;

class HandleTable {
 public:
  static constexpr unsigned kIndexBits = 22;
  static constexpr unsigned kTurnBits = 4;
  static constexpr unsigned kKindBits = 4;
  static constexpr Number kIndexMask = (Number{1} << kIndexBits) - 1;
  static constexpr Number kTurnMask = ((Number{1} << kTurnBits) - 1) << kIndexBits;
  static constexpr unsigned kKindShift = kIndexBits + kTurnBits;
  static constexpr Number kOwn = Number{1} << (kKindShift + kKindBits);
  /// Places never move, so who finds takes no lock: chunks of 256, 512, ... slots.
  static constexpr Number kFirstChunk = 256;

  struct Slot {
    std::atomic<void*> object;   // null while it is free
    std::atomic<Number> handle;  // of the object that is or was here
    std::atomic<Number> next;    // free: the next free one, counted from 1

    /// Nobody finds the object, and the place stays the caller's, who gives it to an object later or gives it back.
    /// Both by one thread only.
    void hide() noexcept { object.store(nullptr, std::memory_order_relaxed); }
    /// The next handle of this place. `first`: the one of a place that was never used.
    Number show(void* shown, Number first) noexcept {
      // Relaxed: only who holds the lock, or has hidden it, changes it.
      const Number before = handle.load(std::memory_order_relaxed);
      const Number turned = (before & ~kTurnMask) | ((before + (Number{1} << kIndexBits)) & kTurnMask);
      const Number now = before == 0 ? first : turned;
      handle.store(now, std::memory_order_relaxed);
      // Release: what the object holds, and its handle, before it can be found.
      object.store(shown, std::memory_order_release);
      return now;
    }
  };

  /// `kind` below 16.
  explicit constexpr HandleTable(unsigned kind) noexcept : kind_(kind) {}

  /// A new handle. 0: there is no memory, or no number left.
  Number add(void* object) noexcept;
  /// Null for what is no handle of this table, whatever it is.
  void* find(Number handle) const noexcept { return find_of(kind_, handle); }
  /// The same where the table's kind is known.
  [[gnu::always_inline]] void* find_of(unsigned kind, Number handle) const noexcept {
    const Number index = handle & kIndexMask;
    // Acquire: the chunk of a slot that is counted is there.
    if (handle >> kKindShift != (kOwn >> kKindShift | kind) || index >= used_.load(std::memory_order_acquire)) {
      return nullptr;
    }
    const Slot* const found = slot(index);
    // Acquire: pairs with show().
    void* const object = found->object.load(std::memory_order_acquire);
    // Relaxed: it is as new as the object, or newer, and then another one.
    return object != nullptr && found->handle.load(std::memory_order_relaxed) == handle ? object : nullptr;
  }
  /// What it stood for, which nobody finds from now on.
  void* remove(Number handle) noexcept;
  /// That of a handle.
  Slot* slot_of(Number handle) noexcept { return slot(handle & kIndexMask); }
  /// One that is hidden. By one thread only.
  void give_back(Slot& slot) noexcept;

 private:
  static constexpr std::size_t kChunks = 14;
  static constexpr Number kMost = kFirstChunk * ((Number{1} << kChunks) - 1);
  static_assert(kMost <= Number{1} << kIndexBits);

  // The chunk that slot `index` lies in, and where.
  static unsigned chunk_of(Number index) noexcept {
    // Halved, which takes off the one that bit_width() counts too many, so that nothing can go below zero.
    return static_cast<unsigned>(std::bit_width((index / kFirstChunk + 1) / 2));
  }
  Slot* slot(Number index) const noexcept {
    if (index < kFirstChunk) [[likely]] {
      return chunks_[0].load(std::memory_order_acquire) + index;
    }
    const unsigned chunk = chunk_of(index);
    // Acquire: the slots were made before they were shown.
    Slot* const slots = chunks_[chunk].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : slots + (index + kFirstChunk - (kFirstChunk << chunk));
  }
  Slot* new_slot(Number* index) noexcept;

  const unsigned kind_;
  std::mutex mutex_;
  std::array<std::atomic<Slot*>, kChunks> chunks_{};
  std::atomic<Number> used_{0};  // slots that were ever used
  // Free slots in the order in which they were freed, counted from 1: a freed handle is unknown for as long as can be.
  Number first_free_ = 0;
  Number last_free_ = 0;
  Number free_ = 0;
};

/// The number in a handle; 0 where it holds more than a number can be.
template <class Handle>
Number number_of(Handle handle) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value <= INT32_MAX ? static_cast<Number>(value) : 0;
}

template <class Handle>
Handle handle_of(Number number) noexcept {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}

/// One thread only makes calls, and no other one ends requests: what is counted or linked needs neither locks nor
/// indivisible additions. Set while the job begins, before there is anything to count, and never changed afterwards.
inline constinit bool g_one_thread = false;
inline bool one_thread() noexcept { return g_one_thread; }

/// By kind.
extern std::array<HandleTable, api::mpi::kHandleKinds> g_tables;

/// By value. Written before any call is made.
inline constinit std::array<void*, kEndOfPredefined> g_predefined{};

/// Null: none of this kind, or a null handle.
void* find_object(HandleKind kind, Number number) noexcept;
/// 0: there is no memory, or no number left.
Number add_object(HandleKind kind, void* object) noexcept;
void* remove_object(HandleKind kind, Number number) noexcept;
/// `number` is one of the standard's of that kind. Before any thread uses it.
void set_predefined(HandleKind kind, Number number, void* object) noexcept;

inline const api::mpi::HandleText& text_of(HandleKind kind) noexcept {
  return api::mpi::kHandles[static_cast<std::size_t>(kind)];
}
/// The handle is the null handle of its kind.
template <class T>
bool is_null(typename T::Handle handle) noexcept {
  return number_of(handle) == text_of(T::kKind).first;
}
/// "MPI_COMM_SELF"; nullptr for one that is not predefined.
const char* name_of_predefined(Number number) noexcept;

inline bool is_predefined(Number number) noexcept { return number != 0 && number < kEndOfPredefined; }

/// What a handle of a type of the front end stands for: T has a `Handle` and a `kKind`. Always in line: each call
/// begins with it, and has nothing to keep for one.
template <class T>
[[gnu::always_inline]] inline T* find(typename T::Handle handle) noexcept {
  const Number number = number_of(handle);
  if (number < kEndOfPredefined) {
    const api::mpi::HandleText& text = text_of(T::kKind);
    return number - text.first < text.room ? static_cast<T*>(g_predefined[number]) : nullptr;
  }
  return static_cast<T*>(g_tables[static_cast<std::size_t>(T::kKind)].find_of(static_cast<unsigned>(T::kKind), number));
}

/// What is wrong with a handle that is none of this kind, for people: "is MPI_COMM_NULL". `text` is `size` long.
void describe_handle(HandleKind kind, const void* handle, char* text, std::size_t size) noexcept;

}  // namespace weft::mpi
