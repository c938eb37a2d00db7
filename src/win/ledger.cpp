#include "win/ledger.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "job/node.hpp"
#include "lock/shared.hpp"
#include "win/held.hpp"

namespace weft::win {
namespace {

constexpr std::uint32_t kMost = 1000;

struct alignas(64) Ledger {
  lock::SharedLock lock;
  std::uint32_t count;
  Noted list[kMost];
};

Ledger* ledger_of(const Member& member) noexcept {
  // Relaxed: it was stored before the members met.
  const std::uint64_t place = !member.is_here() ? 0 : member.line->ledger.load(std::memory_order_relaxed);
  const bool good = place % alignof(Ledger) == 1 && job::node().own.holds(place - 1, sizeof(Ledger));
  return good ? reinterpret_cast<Ledger*>(job::node().own.at(member.number(), place - 1)) : nullptr;
}

class Open {
 public:
  explicit Open(const Member& member) noexcept : home_(member.pe), ledger_(ledger_of(member)) {
    if (ledger_ != nullptr) {
      lock::take(ledger_->lock, lock::Mode::kExclusive, home_);
      // Any PE can write to it.
      ledger_->count = std::min(ledger_->count, kMost);
    }
  }
  ~Open() {
    if (ledger_ != nullptr) {
      lock::let_go(ledger_->lock, lock::Mode::kExclusive, home_);
    }
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  explicit operator bool() const noexcept { return ledger_ != nullptr; }
  Noted* begin() noexcept { return ledger_->list; }
  Noted* end() noexcept { return ledger_->list + ledger_->count; }
  void add(const Noted& access) noexcept {
    if (ledger_->count < kMost) {
      ledger_->list[ledger_->count++] = access;
    }
  }
  void cut(const Noted* end) noexcept { ledger_->count = static_cast<std::uint32_t>(end - ledger_->list); }

 private:
  int home_;
  Ledger* ledger_;
};

bool is_same(const Noted& one, const Noted& other) noexcept {
  return one.from == other.from && one.to == other.to && one.pe == other.pe && one.touches == other.touches &&
         one.op == other.op && one.element == other.element && one.fence == other.fence;
}

}  // namespace

bool conflict(const Noted& one, const Noted& other) noexcept {
  if (one.fence != other.fence || one.from >= other.to || other.from >= one.to) {
    return false;
  }
  if (one.touches != other.touches || one.touches == Touches::kPuts) {
    return true;
  }
  if (one.touches == Touches::kGets || one.pe == other.pe) {
    return false;  // one after the other is how changes of one process are made
  }
  return one.element != other.element || (one.op != other.op && one.op != kAnyOp && other.op != kAnyOp);
}

bool note(const Member& member, const Noted& access, Noted* other) noexcept {
  Open ledger(member);
  if (!ledger) {
    return false;
  }
  bool is_known = false;
  for (const Noted& each : ledger) {
    if (conflict(access, each)) {
      *other = each;
      return true;
    }
    is_known = is_known || is_same(access, each);
  }
  if (!is_known) {
    ledger.add(access);
  }
  return false;
}

void forget(const Member& member, int pe) noexcept {
  if (Open ledger(member); ledger) {
    ledger.cut(std::remove_if(ledger.begin(), ledger.end(), [pe](const Noted& each) noexcept {
      return each.pe == static_cast<std::uint32_t>(pe) && each.fence == 0;
    }));
  }
}

std::vector<Noted> take_fenced(const Member& member, std::uint32_t fence) noexcept {
  std::vector<Noted> taken;
  if (Open ledger(member); ledger) {
    const auto is_earlier = [fence](const Noted& each) noexcept { return each.fence != 0 && each.fence != fence; };
    std::copy_if(ledger.begin(), ledger.end(), std::back_inserter(taken), is_earlier);
    ledger.cut(std::remove_if(ledger.begin(), ledger.end(), is_earlier));
  }
  return taken;
}

void* open_ledger() noexcept {
  void* const at = take(sizeof(Ledger));
  if (at != nullptr) {
    std::memset(at, 0, offsetof(Ledger, list));
  }
  return at;
}

std::uint64_t ledger_place(const void* ledger) noexcept {
  return ledger == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(ledger) - job::node().own.own().lo + 1;
}

}  // namespace weft::win
