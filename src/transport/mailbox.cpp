#include "transport/mailbox.hpp"

#include <cstdlib>
#include <cstring>

namespace weft::transport {
namespace {

Mailbox::Letter* make(Tag tag, std::uint64_t bytes, std::uint64_t room) noexcept {
  if (room > SIZE_MAX - sizeof(Mailbox::Letter)) {
    return nullptr;
  }
  auto* letter = static_cast<Mailbox::Letter*>(std::malloc(sizeof(Mailbox::Letter) + room));
  if (letter != nullptr) {
    *letter = {nullptr, tag, bytes, 0, reinterpret_cast<std::byte*>(letter + 1), nullptr, nullptr, false};
  }
  return letter;
}

}  // namespace

void Mailbox::List::add(Letter* letter) noexcept {
  letter->next = nullptr;
  *end = letter;
  end = &letter->next;
}

Mailbox::Letter* Mailbox::List::find(Tag tag) const noexcept {
  Letter* letter = first;
  while (letter != nullptr && letter->tag != tag) {
    letter = letter->next;
  }
  return letter;
}

void Mailbox::List::take_out(Letter* letter) noexcept {
  Letter** at = &first;
  while (*at != letter) {
    at = &(*at)->next;
  }
  *at = letter->next;
  if (*at == nullptr) {
    end = at;
  }
}

Mailbox::~Mailbox() {
  for (List* list : {&waits_, &here_, &wanted_}) {
    while (list->first != nullptr) {
      Letter* letter = list->first;
      list->first = letter->next;
      std::free(letter);
    }
  }
}

Mailbox::Meeting Mailbox::receive(Tag tag, void* to, std::size_t bytes, Pending& pending) noexcept {
  auto* at = static_cast<std::byte*>(to);
  Letter* letter = here_.find(tag);
  if (letter == nullptr) {
    letter = make(tag, bytes, 0);
    if (letter == nullptr) {
      return {Met::kNoMemory};
    }
    letter->count = pending.begin();
    letter->to = at;
    waits_.add(letter);
    return {Met::kNotYet};
  }
  if (letter->bytes != bytes) {
    return {Met::kOtherLength, letter->bytes};
  }
  here_.take_out(letter);
  letter->count = pending.begin();
  if (letter->offer != 0) {
    letter->to = at;
    wanted_.add(letter);
    return {Met::kOffered, bytes, letter->offer};
  }
  letter->wanted_at = at;
  if (letter->complete) {
    end(letter);
  }
  return {Met::kHere, bytes};
}

Mailbox::Meeting Mailbox::begin(Tag tag, std::uint64_t bytes, std::uint64_t offer) noexcept {
  if (Letter* letter = waits_.find(tag); letter != nullptr) {
    if (letter->bytes != bytes) {
      return {Met::kOtherLength, letter->bytes};
    }
    waits_.take_out(letter);
    letter->offer = offer;
    if (offer != 0) {
      wanted_.add(letter);
    }
    return {offer != 0 ? Met::kOffered : Met::kHere, bytes, offer, letter};
  }
  Letter* letter = make(tag, bytes, offer != 0 ? 0 : bytes);
  if (letter == nullptr) {
    return {Met::kNoMemory};
  }
  letter->offer = offer;
  here_.add(letter);
  return {Met::kNotYet, bytes, offer, letter};
}

Mailbox::Letter* Mailbox::begin_wanted(std::uint64_t offer, std::uint64_t bytes) noexcept {
  Letter* letter = wanted_.first;
  while (letter != nullptr && (letter->offer != offer || letter->bytes != bytes)) {
    letter = letter->next;
  }
  if (letter != nullptr) {
    wanted_.take_out(letter);
  }
  return letter;
}

void Mailbox::end(Letter* letter) noexcept {
  letter->complete = true;
  if (letter->count == nullptr) {
    return;
  }
  if (letter->wanted_at != nullptr) {
    std::memcpy(letter->wanted_at, letter->to, letter->bytes);
  }
  letter->count->end();
  std::free(letter);
}

void Mailbox::abandon(Letter* letter) noexcept {
  // Who waits for it has taken it out of the lists.
  if (letter->count == nullptr) {
    here_.take_out(letter);
  }
  std::free(letter);
}

}  // namespace weft::transport
