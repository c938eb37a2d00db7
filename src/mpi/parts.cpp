#include "mpi/parts.hpp"

#include <algorithm>

namespace weft::mpi {

bool Parts::lie_well(bool tight) noexcept {
  auto lowest = UINTPTR_MAX;
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    const Buffer& each = buffers_[k];
    if (each.bytes() != 0) {
      const type::Cursor cursor = each.cursor();
      if (!cursor.in_one_piece()) {
        return false;
      }
      lowest = std::min(lowest, reinterpret_cast<std::uintptr_t>(cursor.first(each.at)));
    }
  }
  at_ = reinterpret_cast<std::byte*>(lowest == UINTPTR_MAX ? 0 : lowest);
  std::size_t end = 0;
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    const Buffer& each = buffers_[k];
    bytes_[k] = each.bytes();
    offsets_[k] = bytes_[k] == 0 ? end : reinterpret_cast<std::uintptr_t>(each.cursor().first(each.at)) - lowest;
    if (tight && offsets_[k] != end) {
      return false;
    }
    end += bytes_[k];
  }
  return true;
}

std::size_t Parts::lay_out(bool tight) noexcept {
  if (lie_well(tight)) {
    return 0;
  }
  std::size_t end = 0;
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    bytes_[k] = buffers_[k].bytes();
    offsets_[k] = end;
    end += bytes_[k];
  }
  at_ = room_.emplace(end).get();
  return room_->lacks();
}

void Parts::pack() noexcept {
  for (std::size_t k = 0; room_ && k < buffers_.size(); ++k) {
    if (bytes_[k] != 0) {
      buffers_[k].cursor().pack(buffers_[k].at, 0, at_ + offsets_[k], bytes_[k]);
    }
  }
}

void Parts::unpack() const noexcept {
  for (std::size_t k = 0; room_ && k < buffers_.size(); ++k) {
    if (bytes_[k] != 0) {
      buffers_[k].cursor().unpack(buffers_[k].at, 0, at_ + offsets_[k], bytes_[k]);
    }
  }
}

}  // namespace weft::mpi
