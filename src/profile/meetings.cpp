#include "profile/meetings.hpp"

namespace weft::profile {
namespace {

constexpr int kTickBits = 4;  // that are left out of a word
constexpr std::uint64_t kPeMask = (1U << Meetings::kPeBits) - 1;

// Never 0. The three numbers are below 4096, the stride possibly negative.
constexpr std::uint64_t key_of(const Members& members) {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(members.first) << 40 |
         static_cast<std::uint64_t>(members.stride & 0xffff) << 20 | static_cast<std::uint64_t>(members.size);
}

}  // namespace

int MeetingBook::find_group(const Members& members) noexcept {
  const std::uint64_t key = key_of(members);
  const auto start = static_cast<unsigned>((key * 0x9e3779b97f4a7c15) >> 40) % Meetings::kGroups;
  for (unsigned step = 0; step < Meetings::kGroups; ++step) {
    const unsigned at = (start + step) % Meetings::kGroups;
    // Relaxed: the key is all that is exchanged.
    std::uint64_t found = shared_->groups[at].key.load(std::memory_order_relaxed);
    if (found == 0 && shared_->groups[at].key.compare_exchange_strong(found, key, std::memory_order_relaxed)) {
      found = key;
    }
    if (found == key) {
      return static_cast<int>(at);
    }
  }
  shared_->crowded.fetch_add(1, std::memory_order_relaxed);
  return -1;
}

MeetingBook::Ticket MeetingBook::come(const Members& members, std::uint64_t now) noexcept {
  if (shared_ == nullptr || members.size < 2) {
    return {};
  }
  const int group = find_group(members);
  if (group < 0) {
    return {};
  }
  const std::uint64_t origin = shared_->origin.load(std::memory_order_relaxed);
  const std::uint64_t since = now > origin ? now - origin : 0;
  const std::uint32_t number = meetings_[group].fetch_add(1, std::memory_order_relaxed);
  const Ticket ticket{group, static_cast<int>(number % Meetings::kRounds), now};
  const std::uint64_t mine =
      (since >> kTickBits) << Meetings::kPeBits | static_cast<std::uint64_t>(static_cast<unsigned>(me_));
  std::atomic<std::uint64_t>& word = shared_->groups[group].last[ticket.round];
  std::uint64_t there = word.load(std::memory_order_relaxed);
  // Relaxed: the meeting itself orders this before what the others read when they leave.
  while (there < mine && !word.compare_exchange_weak(there, mine, std::memory_order_relaxed)) {
  }
  return ticket;
}

MeetingBook::Last MeetingBook::leave(const Ticket& ticket) const noexcept {
  if (ticket.group < 0) {
    return {};
  }
  const std::uint64_t word = shared_->groups[ticket.group].last[ticket.round].load(std::memory_order_relaxed);
  const int pe = static_cast<int>(word & kPeMask);
  const std::uint64_t came = shared_->origin.load(std::memory_order_relaxed) + (word >> Meetings::kPeBits << kTickBits);
  return {pe, pe != me_ && came > ticket.came ? came - ticket.came : 0};
}

}  // namespace weft::profile
