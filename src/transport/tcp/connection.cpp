#include "transport/tcp/connection.hpp"

#include <new>

namespace weft::transport::tcp {

Pool::~Pool() { delete[] all_; }

bool Pool::make() noexcept {
  all_ = new (std::nothrow) Operation[kOperations];
  for (std::size_t k = 0; all_ != nullptr && k < kOperations; ++k) {
    all_[k].next = free_;
    free_ = &all_[k];
  }
  return all_ != nullptr;
}

Operation* Pool::take() noexcept {
  Operation* operation = free_;
  if (operation != nullptr) {
    free_ = operation->next;
  }
  return operation;
}

void Pool::give_back(Operation* operation) noexcept {
  operation->next = free_;
  free_ = operation;
}

}  // namespace weft::transport::tcp
