#include "series.hpp"

#include <sched.h>
#include <algorithm>

namespace suite {
namespace {

constexpr std::size_t kGuard = 64;
constexpr unsigned char kGuardByte = 0xA5;
constexpr unsigned char kOldDest = 0x5C;
constexpr unsigned char kSpoiled = 0xDB;
constexpr unsigned char kTaken = 0x3C;

constexpr std::size_t kStaticBytes = std::size_t{1} << 18;
alignas(64) unsigned char static_room[2][kStaticBytes];  // one for each arena
int arenas_made = 0;

// For the watchdog. Two threads may say so; who says it last is heard.
void doing(const char* what) { __atomic_store_n(&check_step, what, __ATOMIC_RELAXED); }

// Off every alignment but the element's own.
std::size_t crooked(std::size_t element) { return (element == 16 ? 16 : element * 3) % 64; }

}  // namespace

std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

void fill_bytes(void* into, std::uint64_t seed, int member, std::size_t bytes) {
  const std::uint64_t start = mix(seed * 64 + static_cast<std::uint64_t>(member));
  unsigned char* at = static_cast<unsigned char*>(into);
  for (std::size_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = (start + i) * 0x9E3779B97F4A7C15u;
    std::memcpy(at + i, &word, std::min<std::size_t>(8, bytes - i));
  }
}

Arena::Arena(std::size_t heap_bytes) {
  REQUIRE(arenas_made < 2, "more arenas than static rooms");
  base_[0] = static_cast<unsigned char*>(shmem_align(64, heap_bytes));
  REQUIRE(base_[0] != NULL, "no memory for %zu bytes", heap_bytes);
  bytes_[0] = heap_bytes;
  base_[1] = static_room[arenas_made++];
  bytes_[1] = kStaticBytes;
  for (long*& words : psync_) words = new_psync(kWorkBytes);
  shmem_barrier_all();
}

// The second half is the source's, the first half is shared out to the targets.
unsigned char* Arena::take(Place place, std::size_t bytes) {
  const int kind = place == Place::statics && used_[1] + bytes <= bytes_[1] / 2 ? 1 : 0;
  REQUIRE(used_[kind] + bytes <= bytes_[kind] / 2, "the suite's arena is too small for %zu bytes", bytes);
  unsigned char* const room = base_[kind] + used_[kind];
  used_[kind] += (bytes + 63) / 64 * 64;
  return room;
}

unsigned char* Arena::source(Place place, std::size_t bytes) {
  const int kind = place == Place::statics && bytes <= bytes_[1] / 2 ? 1 : 0;
  REQUIRE(bytes <= bytes_[kind] / 2, "the suite's arena is too small for a source of %zu bytes", bytes);
  return base_[kind] + bytes_[kind] / 2;
}

void Series::add(const Step& step) {
  waiting_.push_back(step);
  std::size_t bytes = 0;
  for (const Step& each : waiting_) bytes += each.dest_bytes + 1024;
  if (waiting_.size() == kMostSteps || bytes > arena_.heap_bytes() / 2) run();
}

void Series::prepare(const Step& step) {
  Prepared one;
  one.step = step;
  const std::uint64_t choice = mix(seed_ * 8 + steps_.size() + 1000);
  const std::size_t shift = kGuard + crooked(step.element);
  unsigned char* const room =
      arena_.take(choice % 3 == 0 ? Place::statics : Place::heap, step.dest_bytes + 2 * kGuard + shift);
  one.dest = room + shift;
  one.source = step.in_place ? one.dest
                             : arena_.source(choice / 3 % 3 == 0 ? Place::statics : Place::heap,
                                             std::max(step.source_room, step.source_bytes) + 2 * kGuard + shift) +
                                   shift;
  std::memset(one.dest - kGuard, kGuardByte, kGuard);
  std::memset(one.dest, kOldDest, step.dest_bytes);
  std::memset(one.dest + step.dest_bytes, kGuardByte, kGuard);
  if (step.in_place) step.fill(one.dest);
  one.expected.assign(one.dest - kGuard, one.dest + step.dest_bytes + kGuard);
  step.expect(one.expected.data() + kGuard);
  steps_.push_back(std::move(one));
}

// Mostly on time; now and then one comes late, or gives its processor away.
void Series::be_late(std::size_t number) {
  const std::uint64_t who = mix(seed_ * 16 + number);
  const std::uint64_t how = mix(who + static_cast<std::uint64_t>(check_me) * 977);
  if (who % 4 == 0 && how % static_cast<std::uint64_t>(who_.size()) == 0) {
    usleep(static_cast<useconds_t>(50 + how / 64 % 400));
  } else if (how % 8 == 1) {
    volatile std::uint64_t spin = how / 8 % 20000;
    while (spin > 0) spin = spin - 1;
  } else if (how % 8 == 2) {
    sched_yield();
  }
}

// `is`: the target, or a copy of it, both with the guards.
void Series::compare(const Prepared& one, const unsigned char* is, const char* when) {
  const std::size_t n = one.step.dest_bytes;
  const unsigned char* const expected = one.expected.data();
  CHECK(std::memcmp(is, expected, kGuard) == 0, "%s, %s: bytes before dest have changed", when, one.step.what.c_str());
  CHECK(std::memcmp(is + kGuard + n, expected + kGuard + n, kGuard) == 0, "%s, %s: bytes behind dest have changed",
        when, one.step.what.c_str());
  is += kGuard;
  const unsigned char* const should_be = expected + kGuard;
  if (one.step.equal ? one.step.equal(is, should_be) : std::memcmp(is, should_be, n) == 0) return;
  std::size_t wrong = 0;
  while (wrong < n && is[wrong] == should_be[wrong]) ++wrong;
  const unsigned char seen = wrong < n ? is[wrong] : 0;
  CHECK(false, "%s, %s: dest differs from byte %zu of %zu on%s", when, one.step.what.c_str(), wrong, n,
        seen == kOldDest   ? " (still old)"
        : seen == kSpoiled ? " (a source already spoiled, or not yet filled)"
        : seen == kTaken   ? " (another member's target after its return)"
                           : "");
}

// Of a sum that depends on its order all members must have the same one.
void Series::compare_bits(const Prepared& one) {
  std::vector<unsigned char> theirs(one.step.dest_bytes);
  shmem_getmem(theirs.data(), one.dest, theirs.size(), who_.pes[0]);
  CHECK(one.step.same(one.dest, theirs.data()), "%s: other bits than on the first PE", one.step.what.c_str());
}

void Series::make(Prepared& one, std::size_t number) {
  const Step& step = one.step;
  std::vector<unsigned char> before;
  doing(step.what.c_str());
  if (!step.in_place) {
    // Until here a peer that reads too early finds what spoils its result.
    step.fill(one.source);
    std::memset(one.source - kGuard, kGuardByte, kGuard);
    std::memset(one.source + step.source_bytes, kGuardByte, kGuard);
    if (number % 2 == 1) before.assign(one.source - kGuard, one.source + step.source_bytes + kGuard);
  }
  // Every other target is this PE's again at once: nobody may still read from it or write to it.
  const bool take = !step.same && mix(seed_ * 32 + number * 8 + static_cast<std::uint64_t>(who_.me)) % 2 == 0;
  std::vector<unsigned char> taken(take ? one.expected.size() : 0);
  long* const psync = who_.active ? arena_.psync(number) : nullptr;
  const int answer = step.call(one.dest, one.source, psync);
  if (take) {
    std::memcpy(taken.data(), one.dest - kGuard, taken.size());
    std::memset(one.dest, kTaken, step.dest_bytes);
  }
  if (!step.in_place) {
    const bool unchanged = before.empty() || std::memcmp(before.data(), one.source - kGuard, before.size()) == 0;
    std::memset(one.source, kSpoiled, step.source_bytes);
    CHECK(unchanged, "%s: source or what is around it has changed", step.what.c_str());
  }
  CHECK_EQ(answer, 0, "%s: result", step.what.c_str());
  compare(one, take ? taken.data() : one.dest - kGuard, "on return");
  if (psync != nullptr) CHECK(is_restored(psync), "%s: pSync is not restored", step.what.c_str());
  if (take) {
    std::memset(one.expected.data() + kGuard, kTaken, step.dest_bytes);
    one.step.equal = nullptr;
  }
}

void Series::run() {
  if (waiting_.empty()) return;
  ++seed_;
  arena_.clear();
  for (const Step& step : waiting_) prepare(step);
  for (const Prepared& one : steps_) {
    if (!one.step.in_place) std::memset(one.source, kSpoiled, one.step.source_bytes);
  }
  doing("the synchronisation before a series");
  who_.sync();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    be_late(i);
    make(steps_[i], i);
  }
  doing("the synchronisation after a series");
  who_.sync();
  bool read = false;
  for (const Prepared& one : steps_) {
    compare(one, one.dest - kGuard, "at the end");
    if (one.step.same) compare_bits(one);
    read = read || one.step.same;
  }
  if (read) who_.sync();  // nobody prepares anew what others still read
  steps_.clear();
  waiting_.clear();
}

}  // namespace suite
