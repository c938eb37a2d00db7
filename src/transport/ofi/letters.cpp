#include "transport/ofi/letters.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace weft::transport::ofi {

Frame Letter::frame() const noexcept {
  Frame made;
  std::memcpy(&made, bytes, sizeof made);
  return made;
}

Letters::~Letters() {
  if (all_ != nullptr) {
    (void)::munmap(all_, n_ * sizeof(Letter));
  }
}

bool Letters::make(std::size_t n, Doing doing) noexcept {
  void* memory = ::mmap(nullptr, n * sizeof(Letter), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  all_ = static_cast<Letter*>(memory);
  n_ = left_ = n;
  for (std::size_t k = n; k > 0; --k) {
    Letter& letter = all_[k - 1];
    letter.posted.doing = doing;
    letter.posted.pe = -1;
    letter.next = free_;
    free_ = &letter;
  }
  return true;
}

Letter* Letters::take(std::size_t leaving) noexcept {
  const std::scoped_lock lock(mutex_);
  if (left_ <= leaving) {
    return nullptr;
  }
  Letter* letter = free_;
  free_ = letter->next;
  --left_;
  return letter;
}

void Letters::give_back(Letter* letter) noexcept {
  const std::scoped_lock lock(mutex_);
  letter->next = free_;
  free_ = letter;
  ++left_;
}

}  // namespace weft::transport::ofi
