// Where the output of all PEs goes: our own stdout or stderr, which may be slow, stopped, or gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::launch::streams {

class Sink {
 public:
  /// Above this the PEs have to wait: what reads our output is slower than they are.
  static constexpr std::size_t kFull = 1 << 20;

  explicit Sink(int fd);
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink();

  /// Never waits for the reader: what does not go now is kept.
  void write(std::string_view bytes);
  /// A line of our own. When a PE's unfinished line has just gone out, it begins on a new one.
  void write_line(std::string_view line);
  /// Tries to get rid of what is kept.
  void push();

  /// The descriptor to poll for room while has_kept().
  int descriptor() const { return fd_; }
  bool has_kept() const { return sent_ < kept_.size(); }
  bool is_full() const { return kept_.size() - sent_ > kFull; }
  /// 0, or the errno with which writing ended for good (EPIPE: the reader has gone).
  int broken() const { return broken_; }

 private:
  enum class Way : std::uint8_t { kPlain, kOwnDescription, kSocket, kSmallSteps };
  std::size_t send(std::string_view bytes);  // how many bytes went; fewer when there is no room

  int fd_;
  Way way_ = Way::kPlain;
  bool mid_line_ = false;
  int broken_ = 0;
  std::string kept_;
  std::size_t sent_ = 0;  // of kept_
};

}  // namespace weft::launch::streams
