#include "check/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace weft::check {
namespace {

constexpr std::size_t kLine = 64;  // libweft.so's unit: two blocks never share a line
constexpr std::size_t kZone = 64;
constexpr unsigned char kZoneFill = 0xFB;
constexpr unsigned char kFreedFill = 0xFD;

// Also of blocks whose pages could not be closed, of which the rest is not looked at.
constexpr std::size_t kMostFilled = std::size_t{64} << 10;

// Bytes of the program, whatever they are, eight at a time.
using Eight [[gnu::may_alias]] = std::uint64_t;
constexpr std::uint64_t kOnes = 0x0101010101010101U;

void fill(std::uintptr_t at, std::size_t bytes, unsigned char with) noexcept {
  std::memset(reinterpret_cast<void*>(at), with, bytes);
}

// The first byte that is not as it was left; `bytes` when there is none. Not instrumented: the bytes are forbidden.
[[gnu::no_sanitize_address]] std::size_t first_changed(std::uintptr_t at, std::size_t bytes,
                                                       unsigned char with) noexcept {
  const Looking looking;
  const auto* byte = reinterpret_cast<const volatile unsigned char*>(at);
  std::size_t k = 0;
  while (k < bytes && (at + k) % sizeof(Eight) != 0 && byte[k] == with) {
    ++k;
  }
  if ((at + k) % sizeof(Eight) == 0) {
    const Eight whole = kOnes * with;
    while (k + sizeof(Eight) <= bytes && *reinterpret_cast<const volatile Eight*>(at + k) == whole) {
      k += sizeof(Eight);
    }
  }
  while (k < bytes && byte[k] == with) {
    ++k;
  }
  return k;
}

// What of a freed block is filled: up to its closed pages, and behind them.
struct Parts {
  std::size_t head;
  std::uintptr_t tail_at;
  std::size_t tail;
};
Parts filled_parts(const Block& block) noexcept {
  if (block.closed.lo == block.closed.hi) {
    return {std::min(block.bytes, kMostFilled), block.end(), 0};
  }
  return {block.closed.lo - block.at, block.closed.hi,
          block.end() > block.closed.hi ? block.end() - block.closed.hi : 0};
}

void verify_zone(const Block& block) {
  const std::size_t zone = block.room - block.bytes;
  const std::size_t changed = first_changed(block.end(), zone, kZoneFill);
  if (changed < zone) {
    report(
        text("the memory behind a block was written: byte %zu after the end of %s was changed by a store of this PE or "
             "through shmem_ptr",
             changed + 1, described(block).c_str()));
    fill(block.end(), zone, kZoneFill);
  }
}

void verify_freed(const Block& block) {
  const Parts parts = filled_parts(block);
  std::size_t changed = first_changed(block.at, parts.head, kFreedFill);
  if (changed == parts.head) {
    changed = parts.tail_at - block.at + first_changed(parts.tail_at, parts.tail, kFreedFill);
    if (changed == parts.tail_at - block.at + parts.tail) {
      return;
    }
  }
  report(text("freed memory was written: byte %zu of %s was changed by a store of this PE or through shmem_ptr",
              changed, described(block).c_str()),
         {"it was freed by " + told(block.freed)});
  fill(block.at, parts.head, kFreedFill);
  fill(parts.tail_at, parts.tail, kFreedFill);
}

}  // namespace

std::size_t room_for(std::size_t bytes) noexcept {
  if (bytes > std::numeric_limits<std::size_t>::max() - 4 * kLine) {
    return std::numeric_limits<std::size_t>::max();
  }
  return (bytes + kLine - 1) / kLine * kLine + kZone;
}

Blocks& blocks() noexcept {
  // Never destroyed: a program that began with start_pes is looked at when it exits.
  static Blocks& book = *new Blocks;
  return book;
}

std::string described(const Block& block) {
  return text("the block of %zu bytes that ", block.bytes) + std::string(api::call_name(block.made.call)) + " gave " +
         place(block.made.site);
}

void Blocks::add(const Block& block) noexcept {
  allow(block.at, block.bytes);
  fill(block.end(), block.room - block.bytes, kZoneFill);
  forbid(block.end(), block.room - block.bytes);
  const std::scoped_lock lock(mutex_);
  blocks_[block.at] = block;
}

std::optional<Block> Blocks::find(const void* address) const {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(address));
  return found == blocks_.end() || found->second.is_freed ? std::nullopt : std::optional(found->second);
}

std::optional<Block> Blocks::around(std::uintptr_t address) const {
  const std::scoped_lock lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin() || !(--after)->second.holds(address)) {
    return std::nullopt;
  }
  return after->second;
}

std::optional<Block> Blocks::before(std::uintptr_t address) const {
  const std::scoped_lock lock(mutex_);
  for (auto at = blocks_.upper_bound(address); at != blocks_.begin();) {
    if (!(--at)->second.is_freed) {
      return at->second;
    }
  }
  return std::nullopt;
}

void Blocks::forget(std::uintptr_t at) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = blocks_.find(at); found != blocks_.end()) {
    allow(at, found->second.room);
    blocks_.erase(found);
  }
}

void Blocks::put_in_quarantine(std::uintptr_t at, const Made& freed) {
  const std::scoped_lock lock(mutex_);
  Block& block = blocks_[at];
  block.is_freed = true;
  block.freed = freed;
  block.closed = close_pages(block.at, block.bytes);
  const Parts parts = filled_parts(block);
  fill(block.at, parts.head, kFreedFill);
  fill(parts.tail_at, parts.tail, kFreedFill);
  forbid(block.at, block.bytes);
  quarantine_.push_back(at);
  quarantined_bytes_ += block.room;
}

std::size_t Blocks::quarantined_bytes() const {
  const std::scoped_lock lock(mutex_);
  return quarantined_bytes_;
}

std::size_t Blocks::quarantined() const {
  const std::scoped_lock lock(mutex_);
  return quarantine_.size();
}

std::optional<Block> Blocks::release_oldest() {
  const std::scoped_lock lock(mutex_);
  if (quarantine_.empty()) {
    return std::nullopt;
  }
  const auto found = blocks_.find(quarantine_.front());
  const Block block = found->second;
  quarantine_.pop_front();
  quarantined_bytes_ -= block.room;
  verify_freed(block);
  blocks_.erase(found);
  open_pages(block.closed);
  allow(block.at, block.room);
  return block;
}

void Blocks::verify() const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [at, block] : blocks_) {
    verify_zone(block);
    if (block.is_freed) {
      verify_freed(block);
    }
  }
}

std::vector<Block> Blocks::live() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Block> found;
  for (const auto& [at, block] : blocks_) {
    if (!block.is_freed) {
      found.push_back(block);
    }
  }
  return found;
}

std::size_t Blocks::live_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [at, block] : blocks_) {
    sum += block.is_freed ? 0 : block.room - kZone;
  }
  return sum;
}

void Blocks::clear() {
  const std::scoped_lock lock(mutex_);
  for (const auto& [at, block] : blocks_) {
    open_pages(block.closed);
    allow(block.at, block.room);
  }
  blocks_.clear();
  quarantine_.clear();
  quarantined_bytes_ = 0;
}

}  // namespace weft::check
