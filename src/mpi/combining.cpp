#include "mpi/combining.hpp"

#include <algorithm>
#include <cstring>

namespace weft::mpi {
namespace {

bool is_programs_own(const Op& op) noexcept { return op.function != nullptr || op.large_function != nullptr; }

// Functions of programs get so many bytes at a time, or one element: what they need besides is reserved before a call
// begins.
constexpr std::size_t kMostAtOnce = std::size_t{64} << 10;

// From the first byte of a row of elements, as they lie in a program's memory, to behind the last.
std::size_t span(const type::Datatype& type, std::size_t count) noexcept {
  const type::Bounds& bounds = type.bounds();
  const std::int64_t step = bounds.extent() < 0 ? -bounds.extent() : bounds.extent();
  return static_cast<std::size_t>(bounds.true_ub - bounds.true_lb + step * static_cast<std::int64_t>(count - 1));
}

// Aligned for all types, as a room's beginning is.
std::size_t aligned(std::size_t bytes) noexcept { return (bytes + 63) / 64 * 64; }

// Such elements in a room.
class Laid {
 public:
  Laid(const type::Datatype& type, std::size_t count, std::byte* room) noexcept
      : cursor_(type, static_cast<std::int64_t>(count)) {
    const type::Bounds& bounds = type.bounds();
    const auto back = bounds.extent() < 0 ? static_cast<std::int64_t>(count - 1) * bounds.extent() : 0;
    at_ = Buffer::moved(room, -(bounds.true_lb + back));
  }
  void* at() const noexcept { return at_; }
  void fill(const void* row) const noexcept { cursor_.unpack(at_, 0, row, cursor_.bytes()); }
  void give(void* row) const noexcept { cursor_.pack(at_, 0, row, cursor_.bytes()); }

 private:
  type::Cursor cursor_;
  void* at_ = nullptr;
};

}  // namespace

Combining::Combining(const Op& op, const Datatype& type) noexcept
    : op_(op), type_(type), kernel_(is_programs_own(op) ? nullptr : kernel_of(op, type)) {
  packed_ = kernel_ == nullptr && !type::Cursor(*type.type, 2).in_one_piece();
  element_ = static_cast<std::size_t>(packed_ ? type.type->size() : type.type->extent());
}

bool Combining::is_defined(const Op& op, const Datatype& type) noexcept {
  return is_programs_own(op) ||
         (op.number != number_of(MPI_REPLACE) && op.number != number_of(MPI_NO_OP) && kernel_of(op, type) != nullptr);
}

std::size_t Combining::reserve(std::size_t most) noexcept {
  const bool needs = packed_ || !op_.commutes;
  if (!needs || most == 0 || element_ == 0) {
    return 0;
  }
  const std::size_t each = packed_ ? std::max(span(*type_.type, 2) - span(*type_.type, 1), element_) : element_;
  at_once_ = std::clamp<std::size_t>(kMostAtOnce / each, 1, most);
  return room_.emplace(packed_ ? 2 * aligned(span(*type_.type, at_once_)) : at_once_ * element_).lacks();
}

void* Combining::row_of(const Buffer& buffer, std::optional<RowRoom>* room, bool pack) const noexcept {
  if (!packed_) {
    return buffer.count == 0 || kernel_ != nullptr ? buffer.at : buffer.cursor().first(buffer.at);
  }
  std::byte* const row = room->emplace(buffer.bytes()).get();
  if (pack && row != nullptr && buffer.bytes() > 0) {
    buffer.cursor().pack(buffer.at, 0, row, buffer.bytes());
  }
  return row;
}

void Combining::unpack(const Buffer& buffer, const std::optional<RowRoom>& room) const noexcept {
  if (room && buffer.bytes() > 0) {
    buffer.cursor().unpack(buffer.at, 0, room->get(), buffer.bytes());
  }
}

void Combining::call(const void* with, void* into, std::size_t count) const noexcept {
  if (kernel_ != nullptr) {
    kernel_(with, into, count);
    return;
  }
  // The program's function has addresses as its own buffers have them.
  const std::int64_t back = -type_.type->bounds().true_lb;
  (void)combine(op_, Buffer::moved(const_cast<void*>(with), back), Buffer::moved(into, back),
                static_cast<MPI_Count>(count), type_);
}

// What is combined into a member's own part may as well come second.
void Combining::in_any_order(void* into, const void* with, const void* and_with, std::size_t count,
                             void* self) noexcept {
  const auto& it = *static_cast<const Combining*>(self);
  if (into == with) {
    it.call(and_with, into, count);
  } else {
    std::memcpy(into, and_with, count * it.element_);
    it.call(with, into, count);
  }
}

void Combining::in_order(void* into, const void* with, const void* and_with, std::size_t count, void* self) noexcept {
  const auto& it = *static_cast<const Combining*>(self);
  if (into != with) {
    return in_any_order(into, with, and_with, count, self);
  }
  std::byte* const second = it.room_->get();
  for (std::size_t done = 0, now = 0; done < count; done += now) {
    now = std::min(count - done, it.at_once_);
    const std::size_t at = done * it.element_;
    std::memcpy(second, static_cast<const std::byte*>(and_with) + at, now * it.element_);
    it.call(static_cast<const std::byte*>(with) + at, second, now);
    std::memcpy(static_cast<std::byte*>(into) + at, second, now * it.element_);
  }
}

void Combining::by_unpacked(void* into, const void* with, const void* and_with, std::size_t count,
                            void* self) noexcept {
  const auto& it = *static_cast<const Combining*>(self);
  const type::Datatype& type = *it.type_.type;
  for (std::size_t done = 0, now = 0; done < count; done += now) {
    now = std::min(count - done, it.at_once_);
    const std::size_t at = done * it.element_;
    const Laid first(type, now, it.room_->get());
    const Laid second(type, now, it.room_->get() + aligned(span(type, it.at_once_)));
    first.fill(static_cast<const std::byte*>(with) + at);
    second.fill(static_cast<const std::byte*>(and_with) + at);
    (void)combine(it.op_, first.at(), second.at(), static_cast<MPI_Count>(now), it.type_);
    second.give(static_cast<std::byte*>(into) + at);
  }
}

}  // namespace weft::mpi
