// What is told of shared pages: tables of the summary, and hints.
#include <algorithm>
#include <array>
#include <cstdio>

#include "report/pages.hpp"
#include "report/words.hpp"

namespace weft::report {
namespace {

using dsm::Count;

constexpr std::size_t kMostPes = 6;
constexpr std::size_t kMostMoved = 4;
constexpr std::size_t kFirstColumn = 14;
constexpr std::size_t kColumn = 9;
constexpr std::uint64_t kMany = 1000;
// Below this part of the PEs' time nothing is worth a word.
constexpr double kWorthAWord = 0.05;

template <std::size_t n>
std::string line(const std::string& name, const std::array<std::string, n>& cells) {
  std::string text = left(name, kFirstColumn);
  for (const std::string& cell : cells) text += right(cell, kColumn);
  return text + "\n";
}

std::string in_short(std::uint64_t value) {
  // A column has room for seven digits with their commas, less one.
  if (value < 1'000'000) return number(value);
  if (value < 1'000'000'000) return number(value / 1000) + "k";
  return number(value / 1'000'000) + "M";
}

std::string name_of(std::size_t pe) { return "PE " + std::to_string(pe); }

// The variable's, or where it begins.
std::string name_of(const MovedPages& moved) {
  if (!moved.name.empty()) return moved.name;
  char address[24];
  (void)std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(moved.address));
  return address;
}

std::string time_or_none(double value) { return value > 0 ? seconds(value) : "-"; }

std::string moves_of(const SharedPages& shared, const PagesOfPe& pe, const std::string& name) {
  return line<7>(name, {in_short(pe.count(Count::kReadFaults)), in_short(pe.count(Count::kWriteFaults)),
                        in_short(pe.came), bytes(pe.came * shared.page_bytes), in_short(pe.count(Count::kTwins)),
                        in_short(pe.count(Count::kSent)), bytes(pe.count(Count::kSentBytes))});
}

std::string waits_of(const PagesOfPe& pe, const std::string& name) {
  return line<7>(name, {time_or_none(pe.time(Count::kFaultTime)), time_or_none(pe.time(Count::kOrderTime)),
                        time_or_none(pe.time(Count::kLockTime)), time_or_none(pe.time(Count::kBarrierTime)),
                        in_short(pe.count(Count::kLocks)), in_short(pe.count(Count::kDropped)),
                        in_short(pe.count(Count::kClaimed))});
}

// All that there are if they are few; else those that waited longest.
std::vector<std::size_t> shown(const SharedPages& shared) {
  std::vector<std::size_t> order;
  for (std::size_t pe = 0; pe < shared.pes.size(); ++pe) {
    if (shared.pes[pe].known) order.push_back(pe);
  }
  if (order.size() <= kMostPes) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shared.pes[a].waited() > shared.pes[b].waited(); });
  order.resize(kMostPes);
  return order;
}

std::string moved_table(const SharedPages& shared) {
  if (shared.moved.empty()) return "";
  std::string text =
      left("\nmemory that moved", 33) + right("size", 10) + right("fetched", 11) + right("sent", 11) + "  most by\n";
  for (std::size_t k = 0; k < std::min(kMostMoved, shared.moved.size()); ++k) {
    const MovedPages& moved = shared.moved[k];
    text += left(tail(name_of(moved), 31), 32) + right(bytes(moved.bytes), 10) + right(in_short(moved.fetched), 11) +
            right(in_short(moved.sent), 11) + "  " +
            (moved.most_fetched > 0 ? name_of(static_cast<std::size_t>(moved.most)) : "-") + "\n";
  }
  return text;
}

// They have one memory: nothing moves, and what is left are locks and barriers.
std::string one_memory(const SharedPages& shared) {
  std::uint64_t locks = 0;
  std::uint64_t barriers = 0;
  double for_locks = 0;
  double for_barriers = 0;
  for (const PagesOfPe& pe : shared.pes) {
    locks += pe.count(Count::kLocks);
    barriers += pe.count(Count::kBarriers);
    for_locks += pe.time(Count::kLockTime);
    for_barriers += pe.time(Count::kBarrierTime);
  }
  std::string text = "\nShared memory: all PEs have the same, so no page moved";
  if (locks > 0) text += "; " + count_of(locks, "lock") + " taken, " + seconds(for_locks) + " waited";
  if (barriers > 0) text += "; " + count_of(barriers, "barrier") + ", " + seconds(for_barriers);
  return text + ".\n";
}

double all_time(const SharedPages& shared) {
  double sum = 0;
  for (const PagesOfPe& pe : shared.pes) sum += pe.seconds;
  return sum;
}

// What most of the pages are of that the PE has fetched.
std::string most_of(const SharedPages& shared, int pe, std::uint64_t came) {
  const auto most = std::find_if(shared.moved.begin(), shared.moved.end(), [&](const MovedPages& moved) {
    return moved.most == pe && moved.most_fetched > came / 2;
  });
  if (most == shared.moved.end()) return "";
  return " Most of what it fetched " +
         (most->name.empty() ? "lies from " + name_of(*most) + " on." : "is of " + most->name + ".");
}

// A PE gets most of its pages from one other. If it sends changes there too, it works on what is at home elsewhere.
void pages_of_one_home(const SharedPages& shared, std::vector<std::string>& found) {
  if (shared.fetched.empty()) return;
  const Pair& most = shared.fetched.front();
  const PagesOfPe& pe = shared.pes[static_cast<std::size_t>(most.from)];
  const double waited = pe.time(Count::kFaultTime) + pe.time(Count::kOrderTime);
  if (most.count < kMany || most.count < pe.came / 2 || waited < kWorthAWord * pe.seconds) return;
  const auto sent = std::find_if(shared.sent.begin(), shared.sent.end(),
                                 [&](const Pair& pair) { return pair.from == most.from && pair.to == most.to; });
  const std::string from = name_of(static_cast<std::size_t>(most.from));
  const std::string home = name_of(static_cast<std::size_t>(most.to));
  std::string text = from + " fetched " + count_of(most.count, "page") + " (" + bytes(most.bytes) +
                     ") that are at home at " + home + ", and waited " + seconds(waited) +
                     " for pages and what goes with them, " + percent(waited, pe.seconds) + " of its time";
  if (sent != shared.sent.end() && sent->count >= most.count / 2) {
    text += "; it sent changes of " + count_of(sent->count, "page") +
            " back. What it works on would be at home there if " +
            (shared.of_openmp ? "the threads that use it were the first to write it."
                              : "it were the first to write it, or by weft_shared_map.");
  } else if (!shared.of_openmp && pe.count(Count::kFetched) >= most.count / 2) {
    text += "; most came one by one, as they were touched. weft_shared_prefetch brings many at a time.";
  } else {
    text += ".";
  }
  found.push_back(text + most_of(shared, most.from, pe.came));
}

void locks(const SharedPages& shared, std::vector<std::string>& found) {
  double waited = 0;
  std::uint64_t taken = 0;
  for (const PagesOfPe& pe : shared.pes) {
    waited += pe.time(Count::kLockTime);
    taken += pe.count(Count::kLocks);
  }
  if (waited < kWorthAWord * all_time(shared)) return;
  if (taken == 0) return;
  found.push_back("PEs waited " + seconds(waited) + " for locks in shared memory, " +
                  percent(waited, all_time(shared)) + " of their time, and took " + number(taken) +
                  "; where one guards a single word, an atomic operation does without.");
}

void small_cache(const SharedPages& shared, std::vector<std::string>& found) {
  for (std::size_t pe = 0; pe < shared.pes.size(); ++pe) {
    const PagesOfPe& one = shared.pes[pe];
    const std::uint64_t evicted = one.count(Count::kEvicted);
    if (evicted < kMany || evicted < one.came / 2) continue;
    if (one.time(Count::kFaultTime) < kWorthAWord * one.seconds) continue;
    found.push_back(name_of(pe) + " let go of " + number(evicted) + " copies of pages for want of room, of " +
                    number(one.came) + " that came; WEFT_SHARED_CACHE makes room for more.");
    return;
  }
}

void too_many_pieces(const SharedPages& shared, std::vector<std::string>& found) {
  for (std::size_t pe = 0; pe < shared.pes.size(); ++pe) {
    const std::uint64_t closed = shared.pes[pe].count(Count::kClosed);
    if (closed == 0) continue;
    found.push_back(name_of(pe) + " took all access to its pages away " + count_of(closed, "time") +
                    ", as the kernel allows no more pieces of memory (vm.max_map_count); each time all that it uses "
                    "faults again.");
    return;
  }
}

}  // namespace

std::string pages_tables(const SharedPages& shared) {
  if (!shared.any()) return "";
  if (!shared.by_pages()) return one_memory(shared);
  const std::vector<std::size_t> order = shown(shared);
  std::string text = "\n" + line<7>("shared pages", {"reads", "writes", "fetched", "bytes", "twins", "sent", "bytes"});
  for (const std::size_t pe : order) text += moves_of(shared, shared.pes[pe], name_of(pe));
  text += "\n" + line<7>("waited for", {"pages", "order", "locks", "barriers", "# locks", "dropped", "claimed"});
  for (const std::size_t pe : order) text += waits_of(shared.pes[pe], name_of(pe));
  return text + moved_table(shared);
}

std::vector<std::string> pages_hints(const SharedPages& shared) {
  std::vector<std::string> found;
  pages_of_one_home(shared, found);
  locks(shared, found);
  small_cache(shared, found);
  too_many_pieces(shared, found);
  return found;
}

std::string pages_endings(const Profile& profile) {
  std::string text;
  for (std::size_t pe = 0; pe < profile.shared.pes.size(); ++pe) {
    const PagesOfPe& one = profile.shared.pes[pe];
    if (!one.known || one.ended || profile.pes[pe].threads > 0) continue;
    if (!text.empty()) return text + "... and so were others.\n";
    text = name_of(pe) + " was ended while it shared memory.\n";
  }
  return text;
}

}  // namespace weft::report
