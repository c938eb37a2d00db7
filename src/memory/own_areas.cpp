#include "memory/own_areas.hpp"

#include <new>

#include "os/huge_pages.hpp"
#include "os/mapping.hpp"

namespace weft::memory {

namespace {

// Addresses that huge pages of the file fit: as far from one's begin as the place in the file is.
base::Result<std::uintptr_t> reserve_for_huge(std::uint64_t bytes, std::uint64_t offset) noexcept {
  constexpr std::uint64_t kHuge = OwnAreas::kUnit;
  const auto room = os::reserve(bytes + kHuge);
  if (!room) {
    return room;
  }
  const std::uintptr_t at = *room + (offset - *room) % kHuge;
  if (at != *room) {
    os::give_back(*room, at - *room);
  }
  os::give_back(at + bytes, *room + kHuge - at);
  return at;
}

}  // namespace

base::Result<void> OwnAreas::map(const Plan& plan) noexcept {
  const std::uint64_t total = static_cast<std::uint64_t>(plan.n_pes) * plan.bytes;
  const auto area = plan.advise_huge ? reserve_for_huge(total, plan.offset) : os::reserve(total);
  if (!area) {
    return area.error();
  }
  const auto mapped =
      plan.fd >= 0 ? os::map_shared_at(*area, total, plan.fd, plan.offset) : os::map_private_at(*area, total);
  auto* book = mapped ? new (std::nothrow) Allocator(plan.bytes) : nullptr;
  if (book == nullptr) {
    os::give_back(*area, total);
    return mapped ? base::Error::make("no memory for the book of this PE's own area") : mapped;
  }
  if (plan.advise_huge) {
    os::advise_huge(*area, total);
  }
  // A core of this PE need not hold everybody's; its own is in it, but for what would fill a disk with pages that
  // nobody has touched.
  const std::uintptr_t mine = *area + static_cast<std::uint64_t>(plan.me) * plan.bytes;
  plan_ = plan;
  const std::uint64_t kept = in_core();
  os::leave_out_of_core(*area, mine - *area);
  os::leave_out_of_core(mine + kept, *area + total - mine - kept);
  all_ = {*area, *area + total};
  book_ = book;
  return {};
}

void OwnAreas::unmap() noexcept {
  if (!mapped()) {
    return;
  }
  if (plan_.fd >= 0 && !keeps_contents_) {
    os::drop_contents(own().lo, own().bytes());
  }
  os::give_back(all_.lo, all_.bytes());
  all_ = {};
  delete book_;
  book_ = nullptr;
}

// The book stays: its lock may be held by a thread that the child does not have.
void OwnAreas::leave_after_fork() noexcept {
  if (mapped()) {
    (void)os::forget_at(all_.lo, all_.bytes());
  }
}

int OwnAreas::owner_of(std::uintptr_t address) const noexcept {
  return all_.holds(address) ? static_cast<int>((address - all_.lo) / plan_.bytes) : -1;
}

std::optional<std::uint64_t> OwnAreas::allocate(std::uint64_t bytes, std::uint64_t alignment) noexcept {
  const std::scoped_lock lock(mutex_);
  return book_ == nullptr ? std::nullopt : book_->allocate(bytes, alignment);
}

bool OwnAreas::release(std::uint64_t offset) noexcept {
  const std::scoped_lock lock(mutex_);
  return book_ != nullptr && book_->release(offset);
}

bool OwnAreas::release_memory(std::uint64_t offset, std::uint64_t least) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto bytes = book_ == nullptr ? std::nullopt : book_->size_of(offset);
  if (!bytes) {
    return false;
  }
  const std::uintptr_t at = own().lo + offset;
  const std::uintptr_t from = os::round_up(at, os::kPage);
  const std::uintptr_t to = os::round_down(at + *bytes, os::kPage);
  // Before another one can be given it.
  if (*bytes >= least && from < to) {
    if (plan_.fd >= 0) {
      os::drop_contents(from, to - from);
    } else {
      (void)os::map_private_at(from, to - from);
    }
  }
  return book_->release(offset);
}

std::uint64_t OwnAreas::in_use() const noexcept {
  const std::scoped_lock lock(mutex_);
  return book_ == nullptr ? 0 : book_->in_use();
}

}  // namespace weft::memory
