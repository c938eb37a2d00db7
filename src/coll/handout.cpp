// Small broadcasts: the root leaves the bytes in its own station, with the step of the call, and goes on.
#include <array>
#include <cstring>

#include "coll/party.hpp"

namespace weft::coll {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

constexpr std::size_t words_of(std::size_t bytes) noexcept { return (bytes + kWord - 1) / kWord; }

}  // namespace

// A station of one call is given back when that ends, whoever has still to look.
bool Party::may_hand_out(std::size_t bytes) const noexcept {
  return bytes <= group::kHandoutWords * kWord && team_ != nullptr && team_->steady && counter_ == &team_->step;
}

group::Handout& Party::next_handout(int member) noexcept {
  return group::station(job::node().job, team_->slot, local(member)).handouts[team_->handouts++ % group::kHandouts];
}

void Party::hand_out(const void* bytes, std::size_t count) noexcept {
  group::Handout& handout = next_handout(me_);
  // Relaxed: this member's own word. Whoever had something to take then has come to that step when it is taken; before
  // the first time it is 0, where all are.
  const std::uint64_t last = handout.step.load(std::memory_order_relaxed);
  for (int distance = 1; distance < size_; ++distance) {
    const int member = after(distance);
    wait_for(member, meeting(member).step, last);
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
  wait_for(member, handout.step, base_ + 1);
  std::array<std::uint64_t, group::kHandoutWords> words;
  const std::size_t n = words_of(count);
  for (std::size_t k = 0; k < n; ++k) {
    // Relaxed: the wait has acquired them, and they stay until this member has come to the step.
    words[k] = handout.words[k].load(std::memory_order_relaxed);
  }
  std::memcpy(to, words.data(), count);
  post(1);
}

}  // namespace weft::coll
