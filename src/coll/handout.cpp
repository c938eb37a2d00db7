// Small broadcasts: the root leaves the bytes in its own station, with the step of the call, and goes on.
#include <array>
#include <cstring>

#include "coll/expect.hpp"
#include "coll/party.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kWordsOfALine = 8;  // the step is one of them

constexpr std::size_t words_of(std::size_t bytes) noexcept { return (bytes + kWord - 1) / kWord; }

bool reached(const std::atomic<std::uint64_t>& word, std::uint64_t step) noexcept {
  // Acquire: what its owner did before it came there is visible.
  return static_cast<std::int64_t>(word.load(std::memory_order_acquire) - step) >= 0;
}

// By difference, as steps may wrap.
bool is_before(std::uint64_t step, std::uint64_t other) noexcept { return static_cast<std::int64_t>(step - other) < 0; }

constexpr std::uint32_t kRoom = group::kHandouts / 2;  // that a look for some is for
constexpr std::uint32_t kExpected = 3;                 // that are fetched before it is known whether they are written

}  // namespace

// A station of one call is given back when that ends, whoever has still to look.
bool Party::may_hand_out(std::size_t bytes) const noexcept {
  return bytes <= group::kHandoutWords * kWord && team_ != nullptr && team_->steady && counter_ == &team_->step;
}

group::Handout& Party::next_handout(int member) noexcept {
  return group::station(job::node().job, team_->slot, local(member)).handouts[team_->handouts++ % group::kHandouts];
}

void Party::await_takers(std::uint64_t last, std::uint64_t ahead) noexcept {
  const std::uint64_t step = is_before(last, ahead) ? ahead : last;
  // No other one is further. Not from this call's first step: of a long broadcast they have come to pieces of itself.
  std::uint64_t least = base_ + kStepsPerCall;
  for (int distance = 1; distance < size_; ++distance) {
    const int member = after(distance);
    const std::atomic<std::uint64_t>& come = meeting(member).step;
    wait_for(member, come, step);
    // Acquire: it has read what was handed out before.
    const std::uint64_t now = come.load(std::memory_order_acquire);
    least = is_before(now, least) ? now : least;
  }
  team_->all_came_to = least;
}

// Each look takes a line from a member that writes into it with each broadcast. So it is not only for the handout whose
// turn it is, but for as many of this member's as are half of all: then the next looks are that many broadcasts away.
void Party::make_room_for_handouts(std::uint64_t last) noexcept {
  const auto& mine = group::station(job::node().job, team_->slot, local(me_)).handouts;
  // Relaxed: this member's own word.
  await_takers(last, mine[(team_->handouts + kRoom - 1) % group::kHandouts].step.load(std::memory_order_relaxed));
  for (std::uint32_t k = 0; k < kRoom; ++k) {
    const group::Handout& next = mine[(team_->handouts + k) % group::kHandouts];
    expect_to_write(&next);
    expect_to_write(&next.words.back());
  }
}

void Party::hand_out(const void* bytes, std::size_t count) noexcept {
  group::Handout& handout = next_handout(me_);
  // Relaxed: this member's own word. Whoever had something to take then has come to that step when it is taken; before
  // the first time it is 0, where all are.
  const std::uint64_t last = handout.step.load(std::memory_order_relaxed);
  if (!have_all_come_to(last)) [[unlikely]] {
    make_room_for_handouts(last);
  }
  std::array<std::uint64_t, group::kHandoutWords> words;
  const std::size_t n = words_of(count);
  words[n - 1] = 0;
  std::memcpy(words.data(), bytes, count);
  for (std::size_t k = 0; k < n; ++k) {
    // Relaxed: shown by the step.
    handout.words[k].store(words[k], std::memory_order_relaxed);
  }
  // Release for the words.
  handout.step.store(base_ + 1, std::memory_order_release);
  sync::ring_unfenced(bell(me_));
}

void Party::take_handout(int member, void* to, std::size_t count) noexcept {
  const group::Handout& handout = next_handout(member);
  const std::size_t n = words_of(count);
  if (reached(handout.step, base_ + 1)) {
    // The root is ahead, so there are more.
    const auto& theirs = group::station(job::node().job, team_->slot, local(member)).handouts;
    for (std::uint32_t k = 0; k < kExpected; ++k) {
      const group::Handout& next = theirs[(team_->handouts + k) % group::kHandouts];
      __builtin_prefetch(&next);
      if (n >= kWordsOfALine) {
        __builtin_prefetch(&next.words.back());
      }
    }
  } else {
    wait_for(member, handout.step, base_ + 1);
  }
  std::array<std::uint64_t, group::kHandoutWords> words;
  for (std::size_t k = 0; k < n; ++k) {
    // Relaxed: the wait has acquired them, and they stay until this member has come to the step.
    words[k] = handout.words[k].load(std::memory_order_relaxed);
  }
  std::memcpy(to, words.data(), count);
  post(1);
}

}  // namespace weft::coll
