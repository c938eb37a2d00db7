// A neighbour in the tree of oshrun and its agents: frames to it, frames from it, and how long it has been silent. How
// the bytes get there, and what time it is, others know: Link has two pipes and the system's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launch/tree/frames.hpp"

namespace weft::launch::tree {

class Line {
 public:
  /// How long nothing is sent before the other end is told that we are still here.
  static constexpr std::uint64_t kBeat = 1'000'000'000;  // ns

  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  virtual bool is_open() const = 0;
  void send(FrameKind kind, std::uint32_t node, std::string_view payload = {});
  /// The next frame that has come; beats are not handed out.
  std::optional<Frame> next();
  /// Tells the other end that we are here, when it is time. To be called at each look.
  void beat(std::uint64_t now);
  /// To be called each `interval` (ns). For how long the other end has been silent while we listened: a call that comes
  /// late counts as one interval, for time in which we did not run ourselves, as on a machine that was asleep or has
  /// too much to do, says nothing about the other end.
  std::uint64_t silence(std::uint64_t now, std::uint64_t interval);
  void forget_silence() { silence_ = 0; }

  bool greeted() const { return reader_.greeted(); }
  /// Bytes that have not gone out yet.
  std::size_t kept() const { return kept_.size() - sent_; }
  bool has_kept() const { return kept() > 0; }
  /// How often something has come.
  std::uint64_t reads() const { return reads_; }
  /// What came is not what an agent says; empty: it is.
  const std::string& problem() const { return reader_.problem(); }

 protected:
  Line() = default;
  /// The line is there: greets.
  void begin(std::uint64_t now);
  /// Bytes have come.
  void heard(std::string_view bytes);
  /// To send what is unsent(), as far as it goes now.
  virtual void push() = 0;
  std::string_view unsent() const { return std::string_view(kept_).substr(sent_); }
  void sent(std::size_t bytes);
  /// Nobody will send it any more.
  void drop_unsent();

 private:
  FrameReader reader_;
  std::string kept_;
  std::size_t sent_ = 0;  // of kept_
  std::uint64_t reads_ = 0;
  std::uint64_t silence_ = 0;
  std::uint64_t listened_at_ = 0;
  std::uint64_t looked_at_ = 0;
  std::uint64_t sent_at_ = 0;  // or shortly before that: as of the last look
};

}  // namespace weft::launch::tree
