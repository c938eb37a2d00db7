#include "report/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calls/calls.hpp"
#include "report/pages.hpp"
#include "report/windows.hpp"
#include "report/words.hpp"

namespace weft::report {
namespace {

constexpr std::size_t kWidth = 79;
constexpr std::size_t kMostPes = 6;
constexpr std::size_t kMostRoutines = 4;
constexpr std::size_t kMostPlaces = 4;

// # in Weft but not waiting, w waiting, . elsewhere.
std::string bar(double busy, double waiting, double life) {
  constexpr std::size_t kLetters = 24;
  if (life <= 0) return std::string(kLetters, ' ');
  const auto letters = [&](double part) {
    return static_cast<std::size_t>(std::lround(std::min(1.0, part / life) * static_cast<double>(kLetters)));
  };
  const std::size_t all = letters(busy);
  const std::size_t wait = std::min(all, letters(waiting));
  return std::string(all - wait, '#') + std::string(wait, 'w') + std::string(kLetters - all, '.');
}

std::string pe_line(const std::string& name, double life, double busy, double waiting, double elsewhere) {
  return left(name, 14) + right(seconds(life), 9) + right(percent(busy, life), 9) + right(percent(waiting, life), 9) +
         right(percent(elsewhere, life), 11) + "  " + bar(busy, waiting, life) + "\n";
}

std::string line_of(const Profile& profile, std::size_t number, const std::string& name) {
  const Pe& pe = profile.pes[number];
  return pe_line(name, pe.life, pe.busy, pe.waiting, pe.elsewhere());
}

// All PEs if there are few; else those between which all others lie.
std::string pe_table(const Profile& profile) {
  std::string text = left("", 14) + right("time", 9) + right("in Weft", 9) + right("waiting", 9) +
                     right("elsewhere", 11) + "  # in Weft w waiting . else\n";
  std::vector<std::size_t> order;
  for (std::size_t pe = 0; pe < profile.pes.size(); ++pe) {
    if (profile.pes[pe].threads > 0) order.push_back(pe);
  }
  if (order.size() <= kMostPes) {
    for (const std::size_t pe : order) text += line_of(profile, pe, "PE " + std::to_string(pe));
    return text;
  }
  const auto share = [&](std::size_t pe) {
    return profile.pes[pe].life > 0 ? profile.pes[pe].waiting / profile.pes[pe].life : 0;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return share(a) > share(b); });
  const auto name = [](std::size_t pe) { return "PE " + std::to_string(pe); };
  for (std::size_t k = 0; k < 2; ++k) text += line_of(profile, order[k], name(order[k]) + (k == 0 ? " (most)" : ""));
  const double n = profile.n_pes();
  text += pe_line("average", profile.life() / n, profile.busy() / n, profile.waiting() / n,
                  std::max(0.0, profile.life() - profile.busy()) / n);
  for (std::size_t k = order.size() - 2; k < order.size(); ++k) {
    text += line_of(profile, order[k], name(order[k]) + (k + 1 == order.size() ? " (least)" : ""));
  }
  return text;
}

std::string routine_table(const Profile& profile) {
  std::string text =
      left("\nroutine", 37) + right("calls", 12) + right("bytes", 10) + right("time", 9) + right("longest", 12) + "\n";
  for (std::size_t k = 0; k < std::min(kMostRoutines, profile.routines.size()); ++k) {
    const Routine& routine = profile.routines[k];
    text += left(routine.name, 36) + right(number(routine.all.count), 12) +
            right(routine.all.bytes == 0 ? "-" : bytes(routine.all.bytes), 10) +
            right(percent(routine.all.seconds, profile.life()), 9) + right(seconds(routine.all.longest), 12) + "\n";
  }
  return text;
}

std::string place_table(const Profile& profile) {
  std::string text = left("\ncalled at", 35) + right("calls", 12) + right("time", 7) + "  routine\n";
  for (std::size_t k = 0; k < std::min(kMostPlaces, profile.places.size()); ++k) {
    const Place& place = profile.places[k];
    text += left(tail(place.where, 34), 34) + right(number(place.all.count), 12) +
            right(percent(place.all.seconds, profile.life()), 7) + "  " + tail(place.routine, 24) + "\n";
  }
  return text;
}

// Those who did not come to the end.
std::string endings(const Profile& profile) {
  std::string text;
  constexpr std::size_t kMost = 4;
  std::size_t told = 0;
  const char* finalize = calls::words_of(calls::none_of(profile.interface)).finalize;
  for (std::size_t number = 0; number < profile.pes.size(); ++number) {
    const Pe& pe = profile.pes[number];
    if (pe.threads == 0 || pe.end == End::kFinalised) continue;
    if (++told > kMost) continue;
    text += "PE " + std::to_string(number) +
            (pe.end == End::kExited ? " exited without " + std::string(finalize) : " was ended");
    if (pe.inside_site >= 0) {
      const Place& place = profile.places[static_cast<std::size_t>(pe.inside_site)];
      text += ", after " + seconds(pe.inside_seconds) + " in " + place.routine + " (" + place.where + ")";
    }
    text += ".\n";
  }
  if (told > kMost) text += "... and " + count_of(told - kMost, "other PE") + " did not finalize.\n";
  return text;
}

std::string totals(const Profile& profile) {
  std::string text;
  constexpr std::array kMoving = {Kind::kPut, Kind::kGet, Kind::kSend};
  const Pair* heaviest = nullptr;
  const char* how = "";
  std::uint64_t all = 0;
  for (const Kind kind : kMoving) {
    for (const Pair& pair : profile.pairs[index_of(kind)]) {
      all += pair.bytes;
      if (pair.from == pair.to || (heaviest != nullptr && heaviest->bytes >= pair.bytes)) continue;
      heaviest = &pair;
      how = kKindNames[index_of(kind)];
    }
  }
  if (heaviest != nullptr) {
    text += "Busiest pair: PE " + std::to_string(heaviest->from) + (how[0] == 'g' ? " from" : " to") + " PE " +
            std::to_string(heaviest->to) + ", " + bytes(heaviest->bytes) + " in " + count_of(heaviest->count, how) +
            ", " + percent(static_cast<double>(heaviest->bytes), static_cast<double>(all)) + " of all bytes.\n";
  }
  if (!profile.late.empty() && profile.late.front().seconds > 0) {
    const Late& late = profile.late.front();
    text += "Longest wait for another: PE " + std::to_string(late.waiting) + " for PE " + std::to_string(late.last) +
            ", " + seconds(late.seconds) + " in " + count_of(late.count, "meeting") + ".\n";
  }
  if (!profile.senders.empty()) {
    const Late& late = profile.senders.front();
    text += "Latest sender: PE " + std::to_string(late.waiting) + " waited for PE " + std::to_string(late.last) + ", " +
            seconds(late.seconds) + " in " + count_of(late.count, "receive") + ".\n";
  }
  return text;
}

// Which ways messages came, and how many bytes by each.
std::string ways(const Profile& profile) {
  std::string text;
  for (std::size_t way = 0; way < profile::kWays; ++way) {
    Tally all;
    for (const SizeClass& one : profile.ways[way]) all.add(one.all);
    if (all.count == 0) continue;
    text += (text.empty() ? "Messages came by " : "; ") + std::string(kWayNames[way]) + ": " + number(all.count) +
            ", " + bytes(all.bytes);
  }
  return text.empty() ? text : text + ".\n";
}

// Who sent whom how much, while it fits.
std::string message_table(const Profile& profile) {
  constexpr int kMostColumns = 7;
  const int n = profile.n_pes();
  const auto& pairs = profile.pairs[index_of(Kind::kSend)];
  if (pairs.empty() || n > kMostColumns) return "";
  std::string text = left("\nsent, bytes", 12);
  for (int to = 0; to < n; ++to) text += right("to " + std::to_string(to), 9);
  text += "\n";
  for (int from = 0; from < n; ++from) {
    text += left("by " + std::to_string(from), 11);
    for (int to = 0; to < n; ++to) {
      const auto pair = std::find_if(pairs.begin(), pairs.end(),
                                     [&](const Pair& each) { return each.from == from && each.to == to; });
      text += right(pair == pairs.end() ? "-" : bytes(pair->bytes), 9);
    }
    text += "\n";
  }
  return text;
}

// Words go to the next line, behind the mark of the first.
std::string folded(const std::string& text) {
  std::string lines;
  std::string line = "hint:";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (line.size() + 1 + word.size() > kWidth) {
      lines += line + "\n";
      line = "     ";
    }
    line += " " + word;
    at = end + 1;
  }
  return lines + line + "\n";
}

}  // namespace

std::string summary(const Profile& profile, const std::vector<std::string>& hints) {
  std::uint64_t peak = 0;
  for (const Pe& pe : profile.pes) peak = std::max(peak, pe.heap_peak);
  std::string text = "profile of " + file_name(profile.program) + ": " +
                     count_of(static_cast<std::uint64_t>(profile.n_pes()), "PE") + ", " + seconds(profile.seconds);
  // A program may do nothing but share memory by loads and stores.
  const bool calls = profile.has_calls() || !profile.shared.any();
  text += calls ? ", symmetric heap up to " + bytes(peak) + "\n" : "\n";
  if (calls)
    text += pe_table(profile) + routine_table(profile) + place_table(profile) + message_table(profile) +
            windows_table(profile);
  text +=
      pages_tables(profile.shared) + "\n" + totals(profile) + ways(profile) + endings(profile) + pages_endings(profile);
  for (const std::string& hint : hints) text += folded(hint);
  return text;
}

}  // namespace weft::report
