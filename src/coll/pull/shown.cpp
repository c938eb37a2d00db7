#include "coll/pull/shown.hpp"

#include <cstring>

#include "copy/copy.hpp"
#include "memory/fault.hpp"
#include "os/guarded_copy.hpp"

namespace weft::coll {
namespace {

// Which of the words.
enum : unsigned { kAddress, kBytes, kCookie };
constexpr unsigned kVerdict = 0;

}  // namespace

Shown::Shown(Party& party, const void* source, std::size_t bytes, int owner) noexcept
    : party_(party),
      // Before the words below: who sees those finds this process's card.
      self_(reach::neighbours().offer()),
      place_(self_.show(source, bytes, false)) {
  party.next_stage();
  if (owner != kEverybody && party.may_hand_out(sizeof(reach::Place))) {
    hand_out(owner);
  } else {
    exchange();
  }
}

void Shown::exchange() noexcept {
  std::atomic<std::uint64_t>* words = party_.to_show();
  // Relaxed, here and below: exchange() publishes them, and has acquired those of others.
  words[kAddress].store(place_.address, std::memory_order_relaxed);
  words[kBytes].store(place_.bytes, std::memory_order_relaxed);
  words[kCookie].store(place_.cookie, std::memory_order_relaxed);
  party_.exchange();
}

// Where processors are shared, a meeting takes a turn of each member; this takes one of the owner.
void Shown::hand_out(int owner) noexcept {
  handed_out_ = true;
  if (party_.me() == owner) {
    party_.hand_out(&place_, sizeof place_);
  } else {
    party_.take_handout(owner, &owners_, sizeof owners_);
  }
}

Shown::~Shown() noexcept { self_.take_back(place_); }

bool Shown::read(void* to, int member, std::size_t offset, std::size_t bytes) noexcept {
  if (own_ != 0) {
    return false;
  }
  const int local = party_.local(member);
  reach::Peer* peer = reach::neighbours().peer(local, job::node().pe_of(local));
  if (peer == nullptr) {
    own_ = kFailed;
    return false;
  }
  reach::Place place = owners_;
  if (!handed_out_) {
    const std::atomic<std::uint64_t>* words = party_.shown(member);
    place = {words[kAddress].load(std::memory_order_relaxed), words[kBytes].load(std::memory_order_relaxed),
             words[kCookie].load(std::memory_order_relaxed)};
  }
  switch (peer->read(to, place, offset, bytes).outcome) {
    case reach::Outcome::kDone: return true;
    case reach::Outcome::kOwnMissing:
      party_.miss({to, bytes, job::node().pe_of(local)});
      own_ = kNoTarget;
      break;
    case reach::Outcome::kForbidden: own_ = kFailed | kForbidden; break;
    case reach::Outcome::kUnmapped: own_ = kFailed | kDoubtful; break;
    // A PE that has ended is found by the waits that follow, which say so once.
    case reach::Outcome::kGone:
    case reach::Outcome::kFailed: own_ = kFailed; break;
  }
  return false;
}

bool Shown::all_have_read() noexcept {
  const std::uint64_t told = own_ & ~kNoTarget;
  party_.next_stage();
  party_.to_show()[kVerdict].store(told, std::memory_order_relaxed);
  party_.exchange();
  for (int member = 0; member < party_.size(); ++member) {
    all_ |= member == party_.me() ? told : party_.shown(member)[kVerdict].load(std::memory_order_relaxed);
  }
  if ((all_ & kForbidden) != 0) {
    party_.read_by_stages();
  }
  if ((all_ & kDoubtful) != 0) {
    memory::catch_faults();
  }
  return all_ == 0;
}

void copy_doubtful(Party& party, void* to, const void* from, std::size_t bytes) noexcept {
  if (os::guarded_copy(to, from, bytes, copy::known(to, from, bytes)) != os::Fault::kNone) {
    party.miss({from, bytes, Party::Missing::kNobody});
    std::memset(to, 0, bytes);
  }
}

}  // namespace weft::coll
