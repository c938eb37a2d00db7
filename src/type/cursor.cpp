#include "type/cursor.hpp"

#include <cstring>

#include "copy/copy.hpp"
#include "type/walk.hpp"

namespace weft::type {
namespace {

/// Two elements of 8 bytes as one store.
using Pair = std::uint64_t __attribute__((vector_size(16)));

inline Pair pair_at(const std::byte* one, const std::byte* other) noexcept {
  std::uint64_t words[2];
  std::memcpy(&words[0], one, sizeof words[0]);
  std::memcpy(&words[1], other, sizeof words[1]);
  return Pair{words[0], words[1]};
}

/// Elements of this many bytes with a loop of their own: the compiler makes moves between registers of it. The
/// addresses are as unaligned as the program's. Four at a time: of one alone the sums of addresses are the loop's time,
/// which is 2.5 times as long for 8 bytes.
template <std::size_t kBytes>
void gather(std::byte* into, const std::byte* from, std::int64_t stride, std::size_t count) noexcept {
  for (; count >= 4; count -= 4) {
    const std::byte* const third = from + 2 * stride;
    if constexpr (kBytes == sizeof(std::uint64_t)) {
      const Pair pairs[2] = {pair_at(from, from + stride), pair_at(third, third + stride)};
      std::memcpy(into, &pairs[0], sizeof pairs[0]);
      std::memcpy(into + sizeof pairs[0], &pairs[1], sizeof pairs[1]);
    } else {
      std::memcpy(into, from, kBytes);
      std::memcpy(into + kBytes, from + stride, kBytes);
      std::memcpy(into + 2 * kBytes, third, kBytes);
      std::memcpy(into + 3 * kBytes, third + stride, kBytes);
    }
    into += 4 * kBytes;
    from = third + 2 * stride;
  }
  for (; count > 0; --count) {
    std::memcpy(into, from, kBytes);
    into += kBytes;
    from += stride;
  }
}

template <std::size_t kBytes>
void scatter(std::byte* into, std::int64_t stride, const std::byte* from, std::size_t count) noexcept {
  for (; count >= 4; count -= 4) {
    std::byte* const third = into + 2 * stride;
    std::memcpy(into, from, kBytes);
    std::memcpy(into + stride, from + kBytes, kBytes);
    std::memcpy(third, from + 2 * kBytes, kBytes);
    std::memcpy(third + stride, from + 3 * kBytes, kBytes);
    from += 4 * kBytes;
    into = third + 2 * stride;
  }
  for (; count > 0; --count) {
    std::memcpy(into, from, kBytes);
    into += stride;
    from += kBytes;
  }
}

template <class T>
void move_ends(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  T first;
  T last;
  std::memcpy(&first, from, sizeof(T));
  std::memcpy(&last, from + bytes - sizeof(T), sizeof(T));
  std::memcpy(to, &first, sizeof(T));
  std::memcpy(to + bytes - sizeof(T), &last, sizeof(T));
}

/// Members of structs are a few bytes long: a call would cost more than they do. Two moves that may overlap are enough
/// for any length between theirs and twice that.
inline void move_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes > 16) {
    copy::copy(to, from, bytes);
  } else if (bytes >= 8) {
    move_ends<std::uint64_t>(to, from, bytes);
  } else if (bytes >= 4) {
    move_ends<std::uint32_t>(to, from, bytes);
  } else if (bytes >= 2) {
    move_ends<std::uint16_t>(to, from, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

struct Pack {
  std::byte* into;

  bool run(const std::byte* at, std::size_t bytes) noexcept {
    move_bytes(into, at, bytes);
    into += bytes;
    return true;
  }
  bool runs(const std::byte* at, std::int64_t stride, std::size_t count, std::size_t bytes) noexcept {
    switch (bytes) {
      case 1: gather<1>(into, at, stride, count); break;
      case 2: gather<2>(into, at, stride, count); break;
      case 4: gather<4>(into, at, stride, count); break;
      case 8: gather<8>(into, at, stride, count); break;
      case 16: gather<16>(into, at, stride, count); break;
      case 32: gather<32>(into, at, stride, count); break;
      default:
        for (std::size_t k = 0; k < count; ++k)
          move_bytes(into + k * bytes, at + static_cast<std::int64_t>(k) * stride, bytes);
    }
    into += count * bytes;
    return true;
  }
};

struct Unpack {
  const std::byte* from;

  bool run(std::byte* at, std::size_t bytes) noexcept {
    move_bytes(at, from, bytes);
    from += bytes;
    return true;
  }
  bool runs(std::byte* at, std::int64_t stride, std::size_t count, std::size_t bytes) noexcept {
    switch (bytes) {
      case 1: scatter<1>(at, stride, from, count); break;
      case 2: scatter<2>(at, stride, from, count); break;
      case 4: scatter<4>(at, stride, from, count); break;
      case 8: scatter<8>(at, stride, from, count); break;
      case 16: scatter<16>(at, stride, from, count); break;
      case 32: scatter<32>(at, stride, from, count); break;
      default:
        for (std::size_t k = 0; k < count; ++k)
          move_bytes(at + static_cast<std::int64_t>(k) * stride, from + k * bytes, bytes);
    }
    from += count * bytes;
    return true;
  }
};

struct List {
  Piece* into;
  std::size_t most;
  std::size_t count = 0;

  bool run(std::byte* at, std::size_t bytes) noexcept {
    if (count > 0 && static_cast<std::byte*>(into[count - 1].at) + into[count - 1].bytes == at) {
      into[count - 1].bytes += bytes;
      return true;
    }
    if (count == most) return false;
    into[count++] = {at, bytes};
    return true;
  }
  bool runs(std::byte* at, std::int64_t stride, std::size_t n, std::size_t bytes) noexcept {
    for (std::size_t k = 0; k < n; ++k) {
      if (!run(at + static_cast<std::int64_t>(k) * stride, bytes)) return false;
    }
    return true;
  }
};

}  // namespace

bool Cursor::fits(const Datatype& type, std::int64_t count) noexcept {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(type.size(), count, &product) &&
         !__builtin_mul_overflow(type.extent(), count, &product);
}

template <class Move>
void Cursor::walk(void* buffer, std::uint64_t position, std::uint64_t bytes, Move* move) const noexcept {
  if (bytes == 0) return;
  const Step& root = program_->root();
  const auto from = static_cast<std::int64_t>(position);
  Walk<Move> way(*program_, move);
  const auto base = reinterpret_cast<Address>(buffer);
  if (count_ == 1) {
    way.step(root, base, from, from + static_cast<std::int64_t>(bytes));
  } else if (in_one_piece()) {
    move->run(pointer(moved(base, root.at + from)), bytes);
  } else {
    way.repeat(root, extent_, base, from, from + static_cast<std::int64_t>(bytes));
  }
}

void Cursor::pack(const void* buffer, std::uint64_t position, void* into, std::size_t bytes) const noexcept {
  Pack move{static_cast<std::byte*>(into)};
  walk(const_cast<void*>(buffer), position, bytes, &move);
}

void Cursor::unpack(void* buffer, std::uint64_t position, const void* from, std::size_t bytes) const noexcept {
  Unpack move{static_cast<const std::byte*>(from)};
  walk(buffer, position, bytes, &move);
}

std::size_t Cursor::list(void* buffer, std::uint64_t position, std::uint64_t bytes, Piece* into,
                         std::size_t most) const noexcept {
  List move{into, most};
  walk(buffer, position, bytes, &move);
  return move.count;
}

}  // namespace weft::type
