#include "dsm/owed.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "dsm/parts.hpp"
#include "dsm/protocol/pushes.hpp"
#include "dsm/pushes.hpp"
#include "dsm/state.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

struct Other {
  std::vector<Owed> owed;
  std::uint64_t told = 0;   // messages that have taken something along
  std::uint64_t heard = 0;  // the same of his
};
struct Debts {
  std::mutex mutex;  // the last one that anybody takes
  std::vector<Other> all;
  // For all that is announced, from now on. Written with the mutex. Relaxed where it is read without: who has not seen
  // it yet pays the next time.
  std::atomic<bool> waits = false;
  // How many are owed something. Relaxed: a thread knows what it has done itself, and who has synchronised with it.
  std::atomic<int> debtors = 0;

  // With the mutex.
  Other& other(int pe) {
    if (all.empty()) {
      all.resize(static_cast<std::size_t>(g.n_pes));
    }
    return all[static_cast<std::size_t>(pe)];
  }
  /// What those are owed whom a release does not leave out.
  template <class Each>
  void each_beside(int owed_to, Each&& each) {
    for (int pe = 0; pe < static_cast<int>(all.size()); ++pe) {
      if (!is_owed_to(owed_to, pe)) {
        each(other(pe).owed);
      }
    }
  }
  // Who waits for all leaves nobody out: what is owed already would else stay so while barriers follow each other.
  int leaves_out(int owed_to) const noexcept { return waits.load(std::memory_order_relaxed) ? kOweNobody : owed_to; }
  void count() noexcept {
    const auto is_owed = [](const Other& each) { return !each.owed.empty(); };
    debtors.store(static_cast<int>(std::count_if(all.begin(), all.end(), is_owed)), std::memory_order_relaxed);
  }
};
Debts& debts() noexcept {
  static Debts& made = *new Debts;  // handlers may come late
  return made;
}

bool is_elsewhere(int pe) noexcept { return job::g_node.here(pe) < 0; }

// The same pages, released again and again: their latest round says what the earlier ones do.
void add(std::vector<Owed>& to, const Owed& owed) noexcept {
  const auto same = std::find_if(to.begin(), to.end(), [&](const Owed& each) {
    return each.run.first == owed.run.first && each.run.pages == owed.run.pages;
  });
  if (same != to.end()) {
    same->round = std::max(same->round, owed.round);
  } else {
    to.push_back(owed);
  }
}

void merge_runs(std::vector<Run>* runs) noexcept {
  std::sort(runs->begin(), runs->end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const Run run : *runs) {
    Run* const last = kept > 0 ? &(*runs)[kept - 1] : nullptr;
    if (last != nullptr && run.first <= protocol::end_of(*last)) {
      last->pages = std::max(protocol::end_of(*last), protocol::end_of(run)) - last->first;
    } else {
      (*runs)[kept++] = run;
    }
  }
  runs->resize(kept);
}

}  // namespace

constinit std::atomic<bool> g_some_take_part = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool t_takes_part = false;

void take_part() noexcept {
  t_takes_part = true;
  g_some_take_part.store(true, std::memory_order_relaxed);
}

bool owe(int owed_to, std::span<const Run> runs, std::uint64_t round) noexcept {
  if (owed_to == kOweNobody) {
    return true;
  }
  Debts& here = debts();
  const std::scoped_lock lock(here.mutex);
  if (here.waits.load(std::memory_order_relaxed)) {
    return false;
  }
  std::vector<std::pair<int, std::vector<Owed>>> changed;
  for (int pe = 0; pe < g.n_pes; ++pe) {
    if (!is_elsewhere(pe) || !is_owed_to(owed_to, pe)) {
      continue;
    }
    std::vector<Owed> owed = here.other(pe).owed;
    for (const Run run : runs) {
      add(owed, {run, round});
      if (owed.size() > kMostOwed) {
        return false;
      }
    }
    changed.emplace_back(pe, std::move(owed));
  }
  for (auto& [pe, owed] : changed) {
    here.other(pe).owed = std::move(owed);
  }
  here.count();
  return true;
}

bool owes_beside(int owed_to) noexcept {
  Debts& here = debts();
  owed_to = here.leaves_out(owed_to);
  if (here.debtors.load(std::memory_order_relaxed) == 0 || owed_to == kOweAll) {
    return false;
  }
  const std::scoped_lock lock(here.mutex);
  bool owes = false;
  here.each_beside(owed_to, [&](const std::vector<Owed>& owed) { owes = owes || !owed.empty(); });
  return owes;
}

void collect_owed(int owed_to, std::vector<Run>* runs) noexcept {
  Debts& here = debts();
  if (here.debtors.load(std::memory_order_relaxed) == 0 || owed_to == kOweAll) {
    return;
  }
  const std::size_t before = runs->size();
  {
    const std::scoped_lock lock(here.mutex);
    here.each_beside(owed_to, [&](const std::vector<Owed>& owed) {
      for (const Owed& each : owed) {
        runs->push_back(each.run);
      }
    });
  }
  if (runs->size() != before) {
    merge_runs(runs);  // many PEs are owed the same
  }
}

void forget_paid(int owed_to) noexcept {
  Debts& here = debts();
  if (here.debtors.load(std::memory_order_relaxed) == 0) {
    return;
  }
  const std::scoped_lock lock(here.mutex);
  here.each_beside(owed_to, [](std::vector<Owed>& owed) { owed.clear(); });
  here.count();
}

std::size_t take_owed(int pe, std::span<Owed, kMostOwed> into) noexcept {
  Debts& here = debts();
  if (here.debtors.load(std::memory_order_relaxed) == 0) {
    return 0;
  }
  const std::scoped_lock lock(here.mutex);
  Other& to = here.other(pe);
  const std::size_t n = to.owed.size();
  if (n > 0) {
    std::copy(to.owed.begin(), to.owed.end(), into.begin());
    to.owed.clear();
    ++to.told;
    here.count();
  }
  return n;
}

bool hear(int pe, std::span<const Owed> owed) noexcept {
  if (owed.empty()) {
    return true;
  }
  if (pe < 0 || pe >= g.n_pes || !is_elsewhere(pe)) {
    return false;
  }
  for (const Owed& each : owed) {
    if (each.run.pages == 0 || each.run.first >= g.pages || each.run.pages > g.pages - each.run.first) {
      return false;
    }
  }
  Notices& theirs = *notices_of(pe);
  for (const Owed& each : owed) {
    note_announced(pe, each.run, each.round);
    theirs.add(each.run);
  }
  (void)theirs.publish();
  Debts& here = debts();
  const std::scoped_lock lock(here.mutex);
  ++here.other(pe).heard;
  return true;
}

// Who is between owe() and take_owed() now is owed, or told; and nobody comes to owe() any more.
Settled settle(int pe, std::uint64_t told) noexcept {
  Debts& here = debts();
  const std::scoped_lock lock(here.mutex);
  here.waits.store(true, std::memory_order_relaxed);
  const Other& other = here.other(pe);
  return {other.told, other.owed.empty() && other.heard >= told};
}

std::uint64_t told_along(int pe) noexcept {
  Debts& here = debts();
  const std::scoped_lock lock(here.mutex);
  return here.other(pe).told;
}

std::uint64_t heard_along(int pe) noexcept {
  Debts& here = debts();
  const std::scoped_lock lock(here.mutex);
  return here.other(pe).heard;
}

void forget_owed() noexcept {
  Debts& here = debts();
  const std::scoped_lock lock(here.mutex);
  here.all.clear();
  here.waits.store(false, std::memory_order_relaxed);
  here.debtors.store(0, std::memory_order_relaxed);
}

}  // namespace weft::dsm
