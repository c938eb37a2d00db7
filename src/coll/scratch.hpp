// Memory of this PE for what is on its way: received, and not yet combined or put in its place.
//
// A call asks for all that it may need before it says anything to the others. So who has no memory has not begun, and
// may call again; nobody is left alone in the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace weft::coll {

/// What a call has asked for. One word, and no more to do about it where a call needs nothing, as most do.
class Room {
 public:
  constexpr Room() noexcept = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  /// What `bytes` of it take: each piece begins on a line of its own.
  static constexpr std::size_t need(std::size_t bytes) noexcept { return (bytes + kLine - 1) / kLine * kLine; }
  /// For pieces that are there at a time and together need so much. False: there is no memory. None are taken yet.
  [[nodiscard]] bool reserve(std::size_t needed) noexcept {
    drop();
    if (needed == 0) {
      return true;
    }
    auto* const block = static_cast<Block*>(std::aligned_alloc(kLine, kLine + needed));
    if (block == nullptr) [[unlikely]] {
      lack(needed);
      return false;
    }
    *block = {needed, 0};
    word_ = reinterpret_cast<std::uintptr_t>(block);
    return true;
  }
  /// Nothing was asked for, and nothing is lacking.
  bool is_empty() const noexcept { return word_ == 0; }
  /// There are not so many bytes.
  void lack(std::size_t bytes) noexcept { word_ = bytes << 1 | kLacks; }
  std::size_t lacks() const noexcept { return (word_ & kLacks) != 0 ? word_ >> 1 : 0; }
  void swap(Room& other) noexcept { std::swap(word_, other.word_); }
  /// Whoever has it calls this in the end. No destructor does: every call would have another look at it.
  void drop() noexcept {
    std::free(block());
    word_ = 0;
  }

  /// How many pieces in this process had no place in what was asked for: for tests of what calls ask for.
  static int shortages() noexcept;

 private:
  friend class Scratch;
  static constexpr std::size_t kLine = 64;
  static constexpr std::uintptr_t kLacks = 1;
  struct Block {
    std::size_t left;
    std::size_t used;
  };
  static_assert(sizeof(Block) <= kLine);

  /// The call has reckoned wrongly.
  static void* beside(std::size_t bytes) noexcept;
  Block* block() const noexcept { return (word_ & kLacks) != 0 ? nullptr : reinterpret_cast<Block*>(word_); }

  // A block, whose pieces begin behind its first line; or marked how much there is not.
  std::uintptr_t word_ = 0;
};

/// A piece of it, aligned for all types. Pieces go in the opposite order of their coming.
class Scratch {
 public:
  Scratch(Room& room, std::size_t bytes) noexcept : block_(room.block()), needed_(Room::need(bytes)) {
    if (needed_ == 0) {
      at_ = reinterpret_cast<std::byte*>(this);
    } else if (block_ != nullptr && needed_ <= block_->left) [[likely]] {
      at_ = reinterpret_cast<std::byte*>(block_) + Room::kLine + block_->used;
      block_->used += needed_;
      block_->left -= needed_;
    } else {
      own_ = static_cast<std::byte*>(Room::beside(needed_));
      at_ = own_;
    }
  }
  ~Scratch() {
    if (own_ != nullptr) [[unlikely]] {
      ::operator delete (own_, std::align_val_t{Room::kLine});
    } else if (needed_ != 0) {
      block_->used -= needed_;
      block_->left += needed_;
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
  Room::Block* block_;
  std::size_t needed_;
  std::byte* at_ = nullptr;
  std::byte* own_ = nullptr;
};

}  // namespace weft::coll
