#include "transport/ofi/operation.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace weft::transport::ofi {

Pool::~Pool() {
  if (memory_ != nullptr) {
    (void)::munmap(memory_, bytes_);
  }
}

bool Pool::make(std::size_t bounce_bytes) noexcept {
  constexpr std::size_t kForOperations = kOperations * sizeof(Operation);
  // Each holds the address of the next one, and begins where any data may.
  constexpr std::size_t kAlignment = 64;
  const std::size_t distance = (bounce_bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t bounces = distance == 0 ? 0 : std::min(kMostBounces, kBytesOfBounces / distance);
  const std::size_t bytes = kForOperations + bounces * distance;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  if (memory_ != nullptr) {
    (void)::munmap(memory_, bytes_);
  }
  memory_ = memory;
  bytes_ = bytes;
  bounce_bytes_ = bounce_bytes;
  free_ = nullptr;
  free_bounces_ = nullptr;
  auto* at = static_cast<std::byte*>(memory_);
  for (std::size_t k = 0; k < kOperations; ++k) {
    auto* operation = new (at + k * sizeof(Operation)) Operation{};
    operation->next = free_;
    free_ = operation;
  }
  for (std::size_t k = 0; k < bounces; ++k) {
    std::byte* bounce = at + kForOperations + k * distance;
    std::memcpy(bounce, &free_bounces_, sizeof free_bounces_);
    free_bounces_ = bounce;
  }
  return true;
}

bool Pool::idle() noexcept {
  const std::scoped_lock lock(mutex_);
  return taken_ == 0;
}

Operation* Pool::take(bool with_bounce) noexcept {
  const std::scoped_lock lock(mutex_);
  if (free_ == nullptr || (with_bounce && free_bounces_ == nullptr)) {
    return nullptr;
  }
  Operation* operation = free_;
  free_ = operation->next;
  ++taken_;
  *operation = Operation{};
  if (with_bounce) {
    operation->bounce = free_bounces_;
    std::memcpy(&free_bounces_, operation->bounce, sizeof free_bounces_);
  }
  return operation;
}

void Pool::give_back(Operation* operation) noexcept {
  const std::scoped_lock lock(mutex_);
  if (operation->bounce != nullptr) {
    std::memcpy(operation->bounce, &free_bounces_, sizeof free_bounces_);
    free_bounces_ = operation->bounce;
  }
  operation->next = free_;
  free_ = operation;
  --taken_;
}

}  // namespace weft::transport::ofi
