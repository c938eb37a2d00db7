#include "transport/ofi/operation.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace weft::transport::ofi {

bool Pool::make() noexcept {
  constexpr std::size_t kForOperations = kOperations * sizeof(Operation);
  bytes_ = kForOperations + kBounces * kBounceBytes;
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    return false;
  }
  auto* at = static_cast<std::byte*>(memory_);
  for (std::size_t k = 0; k < kOperations; ++k) {
    auto* operation = new (at + k * sizeof(Operation)) Operation{};
    operation->next = free_;
    free_ = operation;
  }
  for (std::size_t k = 0; k < kBounces; ++k) {
    std::byte* bounce = at + kForOperations + k * kBounceBytes;
    std::memcpy(bounce, &free_bounces_, sizeof free_bounces_);
    free_bounces_ = bounce;
  }
  return true;
}

Operation* Pool::take(bool with_bounce) noexcept {
  const std::scoped_lock lock(mutex_);
  if (free_ == nullptr || (with_bounce && free_bounces_ == nullptr)) {
    return nullptr;
  }
  Operation* operation = free_;
  free_ = operation->next;
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
}

}  // namespace weft::transport::ofi
