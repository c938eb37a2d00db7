// Buffers of collectives as the rows of bytes that members read and write: where they lie if they are in one piece,
// else packed before and unpacked behind.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "coll/forms.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/row_room.hpp"
#include "type/cursor.hpp"

namespace weft::mpi {

/// An array of a program's, which is of int or of MPI_Count.
class Numbers {
 public:
  Numbers(const int* small) noexcept : small_(small) {}           // NOLINT(google-explicit-constructor)
  Numbers(const std::int64_t* large) noexcept : large_(large) {}  // NOLINT(google-explicit-constructor)
  MPI_Count operator[](int k) const noexcept { return small_ != nullptr ? small_[k] : large_[k]; }
  bool is_null() const noexcept { return small_ == nullptr && large_ == nullptr; }

 private:
  const int* small_ = nullptr;
  const std::int64_t* large_ = nullptr;
};

/// `count` elements at an address. A count of 0 has no type.
struct Buffer {
  void* at = nullptr;
  MPI_Count count = 0;
  const Datatype* type = nullptr;

  std::size_t bytes() const noexcept {
    return type == nullptr ? 0 : static_cast<std::size_t>(count * type->type->size());
  }
  type::Cursor cursor() const noexcept { return {*type->type, count}; }
  /// This many elements further on.
  Buffer part(MPI_Count distance, MPI_Count length) const noexcept {
    const std::int64_t extent = type == nullptr ? 0 : type->type->extent();
    return {moved(at, distance * extent), length, type};
  }
  /// Addresses of programs may be counted from nowhere.
  static void* moved(void* at, std::int64_t bytes) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes));
  }
};

class InOnePiece {
 public:
  explicit InOnePiece(const Buffer& buffer) noexcept : buffer_(buffer), bytes_(buffer.bytes()) {
    if (buffer.type == nullptr || bytes_ == 0) {
      return;
    }
    const type::Cursor cursor = buffer.cursor();
    if (cursor.in_one_piece()) {
      at_ = cursor.first(buffer.at);
    } else {
      at_ = room_.emplace(bytes_).get();
    }
  }
  std::byte* at() const noexcept { return at_; }
  std::size_t bytes() const noexcept { return bytes_; }
  /// Bytes that there is no memory for; 0: it can be packed.
  std::size_t lacks() const noexcept { return room_ ? room_->lacks() : 0; }
  void pack() noexcept {
    if (room_) {
      buffer_.cursor().pack(buffer_.at, 0, at_, bytes_);
    }
  }
  void unpack() const noexcept {
    if (room_) {
      buffer_.cursor().unpack(buffer_.at, 0, at_, bytes_);
    }
  }

 private:
  Buffer buffer_;
  std::size_t bytes_;
  std::byte* at_ = nullptr;
  std::optional<RowRoom> room_;
};

/// A value for each member of a team; of few without an allocation.
template <class T>
class PerMember {
 public:
  explicit PerMember(std::size_t members) noexcept : size_(members), many_(members > kFew ? members : 0) {}
  std::size_t size() const noexcept { return size_; }
  T* data() noexcept { return size_ > kFew ? many_.data() : few_.data(); }
  const T* data() const noexcept { return size_ > kFew ? many_.data() : few_.data(); }
  T& operator[](std::size_t k) noexcept { return data()[k]; }
  const T& operator[](std::size_t k) const noexcept { return data()[k]; }

 private:
  static constexpr std::size_t kFew = 8;
  std::size_t size_;
  std::array<T, kFew> few_{};
  std::vector<T> many_;
};

/// A part for each member of a team.
class Parts {
 public:
  explicit Parts(int members) noexcept
      : buffers_(static_cast<std::size_t>(members)),
        offsets_(static_cast<std::size_t>(members)),
        bytes_(static_cast<std::size_t>(members)) {}
  Buffer& operator[](int member) noexcept { return buffers_[static_cast<std::size_t>(member)]; }
  /// When all parts are known. `tight`: they are to lie one behind the other, as others suppose it of them. Returns the
  /// bytes that there is no memory for; 0: all is well.
  [[nodiscard]] std::size_t lay_out(bool tight = false) noexcept;
  void pack() noexcept;
  void unpack() const noexcept;

  std::byte* at() const noexcept { return at_; }
  coll::Parts table() const noexcept { return {offsets_.data(), bytes_.data()}; }
  std::byte* part(int member) const noexcept { return at_ + offsets_[static_cast<std::size_t>(member)]; }

 private:
  /// Where they are, from the lowest address on. False: one of them is in pieces, or they have to be tight and are not.
  bool lie_well(bool tight) noexcept;

  PerMember<Buffer> buffers_;
  PerMember<std::size_t> offsets_;
  PerMember<std::size_t> bytes_;
  std::byte* at_ = nullptr;
  std::optional<RowRoom> room_;
};

}  // namespace weft::mpi
