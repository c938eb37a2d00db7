#include "launch/tree/frames.hpp"

#include <algorithm>
#include <cctype>

#include "boot/job.hpp"

namespace weft::launch::tree {
namespace {

// Changed with the frames, as kJobLayout is with what PEs share.
constexpr std::uint32_t kFrames = 3;

struct Greeting {
  char magic[8];
  std::uint32_t frames;
  std::uint32_t layout;
  char version[24];
};
static_assert(sizeof(Greeting) == 40);

struct Head {
  std::uint32_t bytes;
  std::uint32_t node;
  std::uint32_t kind;
};
static_assert(sizeof(Head) == 12);

Greeting our_greeting() {
  Greeting ours{{'W', 'E', 'F', 'T', 'A', 'G', 'N', 'T'}, kFrames, boot::kJobLayout, {}};
  std::strncpy(ours.version, WEFT_VERSION, sizeof ours.version - 1);
  return ours;
}

// What somebody's start-up file printed, as far as it fits in a line.
std::string shown(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 60)) {
    if (c == '\n' || c == '\r') break;
    text += std::isprint(static_cast<unsigned char>(c)) != 0 ? c : '?';
  }
  return text;
}

}  // namespace

std::string greeting() {
  const Greeting ours = our_greeting();
  return std::string(reinterpret_cast<const char*>(&ours), sizeof ours);
}

void put_frame(std::string& to, FrameKind kind, std::uint32_t node, std::string_view payload) {
  const Head head{static_cast<std::uint32_t>(payload.size()), node, static_cast<std::uint32_t>(kind)};
  to.append(reinterpret_cast<const char*>(&head), sizeof head);
  to.append(payload);
}

bool FrameReader::take_greeting() {
  const Greeting ours = our_greeting();
  const std::string_view got = kept_;
  const std::size_t known = std::min(got.size(), sizeof ours.magic);
  if (std::memcmp(got.data(), ours.magic, known) != 0) {
    problem_ = "it answered \"" + shown(got) +
               "\" instead of weft-agent's greeting; the shell's start-up files there must print nothing";
    return false;
  }
  if (got.size() < sizeof ours) return false;
  Greeting theirs;
  std::memcpy(&theirs, got.data(), sizeof theirs);
  theirs.version[sizeof theirs.version - 1] = '\0';
  if (std::memcmp(&ours, &theirs, sizeof ours) != 0) {
    problem_ = "its Weft is " + shown(theirs.version) + " (layout " + std::to_string(theirs.layout) + "), here it is " +
               ours.version + " (layout " + std::to_string(ours.layout) + "); install the same Weft on all hosts";
    return false;
  }
  taken_ = sizeof ours;
  greeted_ = true;
  return true;
}

std::optional<Frame> FrameReader::next() {
  if (!problem_.empty() || (!greeted_ && (kept_.empty() || !take_greeting()))) return std::nullopt;
  const std::string_view left = std::string_view(kept_).substr(taken_);
  Head head;
  if (left.size() >= sizeof head) {
    std::memcpy(&head, left.data(), sizeof head);
    if (head.bytes > kLargest || head.kind > static_cast<std::uint32_t>(kLastFrameKind)) {
      problem_ = "its messages are damaged";
      return std::nullopt;
    }
    if (left.size() - sizeof head >= head.bytes) {
      taken_ += sizeof head + head.bytes;
      return Frame{static_cast<FrameKind>(head.kind), head.node, std::string(left.substr(sizeof head, head.bytes))};
    }
  }
  // Moving the rest to the front costs its length, so only when no whole frame is left.
  kept_.erase(0, taken_);
  taken_ = 0;
  return std::nullopt;
}

}  // namespace weft::launch::tree
