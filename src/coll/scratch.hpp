// Memory of this PE for what is on its way: received, and not yet combined or put in its place.
//
// A call asks for all that it may need before it says anything to the others. So who has no memory has not begun, and
// may call again; nobody is left alone in the middle.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace weft::coll {

/// What a call has asked for.
class Room {
 public:
  Room() noexcept = default;
  ~Room() {
    if (memory_ != nullptr) [[unlikely]] {
      std::free(memory_);
    }
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// What `bytes` of it take: each piece begins on a line of its own.
  static constexpr std::size_t need(std::size_t bytes) noexcept { return (bytes + kLine - 1) / kLine * kLine; }
  /// For pieces that are there at a time and together need so much. False: there is no memory. None are taken yet.
  [[nodiscard]] bool reserve(std::size_t needed) noexcept {
    Room more;
    if (needed > 0) {
      more.memory_ = static_cast<std::byte*>(std::aligned_alloc(kLine, needed));
      more.left_ = more.memory_ == nullptr ? 0 : needed;
    }
    swap(more);
    return left_ == needed;
  }
  /// All pieces so far had their place in it: for tests of what calls ask for.
  bool was_enough() const noexcept { return enough_; }
  void swap(Room& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(left_, other.left_);
    std::swap(used_, other.used_);
    std::swap(enough_, other.enough_);
  }

 private:
  friend class Scratch;
  static constexpr std::size_t kLine = 64;

  std::byte* memory_ = nullptr;
  std::size_t left_ = 0;
  std::size_t used_ = 0;
  bool enough_ = true;
};

/// A piece of it, aligned for all types. Pieces go in the opposite order of their coming.
class Scratch {
 public:
  Scratch(Room& room, std::size_t bytes) noexcept : room_(room), needed_(Room::need(bytes)) {
    if (needed_ > room_.left_) [[unlikely]] {
      // The call has reckoned wrongly. As what containers need, this ends the process where it is not there.
      room_.enough_ = false;
      own_ = static_cast<std::byte*>(::operator new (needed_, std::align_val_t{Room::kLine}));
      at_ = own_;
      needed_ = 0;
      return;
    }
    at_ = needed_ == 0 ? reinterpret_cast<std::byte*>(&room_) : room_.memory_ + room_.used_;
    room_.used_ += needed_;
    room_.left_ -= needed_;
  }
  ~Scratch() {
    room_.used_ -= needed_;
    room_.left_ += needed_;
    if (own_ != nullptr) [[unlikely]] {
      ::operator delete (own_, std::align_val_t{Room::kLine});
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Of no bytes: some address.
  std::byte* get() const noexcept { return at_; }
  template <class T>
  T* as() const noexcept {
    return reinterpret_cast<T*>(at_);
  }

 private:
  Room& room_;
  std::size_t needed_;
  std::byte* at_ = nullptr;
  std::byte* own_ = nullptr;
};

}  // namespace weft::coll
