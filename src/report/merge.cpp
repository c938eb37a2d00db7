#include "report/merge.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <tuple>

#include "calls/calls.hpp"
#include "profile/clock.hpp"
#include "report/pages.hpp"
#include "report/time_line.hpp"
#include "report/windows.hpp"

namespace weft::report {
namespace {

using profile::Header;
using profile::Scale;
using profile::Site;
using profile::ThreadPart;

constexpr double kSecond = 1e9;

// The moments of the job that all times are counted from and to, CLOCK_MONOTONIC.
struct Span {
  double begin = 0;
  double end = 0;
};

Scale scale_of(const Header& header) { return {header.first, header.latest}; }

Span span_of(const Raw& raw) {
  Span span;
  bool all_ended = true;
  for (const RawPe& pe : raw.pes) {
    if (pe.header == nullptr) continue;
    const Scale scale = scale_of(*pe.header);
    const auto begin = static_cast<double>(pe.header->first.ns);
    span.begin = span.begin == 0 ? begin : std::min(span.begin, begin);
    all_ended = all_ended && pe.header->end != 0;
    span.end = std::max({span.end, begin, pe.header->end == 0 ? 0 : scale.at(pe.header->end)});
    for (const ThreadPart* part : pe.parts) {
      span.end = std::max(span.end, scale.at(part->seen));
      if (part->inside_site != profile::kNotInside) span.end = std::max(span.end, scale.at(part->inside_since));
    }
  }
  // Who was killed in a wait could not note when that was.
  if (!all_ended) span.end = std::max(span.end, static_cast<double>(raw.ended_ns));
  return span;
}

class Merger {
 public:
  Merger(const Raw& raw, const Span& span) : raw_(raw), span_(span) {}

  Profile make() {
    profile_.seconds = (span_.end - span_.begin) / kSecond;
    const std::size_t n = raw_.pes.size();
    profile_.pes.resize(n);
    profile_.meetings.resize(n);
    profile_.times_last.resize(n);
    std::bitset<profile::kProcessorWords * 64> processors;
    TimeLines lines(static_cast<int>(n), profile_.seconds);
    for (std::size_t pe = 0; pe < n; ++pe) {
      if (raw_.pes[pe].header == nullptr) continue;
      take_pe(static_cast<int>(pe), raw_.pes[pe], lines);
      for (std::size_t bit = 0; bit < processors.size(); ++bit) {
        if ((raw_.pes[pe].header->processors[bit / 64] >> (bit % 64) & 1) != 0) processors.set(bit);
      }
    }
    profile_.processors = static_cast<int>(processors.count());
    merge_pages(raw_, &profile_);
    merge_windows(raw_, &profile_);
    lines.give(profile_);
    sort_all();
    return std::move(profile_);
  }

 private:
  void take_pe(int number, const RawPe& raw, TimeLines& lines) {
    const Header& header = *raw.header;
    if (profile_.program.empty()) {
      profile_.program = header.program;
      profile_.host = header.host;
      profile_.interface = header.interface;
      profile_.started_at = header.started_at;
      profile_.uses_tsc = header.uses_tsc != 0;
    }
    const Scale scale = scale_of(header);
    Pe& pe = profile_.pes[static_cast<std::size_t>(number)];
    pe.pid = header.pid;
    pe.end = header.state == profile::State::kFinalised ? End::kFinalised
             : header.end != 0                          ? End::kExited
                                                        : End::kKilled;
    pe.begin = (static_cast<double>(header.first.ns) - span_.begin) / kSecond;
    pe.heap_peak = header.heap_peak;
    pe.heap_bytes = header.heap_bytes;
    take_ways(header);
    profile_.lost_threads += header.lost_threads.load(std::memory_order_relaxed);
    const Clocked clocked{number, scale, span_.begin, header.end != 0 ? scale.at(header.end) : span_.end};
    for (std::size_t thread = 0; thread < raw.parts.size(); ++thread) {
      take_part(clocked, header, *raw.parts[thread], static_cast<int>(thread), lines);
    }
  }

  void take_part(const Clocked& clocked, const Header& header, const ThreadPart& part, int thread, TimeLines& lines) {
    Pe& pe = profile_.pes[static_cast<std::size_t>(clocked.pe)];
    constexpr std::uint32_t kMostUsed = 1U << 20;  // enough, and the sum stays a number
    pe.threads += static_cast<int>(std::min(part.used, kMostUsed));
    pe.busy += clocked.seconds(part.busy_ticks);
    pe.waiting += clocked.seconds(part.wait_ticks);
    pe.life += clocked.seconds(part.life_ticks);
    if (part.owned.load(std::memory_order_relaxed) != 0) {
      pe.life +=
          std::max(0.0, std::max(clocked.end, clocked.scale.at(part.seen)) - clocked.scale.at(part.began)) / kSecond;
    }
    std::vector<int> places(profile::kSites, -1);
    for (std::uint32_t slot = 0; slot < profile::kSites; ++slot) {
      if (part.sites[slot].call != 0) places[slot] = take_site(clocked, header, part.sites[slot]);
    }
    take_sizes(clocked, part);
    take_peers(clocked, part);
    lines.take(clocked, header, part, thread, places);
    if (part.inside_site < profile::kSites && part.sites[part.inside_site].call != 0) {
      take_unfinished(clocked, part, places[part.inside_site], lines);
    }
  }

  int take_site(const Clocked& clocked, const Header& header, const Site& site) {
    const Tally tally{site.count, site.bytes, clocked.seconds(site.ticks), clocked.seconds(site.shortest),
                      clocked.seconds(site.longest)};
    const auto pe = static_cast<std::size_t>(clocked.pe);
    Routine& routine = routine_of(site);
    routine.all.add(tally);
    routine.counts[pe] += tally.count;
    routine.seconds[pe] += tally.seconds;
    profile_.pes[pe].seconds[index_of(routine.kind)] += tally.seconds;
    const int number = place_of(header, site, routine);
    add_to_place(number, clocked.pe, tally);
    return number;
  }

  void add_to_place(int number, int pe, const Tally& tally) {
    Place& place = profile_.places[static_cast<std::size_t>(number)];
    place.all.add(tally);
    double& here = seconds_at_[{number, pe}];
    if (here == 0) ++place.pes;
    here += tally.seconds + 1e-12;  // that one has been here shows even if it took no time
    if (here > place.slowest_seconds) {
      place.slowest = pe;
      place.slowest_seconds = here;
    }
  }

  Routine& routine_of(const Site& site) {
    const auto [at, is_new] = routines_.try_emplace(site.call, profile_.routines.size());
    if (is_new) {
      Routine& routine = profile_.routines.emplace_back();
      routine.name = calls::name_of(site.call);
      routine.kind = static_cast<Kind>(site.kind);
      routine.counts.resize(raw_.pes.size());
      routine.seconds.resize(raw_.pes.size());
    }
    return profile_.routines[at->second];
  }

  int place_of(const Header& header, const Site& site, const Routine& routine) {
    const std::string module = site.module < header.n_modules ? header.modules[site.module].path : "";
    const std::uint64_t offset = module.empty() ? 0 : site.offset;
    const auto [at, is_new] =
        places_.try_emplace({site.call, module, offset}, static_cast<int>(profile_.places.size()));
    if (is_new) {
      Place& place = profile_.places.emplace_back();
      place.routine = routine.name;
      place.kind = routine.kind;
      place.module = module;
      place.offset = offset;
    }
    return at->second;
  }

  static void make_classes(std::vector<SizeClass>& classes) {
    classes.resize(profile::kSizeClasses);
    for (std::size_t k = 0; k < profile::kSizeClasses; ++k) {
      classes[k].from = k == 0 ? 0 : std::uint64_t{1} << (k - 1);
      classes[k].to = k == 0 ? 0 : classes[k].from * 2 - 1;
    }
  }

  void take_ways(const Header& header) {
    for (std::size_t way = 0; way < profile::kWays; ++way) {
      auto& classes = profile_.ways[way];
      make_classes(classes);
      for (std::size_t k = 0; k < profile::kSizeClasses; ++k) {
        classes[k].all.count += header.came[way][k].count.load(std::memory_order_relaxed);
        classes[k].all.bytes += header.came[way][k].bytes.load(std::memory_order_relaxed);
      }
    }
  }

  void take_sizes(const Clocked& clocked, const ThreadPart& part) {
    for (std::size_t kind = 0; kind < profile::kSizedKinds; ++kind) {
      auto& classes = profile_.sizes[kind];
      make_classes(classes);
      for (std::size_t k = 0; k < profile::kSizeClasses; ++k) {
        const profile::Sized& sized = part.sizes[kind][k];
        classes[k].all.count += sized.moved.count;
        classes[k].all.bytes += sized.moved.bytes;
        classes[k].all.seconds += clocked.seconds(sized.ticks);
      }
    }
  }

  void take_peers(const Clocked& clocked, const ThreadPart& part) {
    const profile::PeerTally* peers = profile::peers_of(&part);
    for (int peer = 0; peer < static_cast<int>(raw_.pes.size()); ++peer) {
      for (std::size_t kind = 0; kind < profile::kPeerKinds; ++kind) {
        const profile::Moved& moved = peers[peer].moved[kind];
        if (moved.count == 0) continue;
        Pair& pair = pairs_[{kind, clocked.pe, peer}];
        pair.from = clocked.pe;
        pair.to = peer;
        pair.count += moved.count;
        pair.bytes += moved.bytes;
      }
      if (peers[peer].sender_count != 0) {
        add_late(senders_[{clocked.pe, peer}], clocked, peer, peers[peer].sender_count, peers[peer].sender_ticks);
      }
      if (peers[peer].late_count == 0) continue;
      profile_.meetings[static_cast<std::size_t>(clocked.pe)] += peers[peer].late_count;
      if (peer == clocked.pe) {
        profile_.times_last[static_cast<std::size_t>(peer)] += peers[peer].late_count;
      } else {
        add_late(late_[{clocked.pe, peer}], clocked, peer, peers[peer].late_count, peers[peer].late_ticks);
      }
    }
  }

  static void add_late(Late& late, const Clocked& clocked, int peer, std::uint64_t count, std::uint64_t ticks) {
    late.waiting = clocked.pe;
    late.last = peer;
    late.count += count;
    late.seconds += clocked.seconds(ticks);
  }

  // The PE was in a wait when it was killed: the time until then counts, although the call never returned.
  void take_unfinished(const Clocked& clocked, const ThreadPart& part, int number, TimeLines& lines) {
    Pe& pe = profile_.pes[static_cast<std::size_t>(clocked.pe)];
    const double since = clocked.scale.at(part.inside_since);
    const double seconds = std::max(0.0, clocked.end - since) / kSecond;
    pe.inside_site = number;
    pe.inside_seconds = seconds;
    pe.busy += seconds;
    pe.waiting += seconds;
    Place& place = profile_.places[static_cast<std::size_t>(number)];
    pe.seconds[index_of(place.kind)] += seconds;
    Routine& routine = routine_of(part.sites[part.inside_site]);
    routine.all.seconds += seconds;
    routine.all.longest = std::max(routine.all.longest, seconds);
    routine.seconds[static_cast<std::size_t>(clocked.pe)] += seconds;
    place.all.longest = std::max(place.all.longest, seconds);
    place.all.seconds += seconds;
    add_to_place(number, clocked.pe, {.seconds = seconds});
    lines.add_wait({clocked.pe, (since - clocked.begin) / kSecond, seconds, number, -1}, place.kind);
  }

  void sort_all() {
    for (const auto& [key, pair] : pairs_) profile_.pairs[std::get<0>(key)].push_back(pair);
    for (auto& pairs : profile_.pairs) {
      std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
    }
    sort_late(late_, profile_.late);
    sort_late(senders_, profile_.senders);
    const auto slower = [](const auto& a, const auto& b) { return a.all.seconds > b.all.seconds; };
    std::stable_sort(profile_.routines.begin(), profile_.routines.end(), slower);
    sort_places();
  }

  static void sort_late(const std::map<std::pair<int, int>, Late>& from, std::vector<Late>& into) {
    for (const auto& [key, late] : from) into.push_back(late);
    std::stable_sort(into.begin(), into.end(), [](const Late& a, const Late& b) { return a.seconds > b.seconds; });
  }

  // Others refer to places by number.
  void sort_places() {
    std::vector<int> order(profile_.places.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    const auto seconds = [&](int k) { return profile_.places[static_cast<std::size_t>(k)].all.seconds; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return seconds(a) > seconds(b); });
    std::vector<int> now(order.size());
    std::vector<Place> sorted;
    for (std::size_t k = 0; k < order.size(); ++k) {
      now[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
      sorted.push_back(std::move(profile_.places[static_cast<std::size_t>(order[k])]));
    }
    profile_.places = std::move(sorted);
    const auto renumber = [&](int& place) {
      if (place >= 0) place = now[static_cast<std::size_t>(place)];
    };
    for (Wait& wait : profile_.waits) renumber(wait.place);
    for (Event& event : profile_.events) renumber(event.place);
    for (Pe& pe : profile_.pes) renumber(pe.inside_site);
    for (Window& window : profile_.windows) renumber(window.place);
  }

  const Raw& raw_;
  Span span_;
  Profile profile_;
  std::map<std::uint32_t, std::size_t> routines_;
  std::map<std::tuple<std::uint32_t, std::string, std::uint64_t>, int> places_;
  std::map<std::pair<int, int>, double> seconds_at_;  // place, PE
  std::map<std::tuple<std::size_t, int, int>, Pair> pairs_;
  std::map<std::pair<int, int>, Late> late_;
  std::map<std::pair<int, int>, Late> senders_;
};

}  // namespace

Profile merge(const Raw& raw) { return Merger(raw, span_of(raw)).make(); }

}  // namespace weft::report
