#include "transport/tcp/regions.hpp"

#include <sys/random.h>

#include <algorithm>
#include <new>
#include <utility>

namespace weft::transport::tcp {
namespace {

constexpr std::uint32_t kFirstSlots = 8;

}  // namespace

bool Regions::grow() noexcept {
  const std::uint32_t room = std::max(kFirstSlots, n_ * 2);
  if (n_ >= kMost) {
    return false;
  }
  std::unique_ptr<Slot[]> slots(new (std::nothrow) Slot[room]);
  if (slots == nullptr) {
    return false;
  }
  std::copy_n(slots_.get(), n_, slots.get());
  for (std::uint32_t slot = n_; slot < room; ++slot) {
    if (::getrandom(&slots[slot].generation, sizeof slots[slot].generation, 0) !=
        static_cast<ssize_t>(sizeof slots[slot].generation)) {
      return false;
    }
  }
  slots_ = std::move(slots);
  for (std::uint32_t slot = room; slot > n_; --slot) {
    free(slot - 1);
  }
  n_ = room;
  return true;
}

void Regions::free(std::uint32_t slot) noexcept { slots_[slot].next_free = std::exchange(first_free_, slot); }

base::Result<RegionKey> Regions::lend(const Memory& memory) noexcept {
  const std::scoped_lock lock(mutex_);
  if (first_free_ == kNone && !grow()) {
    return base::Error::make("no room for another region of memory beside %u", n_);
  }
  const std::uint32_t number = first_free_;
  Slot& slot = slots_[number];
  first_free_ = slot.next_free;
  slot.memory = memory;
  slot.lent = true;
  ++slot.generation;
  return RegionKey{std::uint64_t{slot.generation} << 32 | (number + 1), 0};
}

Regions::Slot* Regions::find(std::uint64_t key) const noexcept {
  const std::uint32_t number = static_cast<std::uint32_t>(key) - 1;  // of a key of nothing: more than there are
  if (number >= n_ || !slots_[number].lent || slots_[number].generation != key >> 32) {
    return nullptr;
  }
  return &slots_[number];
}

bool Regions::take_back(std::uint64_t key, Memory* was) noexcept {
  const std::scoped_lock lock(mutex_);
  Slot* slot = find(key);
  if (slot == nullptr) {
    return false;
  }
  *was = slot->memory;
  slot->lent = false;
  free(static_cast<std::uint32_t>(slot - slots_.get()));
  return true;
}

void Regions::take_back_all() noexcept {
  const std::scoped_lock lock(mutex_);
  for (std::uint32_t slot = 0; slot < n_; ++slot) {
    if (std::exchange(slots_[slot].lent, false)) {
      free(slot);
    }
  }
}

std::byte* Regions::place(std::uint64_t key, std::uint64_t offset, std::uint64_t bytes) const noexcept {
  const std::scoped_lock lock(mutex_);
  const Slot* slot = find(key);
  if (slot == nullptr || offset > slot->memory.bytes || bytes > slot->memory.bytes - offset) {
    return nullptr;
  }
  return static_cast<std::byte*>(slot->memory.at) + offset;
}

}  // namespace weft::transport::tcp
