#include "transport/tcp/outbox.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace weft::transport::tcp {
namespace {

// As long as a call puts data into a socket, the system takes no acknowledgements from it and tells the other side less
// often of what there is: 1 MiB at once took 1.4 times as long as in such pieces.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 17;

// Bytes taken; what the socket cannot take now is no error.
std::size_t send_once(int fd, iovec* parts, std::size_t n, int* error) noexcept {
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = n;
  for (;;) {
    const ssize_t sent = ::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      return static_cast<std::size_t>(sent);
    }
    if (errno != EINTR) {
      *error = errno == EAGAIN || errno == EWOULDBLOCK ? 0 : errno;
      return 0;
    }
  }
}

std::size_t send_parts(int fd, iovec* parts, std::size_t n, int* error) noexcept {
  std::size_t sent = 0;
  for (iovec* const end = parts + n; parts < end;) {
    std::size_t bytes = 0;
    iovec* last = parts;
    for (; last < end && bytes + last->iov_len <= kMostAtOnce; ++last) {
      bytes += last->iov_len;
    }
    iovec rest{};
    if (last < end) {
      const std::size_t part = kMostAtOnce - bytes;
      rest = {static_cast<std::byte*>(last->iov_base) + part, last->iov_len - part};
      last->iov_len = part;
      bytes += part;
    }
    const std::size_t taken =
        send_once(fd, parts, static_cast<std::size_t>((last < end ? last + 1 : end) - parts), error);
    sent += taken;
    if (taken < bytes) {
      break;
    }
    if (last < end) {
      *last = rest;
    }
    parts = last;
  }
  return sent;
}

}  // namespace

Outbox::~Outbox() {
  clear();
  std::free(gathered_);
}

void Outbox::clear() noexcept {
  while (first_ != nullptr) {
    drop_first();
  }
  gathered_bytes_ = 0;
}

bool Outbox::gather(const void* head, std::size_t head_bytes, const void* data, std::size_t bytes) noexcept {
  if (held_ || !empty() || head_bytes + bytes > kMostGathered - gathered_bytes_) {
    return false;
  }
  if (gathered_ == nullptr && (gathered_ = static_cast<std::byte*>(std::malloc(kMostGathered))) == nullptr) {
    return false;
  }
  std::memcpy(gathered_ + gathered_bytes_, head, head_bytes);
  if (bytes > 0) {
    std::memcpy(gathered_ + gathered_bytes_ + head_bytes, data, bytes);
  }
  gathered_bytes_ += head_bytes + bytes;
  return true;
}

void Outbox::drop_first() noexcept {
  Part* part = first_;
  first_ = part->next;
  if (first_ == nullptr) {
    last_ = nullptr;
  }
  copied_ -= part->copied;
  if (part->sent != nullptr) {
    part->sent->end();
  }
  std::free(part);
}

bool Outbox::keep_part(Part* part) noexcept {
  if (part == nullptr) {
    return false;
  }
  part->next = nullptr;
  copied_ += part->copied;
  (last_ == nullptr ? first_ : last_->next) = part;
  last_ = part;
  return true;
}

bool Outbox::keep_copy(const void* data, std::size_t bytes) noexcept {
  if (bytes == 0) {
    return true;
  }
  auto* part = static_cast<Part*>(std::malloc(sizeof(Part) + bytes));
  if (part != nullptr) {
    std::byte* behind = reinterpret_cast<std::byte*>(part + 1);
    std::memcpy(behind, data, bytes);
    *part = {nullptr, behind, bytes, nullptr, bytes};
  }
  return keep_part(part);
}

int Outbox::post(int fd, const void* head, std::size_t head_bytes, const void* data, std::size_t bytes, Keep keep,
                 Pending* sent) noexcept {
  std::size_t taken = 0;
  const std::size_t gathered = gathered_bytes_;
  if (empty() && !held_) {
    iovec parts[3] = {{gathered_, gathered}, {const_cast<void*>(head), head_bytes}, {const_cast<void*>(data), bytes}};
    iovec* const first = gathered > 0 ? parts : parts + 1;
    int error = 0;
    taken = send_parts(fd, first, static_cast<std::size_t>(parts + (bytes > 0 ? 3 : 2) - first), &error);
    if (error != 0) {
      return error;
    }
    if (taken == gathered + head_bytes + bytes) {
      gathered_bytes_ = 0;
      return 0;
    }
  }
  const std::size_t of_gathered = std::min(taken, gathered);
  gathered_bytes_ = 0;
  if (gathered > of_gathered && !keep_copy(gathered_ + of_gathered, gathered - of_gathered)) {
    return ENOMEM;
  }
  taken -= of_gathered;
  const std::size_t of_head = std::min(taken, head_bytes);
  if (head_bytes > of_head && !keep_copy(static_cast<const std::byte*>(head) + of_head, head_bytes - of_head)) {
    return ENOMEM;
  }
  const std::size_t left = bytes - (taken - of_head);
  if (left == 0) {
    return 0;
  }
  const std::byte* rest = static_cast<const std::byte*>(data) + (taken - of_head);
  if (keep == Keep::kCopy) {
    return keep_copy(rest, left) ? 0 : ENOMEM;
  }
  auto* part = static_cast<Part*>(std::malloc(sizeof(Part)));
  if (part != nullptr) {
    *part = {nullptr, rest, left, sent == nullptr ? nullptr : sent->begin(), 0};
  }
  return keep_part(part) ? 0 : ENOMEM;
}

bool Outbox::copy_from(const Memory& memory) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(memory.at);
  for (Part** at = &first_; *at != nullptr; at = &(*at)->next) {
    Part* part = *at;
    if (part->copied != 0 || reinterpret_cast<std::uintptr_t>(part->at) - first >= memory.bytes) {
      continue;
    }
    auto* copy = static_cast<Part*>(std::malloc(sizeof(Part) + part->left));
    if (copy == nullptr) {
      return false;
    }
    auto* behind = reinterpret_cast<std::byte*>(copy + 1);
    std::memcpy(behind, part->at, part->left);
    *copy = {part->next, behind, part->left, part->sent, part->left};
    copied_ += copy->copied;
    *at = copy;
    if (last_ == part) {
      last_ = copy;
    }
    std::free(part);
  }
  return true;
}

int Outbox::flush(int fd) noexcept {
  if (gathered_bytes_ > 0) {
    return post(fd, nullptr, 0, nullptr, 0, Keep::kCopy, nullptr);
  }
  constexpr std::size_t kAtATime = 16;
  while (first_ != nullptr && !held_) {
    iovec parts[kAtATime];
    std::size_t n = 0;
    for (const Part* part = first_; part != nullptr && n < kAtATime; part = part->next) {
      parts[n++] = {const_cast<std::byte*>(part->at), part->left};
    }
    int error = 0;
    std::size_t taken = send_parts(fd, parts, n, &error);
    if (error != 0 || taken == 0) {
      return error;
    }
    while (first_ != nullptr && taken >= first_->left) {
      taken -= first_->left;
      drop_first();
    }
    if (first_ != nullptr) {
      first_->at += taken;
      first_->left -= taken;
    }
  }
  return 0;
}

}  // namespace weft::transport::tcp
