#include "msg/matching.hpp"

namespace weft::msg {
namespace {

// The two directions of a list, so that one pair of functions serves all three.
template <class T, T* T::*next, T* T::*previous, class Ends>
void append(Ends& ends, T& one) noexcept {
  one.*next = nullptr;
  one.*previous = ends.last;
  (ends.last == nullptr ? ends.first : ends.last->*next) = &one;
  ends.last = &one;
}
template <class T, T* T::*next, T* T::*previous, class Ends>
void take_out(Ends& ends, T& one) noexcept {
  (one.*previous == nullptr ? ends.first : one.*previous->*next) = one.*next;
  (one.*next == nullptr ? ends.last : one.*next->*previous) = one.*previous;
  one.*next = nullptr;
  one.*previous = nullptr;
}

}  // namespace

void Matching::link(Request& receive) noexcept {
  append<Request, &Request::next, &Request::previous>(receives_[list_of(receive.context, receive.source)], receive);
  ++posted_;
  posted_any_ += receive.source == kAnySource ? 1 : 0;
}

void Matching::unlink(Ends<Request>& from, Request& receive) noexcept {
  take_out<Request, &Request::next, &Request::previous>(from, receive);
  --posted_;
  posted_any_ -= receive.source == kAnySource ? 1 : 0;
}

void Matching::post_beside_others(Request& receive) noexcept {
  if (only_ != nullptr) {
    only_->order = ++order_;
    link(*only_);
    only_ = nullptr;
  }
  receive.order = ++order_;
  link(receive);
}

void Matching::put_back(Request& receive) noexcept {
  if (none_posted()) {
    only_ = &receive;
    return;
  }
  // There were several, so each has its number.
  Ends<Request>& ends = receives_[list_of(receive.context, receive.source)];
  Request* later = ends.first;
  while (later != nullptr && later->order < receive.order) {
    later = later->next;
  }
  if (later == nullptr) {
    link(receive);
    return;
  }
  receive.next = later;
  receive.previous = later->previous;
  (later->previous == nullptr ? ends.first : later->previous->next) = &receive;
  later->previous = &receive;
  ++posted_;
  posted_any_ += receive.source == kAnySource ? 1 : 0;
}

Request* Matching::arrived_of_several(const Envelope& envelope) noexcept {
  const auto first_in = [&](const Ends<Request>& ends, std::int32_t source) -> Request* {
    Request* receive = ends.first;
    // Others share the list, and one of the other pattern is found in its own turn.
    while (receive != nullptr && !(receive->source == source && pattern_of(*receive).fits(envelope))) {
      receive = receive->next;
    }
    return receive;
  };
  Ends<Request>& of_source = receives_[list_of(envelope.context, envelope.source)];
  Request* const named = first_in(of_source, envelope.source);
  if (posted_any_ > 0) {
    Ends<Request>& of_any = receives_[list_of(envelope.context, kAnySource)];
    Request* const any = first_in(of_any, kAnySource);
    if (any != nullptr && (named == nullptr || any->order < named->order)) {
      unlink(of_any, *any);
      return any;
    }
  }
  if (named != nullptr) {
    unlink(of_source, *named);
  }
  return named;
}

bool Matching::withdraw(Request& receive) noexcept {
  if (only_ == &receive) {
    only_ = nullptr;
    return true;
  }
  Ends<Request>& ends = receives_[list_of(receive.context, receive.source)];
  Request* there = ends.first;
  while (there != nullptr && there != &receive) {
    there = there->next;
  }
  if (there == nullptr) {
    return false;
  }
  unlink(ends, receive);
  return true;
}

void Matching::keep(Kept& message) noexcept {
  const Envelope& envelope = message.envelope;
  append<Kept, &Kept::next, &Kept::previous>(messages_[list_of(envelope.context, envelope.source)], message);
  append<Kept, &Kept::next_any, &Kept::previous_any>(of_context_[list_of(envelope.context, kAnySource)], message);
  ++kept_;
}

void Matching::remove(Kept& message) noexcept {
  const Envelope& envelope = message.envelope;
  take_out<Kept, &Kept::next, &Kept::previous>(messages_[list_of(envelope.context, envelope.source)], message);
  take_out<Kept, &Kept::next_any, &Kept::previous_any>(of_context_[list_of(envelope.context, kAnySource)], message);
  --kept_;
}

Kept* Matching::find_among(const Pattern& pattern) const noexcept {
  if (pattern.source == kAnySource) {
    Kept* message = of_context_[list_of(pattern.context, kAnySource)].first;
    while (message != nullptr && !pattern.fits(message->envelope)) {
      message = message->next_any;
    }
    return message;
  }
  Kept* message = messages_[list_of(pattern.context, pattern.source)].first;
  while (message != nullptr && !pattern.fits(message->envelope)) {
    message = message->next;
  }
  return message;
}

Kept* Matching::first() const noexcept {
  for (const Ends<Kept>& ends : messages_) {
    if (kept_ > 0 && ends.first != nullptr) {
      return ends.first;
    }
  }
  return nullptr;
}

}  // namespace weft::msg
