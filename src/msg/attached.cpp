#include "msg/attached.hpp"

#include <cstdlib>
#include <new>

#include "base/lines.hpp"
#include "copy/copy.hpp"
#include "msg/messages.hpp"

namespace weft::msg {

/// The packed data follows.
struct Attached::Block {
  Request request;
  Attached* owner = nullptr;
  Block* next = nullptr;
  std::size_t bytes = 0;  // with this head

  std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this); }
};
static_assert(sizeof(Request) + 64 <= kBufferedOverhead);

bool Attached::attach(void* at, std::size_t bytes) noexcept {
  const std::scoped_lock lock(mutex_);
  if (attached_) {
    return false;
  }
  attached_ = true;
  given_ = {at, bytes};
  // As a program gives it, and as a block wants it.
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const std::uintptr_t aligned = (address + alignof(Block) - 1) / alignof(Block) * alignof(Block);
  const std::size_t lost = aligned - address;
  begin_ = reinterpret_cast<std::byte*>(aligned);
  bytes_ = bytes > lost ? bytes - lost : 0;
  return true;
}

bool Attached::empty() noexcept {
  const std::scoped_lock lock(mutex_);
  return first_ == nullptr;
}

void Attached::flush() noexcept {
  wait_until([](void* self) noexcept { return static_cast<Attached*>(self)->empty(); }, this,
             {.why = boot::Waiting::kMessage,
              .compare = boot::kToBeTaken,
              .root = -1,
              .index = static_cast<std::uint32_t>(kAnyTag)});
}

Stretch Attached::detach() noexcept {
  flush();
  const std::scoped_lock lock(mutex_);
  const Stretch given = given_;
  attached_ = false;
  given_ = {};
  begin_ = nullptr;
  bytes_ = 0;
  return given;
}

// The lowest gap that is large enough, or memory of its own.
Attached::Block* Attached::find_room(std::size_t bytes) noexcept {
  if (begin_ == nullptr) {
    void* const memory = std::malloc(bytes);
    if (memory == nullptr) {
      return nullptr;
    }
    auto* const made = new (memory) Block;
    made->next = first_;
    first_ = made;
    return made;
  }
  std::byte* at = begin_;
  Block** link = &first_;
  while (*link != nullptr && static_cast<std::size_t>((*link)->begin() - at) < bytes) {
    at = (*link)->begin() + (*link)->bytes;
    link = &(*link)->next;
  }
  if (*link == nullptr && static_cast<std::size_t>(begin_ + bytes_ - at) < bytes) {
    return nullptr;
  }
  auto* const made = new (at) Block;
  made->next = *link;
  *link = made;
  return made;
}

void Attached::gone(Request& request) noexcept {
  Block* const block = static_cast<Block*>(request.cookie);
  Attached& self = *block->owner;
  const std::scoped_lock lock(self.mutex_);
  Block** link = &self.first_;
  while (*link != block) {
    link = &(*link)->next;
  }
  *link = block->next;
  const bool is_own_memory = self.begin_ == nullptr;
  block->~Block();
  if (is_own_memory) {
    std::free(block);
  }
}

Fault Attached::send(const To& to, const Data& data) noexcept {
  constexpr std::size_t kUnit = alignof(Block);
  const std::size_t bytes = (sizeof(Block) + static_cast<std::size_t>(data.bytes) + kUnit - 1) / kUnit * kUnit;
  Block* block = nullptr;
  {
    std::unique_lock lock(mutex_);
    block = attached_ ? find_room(bytes) : nullptr;
    if (block == nullptr && attached_) {
      // What has been received may not have been looked at since: a program may count on its room. Not under the lock,
      // as messages that are complete take it.
      lock.unlock();
      progress();
      lock.lock();
      block = attached_ ? find_room(bytes) : nullptr;
    }
    if (block == nullptr) {
      return Fault::kNoMemory;
    }
    block->bytes = bytes;
    block->owner = this;
    block->request.cookie = block;
  }
  if (data.layout != nullptr) {
    data.layout->pack(data.at, 0, block->data(), data.bytes);
  } else {
    copy::copy(block->data(), data.at, data.bytes);
  }
  msg::start_send(block->request, to, Data::of(block->data(), data.bytes));
  let_go(block->request, gone);
  return Fault::kNone;
}

}  // namespace weft::msg
