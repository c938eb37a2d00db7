// A row of requests, linked by themselves. A request is in one row at a time.
#pragma once

#include "msg/request.hpp"

namespace weft::msg {

class List {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  Request* first() const noexcept { return first_; }
  void append(Request& one) noexcept {
    one.next = nullptr;
    one.previous = last_;
    (last_ == nullptr ? first_ : last_->next) = &one;
    last_ = &one;
  }
  void put_first(Request& one) noexcept {
    one.next = first_;
    one.previous = nullptr;
    (first_ == nullptr ? last_ : first_->previous) = &one;
    first_ = &one;
  }
  void take_out(Request& one) noexcept {
    (one.previous == nullptr ? first_ : one.previous->next) = one.next;
    (one.next == nullptr ? last_ : one.next->previous) = one.previous;
    one.next = nullptr;
    one.previous = nullptr;
  }
  /// The one that is looked at may be taken out.
  template <class Do>
  void each(Do&& look) noexcept {
    for (Request* one = first_; one != nullptr;) {
      Request* const next = one->next;
      look(*one);
      one = next;
    }
  }

 private:
  Request* first_ = nullptr;
  Request* last_ = nullptr;
};

}  // namespace weft::msg
