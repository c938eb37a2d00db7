// What a PE writes down of each window of MPI while a profile is made: a file that it maps and counts in, beside that
// of its calls, as soon as the program makes a window. weft-profile reads it.
//
//   [WindowPart][WindowPeer for each member] for each window      windows.<number>.weft, one for each PE
//
// A part begins at a multiple of kWindowAlignment. Threads share it. Times are ticks of the recording of calls, and
// modules are those of its header.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weft::profile {

/// What moves between the caller and a member.
enum class WindowMoves : std::uint8_t { kPut, kGet, kAccumulate };
inline constexpr std::array kWindowMoveNames = {"put", "get", "accumulate"};
inline constexpr std::size_t kWindowMoves = kWindowMoveNames.size();

/// What a call of synchronisation is. The first ones may name the member they are for.
enum class WindowWaits : std::uint8_t { kLock, kFlush, kUnlock, kFence, kPost, kStart, kComplete, kWait };
inline constexpr std::array kWindowWaitNames = {"lock", "flush", "unlock",   "fence",
                                                "post", "start", "complete", "wait"};
inline constexpr std::size_t kWindowWaits = kWindowWaitNames.size();
inline constexpr std::size_t kPeerWaits = 3;

struct WindowTally {
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> sum;  // bytes, or ticks
};

/// What this PE had to do with one member.
struct WindowPeer {
  std::int32_t pe;
  std::uint32_t reserved;
  WindowTally moved[kWindowMoves];
  WindowTally waited[kPeerWaits];
};

struct alignas(64) WindowPart {
  static constexpr std::uint64_t kMagic = 0x314e495754464557;  // "WEFTWIN1", little endian
  /// Changed whenever anything here changes.
  static constexpr std::uint32_t kLayout = 1;
  static constexpr const char* kFile = "windows.%d.weft";

  std::uint64_t magic;
  std::uint32_t layout;
  std::uint32_t n_members;
  std::int32_t pe;
  std::int32_t n_pes;
  // Both together are the same for all members, and another window's never: the members in their order, and how many
  // windows of just these were there before.
  std::uint64_t members;
  std::uint32_t ordinal;
  std::uint32_t call;    // that made it; 0: all windows that found no room, together
  std::uint16_t module;  // where that was called; kNoModule
  std::uint16_t reserved[3];
  std::uint64_t offset;
  std::uint64_t bytes;  // of this PE's own part
  WindowTally waited[kWindowWaits];
  char name[64];  // as the program has named it
};

inline constexpr std::size_t kWindowAlignment = 4096;
/// So many windows are told apart; one more part is for all others together.
inline constexpr std::size_t kMostWindows = 255;

constexpr std::size_t window_bytes(std::size_t members) {
  const std::size_t bytes = sizeof(WindowPart) + members * sizeof(WindowPeer);
  return (bytes + kWindowAlignment - 1) / kWindowAlignment * kWindowAlignment;
}
inline WindowPeer* peers_of(WindowPart* part) { return reinterpret_cast<WindowPeer*>(part + 1); }
inline const WindowPeer* peers_of(const WindowPart* part) { return reinterpret_cast<const WindowPeer*>(part + 1); }

static_assert(std::is_standard_layout_v<WindowPart> && std::is_standard_layout_v<WindowPeer>);
static_assert(sizeof(WindowPart) == 256 && sizeof(WindowPeer) == 104 && offsetof(WindowPart, waited) == 64);

}  // namespace weft::profile
