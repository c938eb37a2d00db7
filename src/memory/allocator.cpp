#include "memory/allocator.hpp"

#include <algorithm>
#include <iterator>

namespace weft::memory {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) & ~(to - 1); }

}  // namespace

Allocator::Allocator(std::uint64_t bytes) : bytes_(bytes & ~(kUnit - 1)) {
  if (bytes_ > 0) {
    add_free(0, bytes_);
  }
}

std::optional<std::uint64_t> Allocator::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes == 0 || bytes > bytes_ || alignment > bytes_ + kUnit) {
    return std::nullopt;
  }
  const std::scoped_lock lock(changing_);
  const std::uint64_t taken = round_up(bytes, kUnit);
  alignment = alignment < kUnit ? kUnit : alignment;
  for (auto fit = free_by_size_.lower_bound({taken, 0}); fit != free_by_size_.end(); ++fit) {
    const auto [range_bytes, range_offset] = *fit;
    const std::uint64_t offset = round_up(range_offset, alignment);
    if (offset - range_offset > range_bytes - taken) {
      continue;
    }
    remove_free(free_.find(range_offset));
    if (offset > range_offset) {
      add_free(range_offset, offset - range_offset);
    }
    const std::uint64_t end = offset + taken;
    if (range_offset + range_bytes > end) {
      add_free(end, range_offset + range_bytes - end);
    }
    used_.emplace(offset, Block{taken, bytes});
    in_use_ += taken;
    return offset;
  }
  return std::nullopt;
}

bool Allocator::release(std::uint64_t offset) {
  const std::scoped_lock lock(changing_);
  const auto block = used_.find(offset);
  if (block == used_.end()) {
    return false;
  }
  std::uint64_t from = offset;
  std::uint64_t to = offset + block->second.taken;
  in_use_ -= block->second.taken;
  used_.erase(block);
  const auto next = free_.lower_bound(to);
  if (next != free_.end() && next->first == to) {
    to += next->second;
    remove_free(next);
  }
  const auto after = free_.lower_bound(from);
  if (after != free_.begin()) {
    const auto previous = std::prev(after);
    if (previous->first + previous->second == from) {
      from = previous->first;
      remove_free(previous);
    }
  }
  add_free(from, to - from);
  return true;
}

bool Allocator::resize(std::uint64_t offset, std::uint64_t bytes) {
  const std::scoped_lock lock(changing_);
  const auto block = used_.find(offset);
  if (block == used_.end() || bytes == 0 || bytes > bytes_) {
    return false;
  }
  const std::uint64_t taken = round_up(bytes, kUnit);
  const std::uint64_t before = block->second.taken;
  const auto next = free_.lower_bound(offset + before);
  const bool next_is_free = next != free_.end() && next->first == offset + before;
  if (taken > before && (!next_is_free || next->second < taken - before)) {
    return false;
  }
  std::uint64_t room = before;
  if (next_is_free) {
    room += next->second;
    remove_free(next);
  }
  if (room > taken) {
    add_free(offset + taken, room - taken);
  }
  in_use_ = in_use_ - before + taken;
  block->second = Block{taken, bytes, block->second.giver};
  return true;
}

void Allocator::sign(std::uint64_t offset, Giver giver) {
  const std::scoped_lock lock(changing_);
  if (const auto block = used_.find(offset); block != used_.end()) {
    block->second.giver = giver;
  }
}

std::optional<Allocator::Found> Allocator::block_around(std::uint64_t offset) const {
  const std::unique_lock lock(changing_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return std::nullopt;
  }
  const auto behind = used_.upper_bound(offset);
  if (behind == used_.begin()) {
    return std::nullopt;
  }
  const auto& [start, block] = *std::prev(behind);
  if (offset - start >= block.asked) {
    return std::nullopt;
  }
  return Found{start, block.asked, block.giver};
}

std::optional<std::uint64_t> Allocator::size_of(std::uint64_t offset) const {
  const auto block = used_.find(offset);
  if (block == used_.end()) {
    return std::nullopt;
  }
  return block->second.asked;
}

void Allocator::add_free(std::uint64_t offset, std::uint64_t bytes) {
  free_.emplace(offset, bytes);
  free_by_size_.emplace(bytes, offset);
}

void Allocator::remove_free(std::map<std::uint64_t, std::uint64_t>::iterator range) {
  free_by_size_.erase({range->second, range->first});
  free_.erase(range);
}

std::optional<std::uint64_t> Allocator::block_start(std::uint64_t offset) const {
  const auto behind = used_.upper_bound(offset);
  if (behind == used_.begin()) {
    return std::nullopt;
  }
  const auto& [start, block] = *std::prev(behind);
  return offset - start < block.taken ? std::optional(start) : std::nullopt;
}

// Whatever is added comes behind the last range, so the block would begin there.
std::uint64_t Allocator::bytes_that_would_do(std::uint64_t bytes, std::uint64_t alignment) const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;  // of x86-64's and aarch64's addresses for a process half
  if (bytes > kMost || alignment > kMost) {
    return 0;
  }
  std::uint64_t from = bytes_;
  if (!free_.empty()) {
    const auto [last, room] = *free_.rbegin();
    from = last + room == bytes_ ? last : from;
  }
  return std::max(round_up(from, std::max(alignment, kUnit)) + round_up(bytes, kUnit), alignment);
}

}  // namespace weft::memory
