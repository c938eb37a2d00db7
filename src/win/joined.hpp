// Small changes of elements at a member of another node that are under way together: the first one goes at once, and
// what is called while it has not been answered goes in one message behind it (record 0178).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "win/spans.hpp"

namespace weft::win {

/// Bytes of one, at most.
inline constexpr std::size_t kMostOfJoined = 64;

struct FarChange;
struct Member;
struct UnderWay;
class Joined;

/// Those of a window, by rank; each is made when it is first needed.
class JoinedOfAll {
 public:
  JoinedOfAll() noexcept;
  JoinedOfAll(const JoinedOfAll&) = delete;
  JoinedOfAll& operator=(const JoinedOfAll&) = delete;
  /// All that was begun is complete, and await() has been called.
  ~JoinedOfAll();
  /// Before the first change.
  void make(int members);
  /// Until nobody reads here what was sent.
  void await() const noexcept;

 private:
  friend bool join_far(const Member& member, int origin, const FarChange& change, UnderWay& under_way) noexcept;
  friend bool joined_meet(const Member& member, const Span& span, UnderWay& under_way) noexcept;
  std::vector<std::unique_ptr<Joined>> of_;
};

/// A change without a result, which stands behind everything else that it has to stand behind. It is under way when
/// this returns, or goes when another one is answered or somebody waits. False: it is too long, or there is no memory.
bool join_far(const Member& member, int origin, const FarChange& change, UnderWay& under_way) noexcept;
/// One that is under way may change something there, of which others are to come behind it.
bool joined_meet(const Member& member, const Span& span, UnderWay& under_way) noexcept;
/// Somebody is about to wait for all of them: they go as soon as their order lets them.
void send_joined(UnderWay& under_way) noexcept;
/// Something has been answered: what is held back may go.
void note_answer() noexcept;

}  // namespace weft::win
