#include "report/hints.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "calls/calls.hpp"
#include "report/pages.hpp"
#include "report/windows.hpp"
#include "report/words.hpp"

namespace weft::report {
namespace {

// Below this part of the PEs' time nothing is worth a word.
constexpr double kWorthAWord = 0.05;
constexpr std::uint64_t kMany = 1000;

using Hint = std::optional<std::string>;

bool matters(const Profile& profile, double seconds) { return seconds > kWorthAWord * profile.life(); }

// One PE keeps the others waiting. By the seconds: who comes last to most meetings may be last by nothing.
Hint one_comes_last(const Profile& profile) {
  std::vector<double> waited_for(profile.pes.size());
  double all = 0;
  for (const Late& late : profile.late) {
    waited_for[static_cast<std::size_t>(late.last)] += late.seconds;
    all += late.seconds;
  }
  const auto most = std::max_element(waited_for.begin(), waited_for.end());
  // By chance the others would wait for each as long.
  const double by_chance = 1.0 / profile.n_pes();
  if (most == waited_for.end() || *most < (0.5 + by_chance / 2) * all || !matters(profile, *most)) return {};
  const auto pe = static_cast<std::size_t>(most - waited_for.begin());
  return "the others waited " + seconds(*most) + " for PE " + std::to_string(pe) + ", of " + seconds(all) +
         " that PEs waited for the last to come to barriers and collectives; it came last to " +
         percent(static_cast<double>(profile.times_last[pe]), static_cast<double>(profile.meetings[pe])) + " of " +
         number(profile.meetings[pe]) + ". Has it more to do than they?";
}

// Receives wait, and mostly for messages of one PE.
Hint one_sends_late(const Profile& profile) {
  std::vector<double> waited_for(profile.pes.size());
  double all = 0;
  std::uint64_t receives = 0;
  for (const Late& late : profile.senders) {
    waited_for[static_cast<std::size_t>(late.last)] += late.seconds;
    all += late.seconds;
    receives += late.count;
  }
  const auto most = std::max_element(waited_for.begin(), waited_for.end());
  const double by_chance = 1.0 / profile.n_pes();
  if (most == waited_for.end() || *most < (0.5 + by_chance / 2) * all || !matters(profile, *most)) return {};
  return "messages of PE " + std::to_string(most - waited_for.begin()) + " came late: others waited " + seconds(*most) +
         " for them, of " + seconds(all) + " that " + count_of(receives, "receive") +
         " waited for messages that were not there. Can it send earlier?";
}

// Waiting, but nobody in particular is waited for.
Hint all_wait(const Profile& profile) {
  if (profile.waiting() < 0.5 * profile.life() || profile.places.empty()) return {};
  const auto waits = [](const Place& place) { return profile::waits(place.kind); };
  const auto place = std::find_if(profile.places.begin(), profile.places.end(), waits);
  if (place == profile.places.end()) return {};
  return "The PEs spend " + percent(profile.waiting(), profile.life()) + " of their time waiting for each other; " +
         percent(place->all.seconds, profile.waiting()) + " of that in " + place->routine + " (" + place->where + ").";
}

Hint crowded(const Profile& profile) {
  if (profile.processors == 0 || profile.n_pes() <= profile.processors || !matters(profile, profile.waiting()))
    return {};
  return std::to_string(profile.n_pes()) + " PEs share " +
         count_of(static_cast<std::uint64_t>(profile.processors), "processor") +
         ": a part of the waiting is for a turn to run, not for the other PEs.";
}

struct Small {
  std::uint64_t small = 0;
  std::uint64_t all = 0;
  double seconds = 0;
};

// Transfers of no more than a word.
Small small_ones(const std::vector<SizeClass>& classes) {
  Small found;
  for (const SizeClass& one : classes) {
    found.all += one.all.count;
    if (one.from > 8) continue;
    found.small += one.all.count;
    found.seconds += one.all.seconds;
  }
  return found;
}

Hint many_small(const Profile& profile, Kind kind, const char* what, const char* instead) {
  const Small found = small_ones(profile.sizes[index_of(kind)]);
  if (found.all < 10 * kMany || found.small < found.all / 2 || !matters(profile, found.seconds)) return {};
  return percent(static_cast<double>(found.small), static_cast<double>(found.all)) + " of " + number(found.all) + " " +
         what + " carry less than 16 bytes and take " + percent(found.seconds, profile.life()) +
         " of the time (as measured): " + instead;
}

Hint quiet_for_each(const Profile& profile) {
  const Tally quiet = profile.of(Kind::kOrder);
  const std::uint64_t puts = profile.of(Kind::kPut).count;
  if (quiet.count < kMany || puts == 0 || quiet.count < puts - puts / 10 || !matters(profile, quiet.seconds)) return {};
  return number(quiet.count) + " calls of shmem_quiet or shmem_fence for " + count_of(puts, "put") +
         ": one after many puts does the same.";
}

Hint polling(const Profile& profile) {
  Tally tests;
  for (const Routine& routine : profile.routines) {
    if (routine.name.find("_test") != std::string::npos && routine.kind == Kind::kQuery) tests.add(routine.all);
  }
  if (tests.count < 10 * kMany || !matters(profile, tests.seconds)) return {};
  return number(tests.count) +
         " calls of shmem_test and its kin: shmem_wait_until would leave the processor to others.";
}

Hint locks(const Profile& profile) {
  const Tally lock = profile.of(Kind::kLock);
  // Of windows the hint is that which names the one.
  if (!matters(profile, lock.seconds) || !windows_hint(profile).empty()) return {};
  return "Locks take " + percent(lock.seconds, profile.life()) +
         " of the time; where one guards a single word, an atomic operation does without.";
}

Hint one_target(const Profile& profile) {
  if (profile.n_pes() < 4) return {};
  std::vector<std::uint64_t> to(profile.pes.size());
  std::uint64_t all = 0;
  for (const auto kind : {Kind::kPut, Kind::kGet}) {
    for (const Pair& pair : profile.pairs[index_of(kind)]) {
      if (pair.from == pair.to) continue;
      to[static_cast<std::size_t>(pair.to)] += pair.bytes;
      all += pair.bytes;
    }
  }
  const auto most = std::max_element(to.begin(), to.end());
  if (all < (std::uint64_t{1} << 20) || *most < all / 2) return {};
  const double moving = profile.of(Kind::kPut).seconds + profile.of(Kind::kGet).seconds;
  if (!matters(profile, moving)) return {};
  return percent(static_cast<double>(*most), static_cast<double>(all)) +
         " of all bytes that PEs put and get lie on PE " + std::to_string(most - to.begin()) +
         "; spread over several, more could move at a time.";
}

Hint heap_full(const Profile& profile) {
  for (std::size_t pe = 0; pe < profile.pes.size(); ++pe) {
    const Pe& one = profile.pes[pe];
    if (one.heap_bytes == 0 || one.heap_peak < one.heap_bytes / 10 * 9) continue;
    return "PE " + std::to_string(pe) + " had " + bytes(one.heap_peak) + " of " + bytes(one.heap_bytes) +
           " symmetric heap in use; SHMEM_SYMMETRIC_SIZE makes it larger.";
  }
  return {};
}

Hint uncounted(const Profile& profile) {
  if (profile.lost_threads == 0) return {};
  return count_of(profile.lost_threads, "thread") +
         " found no room in the recording; what they did is not in this profile.";
}

}  // namespace

std::vector<std::string> hints(const Profile& profile) {
  std::vector<std::string> found;
  // Advice that names routines and variables is for programs that have them.
  const bool is_shmem = std::string_view(calls::interface_name(profile.interface)) == "OpenSHMEM";
  const auto shmem = [&](const Hint& hint) { return is_shmem ? hint : Hint{}; };
  const Hint last = one_comes_last(profile);
  const Hint sender = one_sends_late(profile);
  for (const Hint& hint : {last, sender, last || sender ? Hint{} : all_wait(profile), crowded(profile),
                           shmem(many_small(profile, Kind::kPut, "puts",
                                            "one shmem_putmem, or shmem_iput, for many elements costs far less.")),
                           shmem(many_small(profile, Kind::kGet, "gets",
                                            "one shmem_getmem, or shmem_iget, for many elements costs far less.")),
                           shmem(quiet_for_each(profile)), shmem(polling(profile)), locks(profile), one_target(profile),
                           shmem(heap_full(profile)), uncounted(profile)}) {
    if (hint) found.push_back(*hint);
  }
  if (std::string hint = windows_hint(profile); !hint.empty()) found.push_back(std::move(hint));
  for (std::string& hint : pages_hints(profile.shared)) found.push_back(std::move(hint));
  return found;
}

}  // namespace weft::report
