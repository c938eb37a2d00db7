// Data of messages that is too large for their buffers. When the handler has said where it goes, a place is made ready
// there and the sender told to send it: by tag, as libfabric's own way to receive what is waited for.
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "transport/ofi/ofi.hpp"

namespace weft::transport::ofi {
namespace {

// Tags of data are smaller, and then begin again: those of a PE that are under way are not so many.
constexpr std::uint64_t kTags = (std::uint64_t{1} << kTagBits) - 1;

template <class Item>
void take_out(Item** at, const Item* item) noexcept {
  while (*at != item) {
    at = &(*at)->next;
  }
  *at = item->next;
}

}  // namespace

LargeOut* Ofi::make_large(int pe, const Message& what, bool copies) noexcept {
  auto* large = static_cast<LargeOut*>(std::malloc(sizeof(LargeOut) + (copies ? what.bytes : 0)));
  if (large == nullptr) {
    return nullptr;
  }
  const std::uint64_t tag = 1 + last_large_.fetch_add(1, std::memory_order_relaxed) % kTags;
  *large = {nullptr, tag, pe, static_cast<const std::byte*>(what.data), what.bytes, 0, 0, nullptr};
  if (copies) {
    auto* behind = reinterpret_cast<std::byte*>(large + 1);
    std::memcpy(behind, what.data, what.bytes);
    large->at = behind;
  }
  const std::scoped_lock lock(large_mutex_);
  large->next = std::exchange(offered_, large);
  return large;
}

// Nobody was told of it.
void Ofi::take_back_large(LargeOut* large) noexcept {
  {
    const std::scoped_lock lock(large_mutex_);
    take_out(&offered_, large);
  }
  end_large(large);
}

void Ofi::begin_large(const Frame& frame, const Arrival& arrival, const Handler& handler, bool answered) noexcept {
  auto* large = new (std::nothrow) LargeIn{nullptr, frame.large, 0, 0, answered, &handler, arrival};
  if (large == nullptr) {
    setup_.failed("the receipt of a message", arrival.pe, "no memory");
    return;
  }
  if (arrival.landing.at == nullptr) {
    Frame skip = frame_of(What::kSkip, {});
    skip.large = frame.large;
    say(arrival.pe, skip, nullptr);
    finish(large);
    return;
  }
  if (!receive_parts(*large)) {
    large->next = std::exchange(receiving_, large);
    has_to_go_on_.store(true, std::memory_order_relaxed);
  }
}

// The data may come as soon as there is a place for all of it. False: not for all of it now.
bool Ofi::receive_parts(LargeIn& large) noexcept {
  const Arrival& arrival = large.arrival;
  while (large.begun < arrival.bytes) {
    Operation* operation = pool_.take(false);
    if (operation == nullptr) {
      return false;
    }
    const std::uint64_t part = std::min<std::uint64_t>(arrival.bytes - large.begun, most_bytes_);
    auto* at = static_cast<std::byte*>(arrival.landing.at) + large.begun;
    operation->posted.doing = Doing::kLargeIn;
    operation->posted.pe = arrival.pe;
    operation->large = &large;
    operation->deliver_bytes = part;
    void* here = descriptor(at, part, *operation);
    const long error = fi_trecv(endpoint_.ep.get(), at, part, here, address_of(arrival.pe), large.tag, 0, operation);
    if (!has_begun(operation, error)) {
      return false;
    }
    large.begun += part;
    ++large.under_way;
  }
  Frame go = frame_of(What::kGo, {});
  go.large = large.tag;
  say(arrival.pe, go, nullptr);
  return true;
}

void Ofi::part_is_here(Operation* operation, std::size_t length) noexcept {
  auto* large = static_cast<LargeIn*>(operation->large);
  if (length != operation->deliver_bytes) {
    setup_.failed("the receipt of a message", operation->posted.pe, "its data has another length");
  }
  forget(operation);
  if (--large->under_way == 0 && large->begun == large->arrival.bytes) {
    finish(large);
  }
}

void Ofi::wanted(const Frame& frame) noexcept {
  LargeOut* large = nullptr;
  {
    const std::scoped_lock lock(large_mutex_);
    LargeOut** at = &offered_;
    while (*at != nullptr && ((*at)->tag != frame.large || (*at)->pe != frame.from)) {
      at = &(*at)->next;
    }
    large = *at;
    if (large != nullptr) {
      *at = large->next;
    }
  }
  if (large == nullptr) {
    if (setup_.refused != nullptr) {
      setup_.refused(frame.from, "wants data that it was not told of");
    }
    return;
  }
  if (frame.what == What::kSkip) {
    large->begun = large->bytes;
  }
  if (!send_parts(*large)) {
    large->next = std::exchange(sending_, large);
    has_to_go_on_.store(true, std::memory_order_relaxed);
  }
}

// False: not all of it now. Else it may be gone.
bool Ofi::send_parts(LargeOut& large) noexcept {
  while (large.begun < large.bytes) {
    Operation* operation = pool_.take(false);
    if (operation == nullptr) {
      return false;
    }
    const std::uint64_t part = std::min<std::uint64_t>(large.bytes - large.begun, most_bytes_);
    const std::byte* at = large.at + large.begun;
    operation->posted.doing = Doing::kLargeOut;
    operation->posted.pe = large.pe;
    operation->large = &large;
    void* here = descriptor(at, part, *operation);
    const long error = fi_tsend(endpoint_.ep.get(), at, part, here, address_of(large.pe), large.tag, operation);
    if (!has_begun(operation, error)) {
      return false;
    }
    large.begun += part;
    ++large.under_way;
  }
  if (large.under_way == 0) {
    end_large(&large);
  }
  return true;
}

void Ofi::part_is_sent(Operation* operation) noexcept {
  auto* large = static_cast<LargeOut*>(operation->large);
  forget(operation);
  if (--large->under_way == 0 && large->begun == large->bytes) {
    end_large(large);
  }
}

void Ofi::end_large(LargeOut* large) noexcept {
  Pending::Count* count = large->count;
  std::free(large);
  if (count != nullptr) {
    count->end();
  }
}

// False: there is no room for it now, and it is forgotten.
bool Ofi::has_begun(Operation* operation, long error) noexcept {
  if (error == 0) {
    return true;
  }
  if (error != -FI_EAGAIN) {
    fail(operation->posted, error);
  }
  forget(operation);
  return false;
}

void Ofi::forget(Operation* operation) noexcept {
  if (operation->temporary != nullptr) {
    (void)fi_close(&std::exchange(operation->temporary, nullptr)->fid);
  }
  pool_.give_back(operation);
}

void Ofi::go_on_with_large() noexcept {
  for (LargeIn* large = std::exchange(receiving_, nullptr); large != nullptr;) {
    LargeIn* now = std::exchange(large, large->next);
    if (!receive_parts(*now)) {
      now->next = std::exchange(receiving_, now);
    }
  }
  for (LargeOut* large = std::exchange(sending_, nullptr); large != nullptr;) {
    LargeOut* now = std::exchange(large, large->next);
    if (!send_parts(*now)) {
      now->next = std::exchange(sending_, now);
    }
  }
  if (receiving_ != nullptr || sending_ != nullptr) {
    has_to_go_on_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace weft::transport::ofi
