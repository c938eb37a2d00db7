// Where the data of a message lies in this PE's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::msg {

/// A piece of memory.
struct Stretch {
  void* at = nullptr;
  std::size_t bytes = 0;
};

/// Data that does not lie in one piece, seen as the row of bytes that a message carries. Who knows datatypes derives
/// from it. Positions are in that row; any thread may call, and calls for one message need not be in order.
class Layout {
 public:
  Layout() = default;
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  /// Bytes from `position` on.
  virtual void pack(const void* at, std::uint64_t position, void* into, std::size_t bytes) const noexcept = 0;
  virtual void unpack(void* at, std::uint64_t position, const void* from, std::size_t bytes) const noexcept = 0;
  /// Lists the pieces from `position` on, in order, at most so many pieces; together they have at most `bytes`. Returns
  /// how many pieces. 0: they are too small to be worth a list, so pack() is used.
  virtual std::size_t list(void* at, std::uint64_t position, std::uint64_t bytes, Stretch* into,
                           std::size_t most) const noexcept = 0;

 protected:
  ~Layout() = default;
};

/// The data of a message: `bytes` is what the message carries, or what a receive has room for. It and its layout stay
/// as they are until the request is complete.
struct Data {
  void* at = nullptr;  // of a send it is only read
  std::uint64_t bytes = 0;
  const Layout* layout = nullptr;  // null: it lies in one piece

  static Data of(const void* from, std::uint64_t bytes) noexcept { return {const_cast<void*>(from), bytes, nullptr}; }
};

}  // namespace weft::msg
