#include "coll/pull/halves.hpp"

#include <atomic>

#include "coll/pull/pulls.hpp"
#include "job/node.hpp"
#include "reach/neighbours.hpp"

namespace weft::coll {
namespace {

// Below it the address of the target comes later than half of the bytes.
constexpr std::size_t kLeastInHalves = std::size_t{256} << 10;
constexpr std::size_t kPage = 4096;

// Which of the words.
enum : unsigned { kAddress, kBytes, kCookie };
constexpr unsigned kVerdict = 0;

// This process was refused to reach another one's memory, which seldom changes: it copies no half in vain again. Each
// tells the other one in the words that they exchange anyway, so both go the same way. Relaxed: a hint.
constinit std::atomic<bool> g_refused{false};

reach::Place exchange_places(Party& party, int other, const reach::Place& mine) noexcept {
  party.next_stage();
  std::atomic<std::uint64_t>* words = party.to_show();
  // Relaxed: exchange() publishes them, and has acquired the other one's.
  words[kAddress].store(mine.address, std::memory_order_relaxed);
  words[kBytes].store(mine.bytes, std::memory_order_relaxed);
  words[kCookie].store(mine.cookie, std::memory_order_relaxed);
  party.exchange();
  const std::atomic<std::uint64_t>* theirs = party.shown(other);
  return {theirs[kAddress].load(std::memory_order_relaxed), theirs[kBytes].load(std::memory_order_relaxed),
          theirs[kCookie].load(std::memory_order_relaxed)};
}

bool both_have_copied(Party& party, int other, bool copied) noexcept {
  party.next_stage();
  // Relaxed, as above.
  party.to_show()[kVerdict].store(copied ? 0 : 1, std::memory_order_relaxed);
  party.exchange();
  return copied && party.shown(other)[kVerdict].load(std::memory_order_relaxed) == 0;
}

}  // namespace

// With a processor each: who shares one would take it from the other.
bool goes_in_halves(const Party& party, std::size_t bytes, Reached reached) noexcept {
  return party.size() == 2 && bytes >= kLeastInHalves && reached == Reached::kShown && !job::node().crowded &&
         !goes_by_stages(party, reached, bytes, Reads::one);
}

bool broadcast_in_halves(Party& party, void* at, std::size_t bytes, bool offers) noexcept {
  const int other = party.after(1);
  const int local = party.local(other);
  reach::Self& self = reach::neighbours().offer();
  const bool was_refused = g_refused.load(std::memory_order_relaxed);
  const reach::Place mine = was_refused ? reach::Place{} : self.show(at, bytes, !offers);
  const reach::Place theirs = exchange_places(party, other, mine);
  if (mine.bytes == 0 || theirs.bytes == 0) {
    if (!was_refused) {
      self.take_back(mine);
    }
    return false;
  }
  const std::size_t half = bytes / 2 / kPage * kPage;
  reach::Peer* const peer = reach::neighbours().peer(local, job::node().pe_of(local));
  bool copied = false;
  bool is_refused = peer == nullptr;
  if (peer != nullptr) {
    const reach::Moved moved = offers ? peer->write(theirs, half, static_cast<std::byte*>(at) + half, bytes - half)
                                      : peer->read(at, theirs, 0, half);
    copied = moved.outcome == reach::Outcome::kDone;
    is_refused = moved.outcome == reach::Outcome::kForbidden;
  }
  if (is_refused) {
    g_refused.store(true, std::memory_order_relaxed);
  }
  const bool all = both_have_copied(party, other, copied);
  self.take_back(mine);
  return all;
}

}  // namespace weft::coll
