#include "transport/tcp/mailbox.hpp"

#include <cstdlib>
#include <cstring>

namespace weft::transport::tcp {
namespace {

Mailbox::Letter* make(int pe, Tag tag, std::size_t bytes, std::size_t room) noexcept {
  auto* letter = static_cast<Mailbox::Letter*>(std::malloc(sizeof(Mailbox::Letter) + room));
  if (letter != nullptr) {
    *letter = {nullptr, pe, tag, bytes, reinterpret_cast<std::byte*>(letter + 1), nullptr, nullptr, false};
  }
  return letter;
}

}  // namespace

void Mailbox::List::add(Letter* letter) noexcept {
  letter->next = nullptr;
  Letter** end = &first;
  while (*end != nullptr) {
    end = &(*end)->next;
  }
  *end = letter;
}

Mailbox::Letter* Mailbox::List::find(int pe, Tag tag) const noexcept {
  Letter* letter = first;
  while (letter != nullptr && (letter->pe != pe || letter->tag != tag)) {
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
}

Mailbox::~Mailbox() {
  for (List* list : {&waits_, &here_}) {
    while (list->first != nullptr) {
      Letter* letter = list->first;
      list->first = letter->next;
      std::free(letter);
    }
  }
}

bool Mailbox::receive(int pe, Tag tag, void* to, std::size_t bytes, Pending& pending, std::size_t* came) noexcept {
  *came = 0;
  auto* at = static_cast<std::byte*>(to);
  if (Letter* letter = here_.find(pe, tag); letter != nullptr) {
    if (letter->bytes != bytes) {
      *came = letter->bytes;
      return false;
    }
    here_.take_out(letter);
    letter->count = pending.begin();
    letter->wanted_at = at;
    if (letter->complete) {
      end(letter);
    }
    return true;
  }
  Letter* letter = make(pe, tag, bytes, 0);
  if (letter == nullptr) {
    return false;
  }
  letter->count = pending.begin();
  letter->to = at;
  waits_.add(letter);
  return true;
}

Mailbox::Letter* Mailbox::begin(int pe, Tag tag, std::size_t bytes, std::size_t* wanted) noexcept {
  *wanted = 0;
  if (Letter* letter = waits_.find(pe, tag); letter != nullptr) {
    if (letter->bytes != bytes) {
      *wanted = letter->bytes;
      return nullptr;
    }
    waits_.take_out(letter);
    return letter;
  }
  Letter* letter = make(pe, tag, bytes, bytes);
  if (letter != nullptr) {
    here_.add(letter);
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

}  // namespace weft::transport::tcp
