// A thread that runs a task while it waits for its team has come there, whatever the task does: people are told so.
#pragma once

#include "omp/state/team.hpp"

namespace weft::omp {

class HasArrived {
 public:
  explicit HasArrived(const Team& team) noexcept : record_(t_noted.record) {
    if (record_ != nullptr) {
      before_ = record_->arrived.load(std::memory_order_relaxed);
      record_->arrived.store(reinterpret_cast<std::uintptr_t>(&team), std::memory_order_relaxed);
    }
  }
  HasArrived(const HasArrived&) = delete;
  HasArrived& operator=(const HasArrived&) = delete;
  ~HasArrived() {
    if (record_ != nullptr) {
      record_->arrived.store(before_, std::memory_order_relaxed);
    }
  }

 private:
  boot::ThreadRecord* record_;
  std::uint64_t before_ = 0;
};

}  // namespace weft::omp
