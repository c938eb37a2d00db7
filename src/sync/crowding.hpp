// Whether this thread shares its processor with the one it waits for, though there are enough processors. Pure.
//
// The kernel leaves two processes that both spin where they are, for minutes: to it each has half a processor and wants
// no more. Then each spins in vain until it yields, and a message or a barrier takes as long as all spinning. From
// outside it looks like this: again and again a wait outlasts its spinning, and ends with the first yields. PEs that do
// not spin, as there are more of them than processors, may meet on one processor while another one is idle: again and
// again a yield comes back late, with what was waited for.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::sync {

class Crowding {
 public:
  static constexpr std::uint32_t kSuspect = 4;     // waits in a row, of the first PE of a node
  static constexpr std::uint32_t kOthersWait = 4;  // and so many more of the next ones: when one has left, all is well
  static constexpr std::uint32_t kFirstPause = 256;  // waits that yield at once, before spinning is tried again
  static constexpr std::uint32_t kLongestPause = 65536;

  /// Of two processes by turns on one processor: a yield takes 0.2 us where nobody else runs, 1.5 where somebody does.
  static constexpr std::uint64_t kSwitchNs = 1000;

  /// Of this process, which has several libraries that wait. Set while it has one thread.
  static std::uint32_t g_suspect;

  enum class Ended : std::uint8_t { kSoon, kYielding, kLater };

  /// Waits in a row of the PE with that number on its node.
  static constexpr std::uint32_t suspect_of(int local) noexcept {
    return kSuspect + kOthersWait * static_cast<std::uint32_t>(local & 3);
  }

  /// The wait at hand is to spin, if there are processors enough.
  bool spins() const noexcept { return pause_left_ == 0; }
  /// Of each wait that did not end at once. True: it is time to leave this processor.
  bool waited(Ended ended, std::uint32_t suspect = g_suspect) noexcept {
    if (pause_left_ > 0) {
      --pause_left_;
      return false;
    }
    if (ended != Ended::kYielding) {
      in_vain_ = 0;
      left_ = false;
      pause_ = ended == Ended::kSoon ? kFirstPause : pause_;
      return false;
    }
    if (++in_vain_ < suspect) {
      return false;
    }
    // One more wait tells whether that was of use.
    in_vain_ = suspect - 1;
    pause_left_ = left_ ? pause_ : 0;
    pause_ = left_ ? std::min(2 * pause_, kLongestPause) : pause_;
    left_ = !left_;
    return left_;
  }

 private:
  std::uint32_t in_vain_ = 0;
  std::uint32_t pause_ = kFirstPause;
  std::uint32_t pause_left_ = 0;
  bool left_ = false;  // this processor, and nothing has been seen of it yet
};

}  // namespace weft::sync
