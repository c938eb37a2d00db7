// What this PE calls requests that another node is to answer: numbers that are used again. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "msg/request.hpp"

namespace weft::msg {

class Numbers {
 public:
  /// It has one already, or gets one.
  void give(Request& request) noexcept {
    if (request.number != kNone) {
      return;
    }
    if (free_.empty()) {
      request.number = static_cast<std::uint32_t>(of_.size());
      of_.push_back(&request);
      return;
    }
    request.number = free_.back();
    free_.pop_back();
    of_[request.number] = &request;
  }
  /// False: it has none.
  bool take(Request& request) noexcept {
    if (request.number == kNone) {
      return false;
    }
    of_[request.number] = nullptr;
    free_.push_back(request.number);
    request.number = kNone;
    return true;
  }
  /// Null: it is nobody's. Any number, as others tell it.
  Request* find(std::uint32_t number) const noexcept { return number < of_.size() ? of_[number] : nullptr; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<Request*> of_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::msg
