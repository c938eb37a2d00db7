// What a socket has not taken yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/transport.hpp"

namespace weft::transport::tcp {

class Outbox {
 public:
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox();

  /// How the data behind a head is kept while the socket is full.
  enum class Keep : std::uint8_t { kCopy, kWhereItLies };

  /// Sends a head and data behind it, or keeps what the socket does not take. `sent` counts data that is kept where it
  /// lies. An error of send(), 0 for none.
  int post(int fd, const void* head, std::size_t head_bytes, const void* data, std::size_t bytes, Keep keep,
           Pending* sent) noexcept;
  /// Copied, and sent with what is posted or flushed next. False: not possible now, as something is kept, or enough is
  /// gathered to be sent.
  bool gather(const void* head, std::size_t head_bytes, const void* data, std::size_t bytes) noexcept;
  bool has_gathered() const noexcept { return gathered_bytes_ > 0; }
  /// Nothing is sent, all is kept; until released, which is a flush().
  void hold() noexcept { held_ = true; }
  int release(int fd) noexcept {
    held_ = false;
    return flush(fd);
  }
  /// What was kept is lost.
  void clear() noexcept;
  /// What was kept or gathered, as much of it as the socket takes now.
  int flush(int fd) noexcept;
  /// What is kept where it lies in that memory is copied. False: no memory for that.
  bool copy_from(const Memory& memory) noexcept;
  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t copied_bytes() const noexcept { return copied_; }

 private:
  struct Part {
    Part* next;
    const std::byte* at;
    std::size_t left;
    Pending::Count* sent;
    std::size_t copied;  // bytes of it behind this
  };
  // A message of so many bytes costs the system little more than one of a few.
  static constexpr std::size_t kMostGathered = 16384;

  bool keep_copy(const void* data, std::size_t bytes) noexcept;
  bool keep_part(Part* part) noexcept;
  void drop_first() noexcept;

  Part* first_ = nullptr;
  Part* last_ = nullptr;
  std::size_t copied_ = 0;
  std::byte* gathered_ = nullptr;  // only where nothing is kept
  std::size_t gathered_bytes_ = 0;
  bool held_ = false;
};

}  // namespace weft::transport::tcp
