#include "mpi/combining.hpp"

#include <cstring>

namespace weft::mpi {
namespace {

bool is_programs_own(const Op& op) noexcept { return op.function != nullptr || op.large_function != nullptr; }

// Elements of a datatype as they lie in a program's memory.
class Laid {
 public:
  Laid(const type::Datatype& type, std::size_t count) noexcept
      : cursor_(type, static_cast<std::int64_t>(count)), room_(span(type, count)) {
    const type::Bounds& bounds = type.bounds();
    const auto back = bounds.extent() < 0 ? static_cast<std::int64_t>(count - 1) * bounds.extent() : 0;
    at_ = Buffer::moved(room_.get(), -(bounds.true_lb + back));
  }
  void* at() const noexcept { return at_; }
  void fill(const void* row) const noexcept { cursor_.unpack(at_, 0, row, cursor_.bytes()); }
  void give(void* row) const noexcept { cursor_.pack(at_, 0, row, cursor_.bytes()); }

 private:
  static std::size_t span(const type::Datatype& type, std::size_t count) noexcept {
    const type::Bounds& bounds = type.bounds();
    const std::int64_t step = bounds.extent() < 0 ? -bounds.extent() : bounds.extent();
    return static_cast<std::size_t>(bounds.true_ub - bounds.true_lb + step * static_cast<std::int64_t>(count - 1));
  }

  type::Cursor cursor_;
  RowRoom room_;
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

void* Combining::row_of(const Buffer& buffer, std::optional<RowRoom>* room, bool pack) const noexcept {
  if (!packed_) {
    return buffer.count == 0 || kernel_ != nullptr ? buffer.at : buffer.cursor().first(buffer.at);
  }
  std::byte* const row = room->emplace(buffer.bytes()).get();
  if (pack && buffer.bytes() > 0) {
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
  const RowRoom second(count * it.element_);
  std::memcpy(second.get(), and_with, count * it.element_);
  it.call(with, second.get(), count);
  std::memcpy(into, second.get(), count * it.element_);
}

void Combining::by_unpacked(void* into, const void* with, const void* and_with, std::size_t count,
                            void* self) noexcept {
  const auto& it = *static_cast<const Combining*>(self);
  if (count == 0) {
    return;
  }
  const Laid first(*it.type_.type, count);
  const Laid second(*it.type_.type, count);
  first.fill(with);
  second.fill(and_with);
  (void)combine(it.op_, first.at(), second.at(), static_cast<MPI_Count>(count), it.type_);
  second.give(into);
}

}  // namespace weft::mpi
