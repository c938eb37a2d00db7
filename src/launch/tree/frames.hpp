// What oshrun and its agents say to each other, over pipes: a greeting, then frames. Bytes only; nothing here reads or
// writes a descriptor.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace weft::launch::tree {

enum class FrameKind : std::uint8_t {
  kBeat,  // both ways, when there is nothing else: I am still here
  // Down. To one node, or to all.
  kErrand,       // what is to be run (errand.hpp)
  kGo,           // start the PEs: heap bytes of each
  kSignal,       // for all PEs
  kInput,        // bytes of standard input
  kInputEnd,     // there is no more
  kPassedOn,     // so many bytes of the node's output have been passed on
  kCloseOutput,  // nobody reads this stream any more
  kPause,        // we shall be stopped: do not count our silence
  kFinish,       // the job is over: end what is left, and leave
  // Up. From one node.
  kReady,       // what heap the host can give each PE, the host's clock
  kNotStarted,  // exit code and why
  kStarted,     // PE, its process
  kAllStarted,
  kOutput,       // PE, stream, bytes
  kEnded,        // PE, wait status, what the host's limits and memory were
  kRecords,      // PEs' records that have changed
  kExitRequest,  // a PE called shmem_global_exit
  kReplaced,     // a PE has become another program: its number, and which
  kInputTaken,   // so many bytes of input have been taken by PEs
  kSay,          // a line for the user
  kLost,         // nodes that are out of reach, and why
  kGivenUp,      // the last word of an agent that leaves a job which is not over: why
  // Both ways.
  kCards,  // up: those of a node; down: the same, with the node they are of
  // Up.
  kThreads,  // what PEs' OpenMP threads tell, where it has changed
};
inline constexpr FrameKind kLastFrameKind = FrameKind::kThreads;

inline constexpr std::uint32_t kAllNodes = UINT32_MAX;

struct Frame {
  FrameKind kind = FrameKind::kBeat;
  std::uint32_t node = kAllNodes;  // who it is for, or from
  std::string payload;
};

/// The first bytes of each direction. Both ends are of one build, or nothing is run.
std::string greeting();

/// Appends the frame as it goes over the pipe.
void put_frame(std::string& to, FrameKind kind, std::uint32_t node, std::string_view payload);

/// Takes bytes as they come, gives frames.
class FrameReader {
 public:
  /// Larger ones are no frames.
  static constexpr std::uint32_t kLargest = 1U << 30;

  void add(std::string_view bytes) { kept_.append(bytes); }
  /// The next whole frame. Nothing when none is there yet, or never again: problem() says so.
  std::optional<Frame> next();
  /// Whether the other end has shown that it is one of ours.
  bool greeted() const { return greeted_; }
  /// What is wrong with the stream; empty: nothing.
  const std::string& problem() const { return problem_; }

 private:
  bool take_greeting();

  std::string kept_;
  std::size_t taken_ = 0;  // of kept_
  bool greeted_ = false;
  std::string problem_;
};

/// Plain values and texts, one after another. Both ends are of one build on one kind of machine.
class Packer {
 public:
  template <class T>
  Packer& put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& text(std::string_view value) {
    put(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
    return *this;
  }
  Packer& raw(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads them back. Past the end it gives zeros and empty texts, and fine() is false.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>, "not every byte is a bool");
    T value{};
    const std::string_view from = take(sizeof value);
    if (fine_) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(get<std::uint32_t>())); }
  /// So many bytes as they are.
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) fine_ = false;
    if (!fine_) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::string_view rest() const { return rest_; }
  bool fine() const { return fine_; }

 private:
  std::string_view rest_;
  bool fine_ = true;
};

}  // namespace weft::launch::tree
