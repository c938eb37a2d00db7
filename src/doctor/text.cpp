#include "doctor/text.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "calls/calls.hpp"

namespace weft::doctor {
namespace {

using boot::Phase;
using boot::Waiting;

std::string call_name(std::uint32_t call) {
  const std::string name = calls::name_of(call);
  return name.empty() ? "a routine of Weft" : name;
}

std::string at_site(const Names& names, int pe, std::uint64_t site) {
  const std::string text = names.site(pe, site);
  return text.empty() ? "" : " at " + text;
}

std::vector<int> members_of(const Wait& wait) {
  std::vector<int> members;
  members.reserve(static_cast<std::size_t>(wait.size));
  for (int k = 0; k < wait.size; ++k) members.push_back(wait.member(k));
  std::sort(members.begin(), members.end());
  return members;
}

// "(#12 of the team of PEs 0-3)": which call it is; on active sets they are not counted.
std::string which_call(const Wait& wait, const std::vector<Pe>& pes) {
  const bool all = static_cast<std::size_t>(wait.size) == pes.size();
  const std::string word = word_for(pes);
  const std::string whose = all ? "all " + word + "s" : name_of(members_of(wait), word);
  if (wait.slot == boot::kNoSlot) return " (of " + whose + ")";
  return " (#" + std::to_string(wait.number) + (all ? "" : " of the team of " + whose) + ")";
}

const char* comparison(std::uint32_t compare) {
  static constexpr const char* kSigns[] = {"?", "==", "!=", "<", "<=", ">", ">="};  // from SHMEM_CMP_EQ = 1 on
  return kSigns[compare < 7 ? compare : 0];
}

std::string number(std::uint64_t bits, std::uint32_t type) {
  const int bytes = static_cast<int>(type & 0xff);
  const int unused = 64 - 8 * std::clamp(bytes, 1, 8);
  if ((type & boot::kSigned) == 0) return std::to_string(bits << unused >> unused);
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

// "; elements 5, 9-12 of 20 are missing".
std::string about_elements(const Wait& wait) {
  if (wait.given < 2) return {};
  const std::string of = " of " + std::to_string(wait.given);
  if (wait.missing.empty()) return wait.elements == 1 ? "; it is element " + std::to_string(wait.index) + of : "";
  std::string which;
  for (const Wait::Range& range : wait.missing) {
    which += (which.empty() ? "" : ", ") + std::to_string(range.first);
    if (range.last > range.first) which += (range.last == range.first + 1 ? ", " : "-") + std::to_string(range.last);
  }
  const bool one = wait.missing.size() == 1 && wait.missing[0].first == wait.missing[0].last;
  if (wait.missing.size() == boot::kMissing) which += " and perhaps more";
  return (one ? "; element " : "; elements ") + which + of + (one ? " is missing" : " are missing");
}

std::string about_value(const Names& names, int pe, const Wait& wait) {
  const std::string wanted = std::string(comparison(wait.compare)) + " " + number(wait.wanted, wait.type);
  const auto held = names.value(pe, wait.object, static_cast<int>(wait.type & 0xff));
  const std::string holds = held ? "holds " + number(*held, wait.type) : "";
  const std::string object = names.object(pe, wait);
  if (wait.elements == 1) {
    return " on " + object + (holds.empty() ? ", which must become " : ", which " + holds + " and must become ") +
           wanted + about_elements(wait);
  }
  return " on " + std::to_string(wait.elements) + " elements from " + object + " on" +
         (holds.empty() ? "" : ", the first of which " + holds + " and must become " + wanted) + about_elements(wait);
}

bool stands_stopped(const std::vector<Pe>& pes, int pe) {
  return pe >= 0 && pe < static_cast<int>(pes.size()) && pes[static_cast<std::size_t>(pe)].stopped;
}

std::string about_lock(const std::vector<Pe>& pes, const Names& names, int pe, const Wait& wait) {
  const int holder = holder_of(pes, wait);
  return " for the lock " + names.object(pe, wait) +
         (holder == pe  ? ", which it holds itself"
          : holder >= 0 ? ", which " + word_for(pes) + " " + std::to_string(holder) + " holds"
                        : "") +
         (holder < 0 && wait.in_shared() && stands_stopped(pes, wait.root)
              ? ", whose home, " + word_for(pes) + " " + std::to_string(wait.root) + ", is stopped"
              : "");
}

constexpr bool has(const Wait& wait, std::uint32_t bit) { return (wait.compare & bit) != 0; }

std::string tag_text(int tag) { return tag < 0 ? "" : " with tag " + std::to_string(tag); }

// "; rank 0 has sent tag 8, tag 7 in another communicator": what has come instead, in the order of the ranks.
std::string about_heard(const Wait& wait, const std::string& word) {
  std::string text;
  std::vector<Wait::Heard> heard = wait.heard;
  std::stable_sort(heard.begin(), heard.end(), [](const auto& a, const auto& b) { return a.pe < b.pe; });
  int last = -1;
  for (const Wait::Heard& each : heard) {
    if (each.tag < 0) continue;
    text += (each.pe == last ? ", tag " : "; " + word + " " + std::to_string(each.pe) + " has sent tag ") +
            std::to_string(each.tag) + (each.elsewhere ? " in another communicator" : "");
    last = each.pe;
  }
  return wait.heard.size() == boot::kMissing ? text + " and perhaps more" : text;
}

// "; rank 0 keeps 64 MiB that nobody has asked for, and takes no more": why a send of few bytes waits at all.
std::string about_room(const Wait& wait, const std::string& whom) {
  constexpr std::uint64_t kMiB = 1 << 20;
  const bool small = wait.given < kMiB;
  const std::string kept =
      small ? std::to_string(wait.given >> 10) + " KiB" : std::to_string(wait.given / kMiB) + " MiB";
  return "; " + whom + " keeps " + kept + " of messages that it has not asked for, as much as it may " +
         "(WEFT_MPI_UNEXPECTED), and has to receive some before more can come";
}

// " for a message with tag 7 of rank 0 (MPI_COMM_WORLD)". The rank is that in the job.
std::string about_message(const Wait& wait, const std::string& word) {
  if (wait.type == static_cast<std::uint32_t>(boot::Awaits::kProgram)) {
    return " until the program says that its own request is complete";
  }
  const auto tag = static_cast<std::int32_t>(static_cast<std::uint32_t>(wait.index));
  const std::string what = (has(wait, boot::kUnderWay) ? "the data of a message" : "a message") + tag_text(tag);
  const std::string whom = (wait.root < 0 ? "any " + word : word + " " + std::to_string(wait.root));
  const std::string where = wait.label.empty() ? "" : " (" + wait.label + ")";
  std::string text = has(wait, boot::kToBeTaken) ? " until " + whom + " takes " + what + where
                                                 : " for " + what + " of " + whom + where;
  if (wait.type == static_cast<std::uint32_t>(boot::Awaits::kOneOf)) {
    return " for one of " + std::to_string(wait.elements) + " requests, the first of which waits" + text;
  }
  if (has(wait, boot::kNoRoom)) text += about_room(wait, whom);
  return text + about_heard(wait, word);
}

std::string in_window(const std::string& label) { return label.empty() ? "a window" : "the window " + label; }

// "the exclusive lock of rank 1 in the window matrix".
std::string window_lock(const Wait& wait, const std::string& word) {
  const auto what = static_cast<boot::OfWindow>(wait.type);
  const std::string lock = what == boot::OfWindow::kShared      ? "the shared lock"
                           : what == boot::OfWindow::kExclusive ? "the exclusive lock"
                                                                : "its turn to change elements";
  return lock + " of " + word + " " + std::to_string(wait.index) + " in " + in_window(wait.label);
}

// ", which rank 0 holds", or what else is known of who is before it.
std::string who_is_before(const std::vector<Pe>& pes, int pe, const Wait& wait) {
  const std::string word = word_for(pes);
  const WindowQueue queue = wait.of_window_lock() ? window_queue(pes, pe, wait) : WindowQueue{};
  const std::string behind = queue.ahead.empty() ? ""
                                                 : "; " + name_of(queue.ahead, word) +
                                                       (queue.ahead.size() == 1 ? " waits" : " wait") + " before it";
  if (wait.root >= 0 || !queue.writers.empty()) {
    const int holder = queue.writers.empty() ? wait.root : queue.writers[0];
    return ", which " + word + " " + std::to_string(holder) + " holds" + behind;
  }
  if (!queue.readers.empty()) {
    return ", which " + name_of(queue.readers, word) + (queue.readers.size() == 1 ? " has" : " have") +
           " locked shared" + behind;
  }
  return (wait.given == 1  ? ", which one has locked shared"
          : wait.given > 1 ? ", which " + std::to_string(wait.given) + " have locked shared"
                           : "") +
         behind;
}

// " for the exclusive lock of rank 1 in the window matrix, which rank 0 holds".
std::string about_window(const std::vector<Pe>& pes, int pe, const Wait& wait) {
  const std::string whom = word_for(pes) + " " + std::to_string(wait.index);
  const std::string where = in_window(wait.label);
  switch (static_cast<boot::OfWindow>(wait.type)) {
    case boot::OfWindow::kPost: return " until " + whom + " lets it access " + where + " (MPI_Win_post)";
    case boot::OfWindow::kCompletion:
      if (has(wait, boot::kToBeTaken)) {
        return " until " + whom + " has taken word of what has ended or may begin in " + where +
               " (MPI_Win_unlock, MPI_Win_complete, MPI_Win_post)" +
               (stands_stopped(pes, wait.root) ? "; it is stopped" : "");
      }
      return " until " + whom + " has ended its accesses to " + where + " (MPI_Win_complete)";
    default: return " for " + window_lock(wait, word_for(pes)) + who_is_before(pes, pe, wait);
  }
}

// " for the contents of what lies at 0x20000040 in shared memory, whose home is PE 1".
std::string about_pages(const std::vector<Pe>& pes, const Names& names, int pe, const Wait& wait) {
  const std::string whom = wait.root < 0 ? "another " + word_for(pes) : word_for(pes) + " " + std::to_string(wait.root);
  const std::string object = names.object(pe, wait);
  const std::string where = object.empty() ? "in shared memory" : object;
  const std::string stopped = stands_stopped(pes, wait.root) ? ", which is stopped" : "";
  switch (static_cast<boot::OfPages>(wait.type)) {
    case boot::OfPages::kContents:
      return " for the contents of what lies " + where + ", whose home is " + whom + stopped;
    case boot::OfPages::kHome: return " to hear which is the home of what lies " + where + " from " + whom + stopped;
    case boot::OfPages::kChanges:
      return " until what was written " + where + " has come to its home, " + whom + stopped;
    case boot::OfPages::kNotices: return " until word of what was written " + where + " has come to " + whom + stopped;
    case boot::OfPages::kWord: return " for an operation on the word " + where + ", whose home is " + whom + stopped;
    case boot::OfPages::kBook:
      return " for the book of which blocks are in use" + (object.empty() ? "" : " (" + object + ")") + ", which " +
             whom + " has" + stopped;
  }
  return {};
}

std::string about_members(const std::vector<Pe>& pes, int pe, const Wait& wait) {
  const std::vector<int> missing = not_arrived(pes, pe, wait);
  if (missing.empty()) return "";
  return "; " + name_of(missing, word_for(pes)) + (missing.size() == 1 ? " has" : " have") + " not arrived";
}

std::string place(const std::vector<Pe>& pes, const Names& names, int pe, const Wait& wait) {
  return call_name(wait.call) + (wait.collective() ? which_call(wait, pes) : "") + at_site(names, pe, wait.site);
}

std::string last_call(const Pe& state, const Names& names, int pe) {
  const bool none = state.call == calls::none_of(calls::interface_of(state.call));
  return none ? "" : "; its last call there was " + call_name(state.call) + at_site(names, pe, state.site);
}

}  // namespace

std::string waiting_text(const std::vector<Pe>& pes, const Names& names, int pe, const Wait& wait) {
  std::string text = wait.beside()      ? std::string(" beside its program")
                     : wait.of_access() ? " in an access to shared memory" + at_site(names, pe, wait.site)
                                        : " in " + place(pes, names, pe, wait);
  if (wait.why == Waiting::kValue) text += about_value(names, pe, wait);
  if (wait.why == Waiting::kLock) text += about_lock(pes, names, pe, wait);
  if (wait.why == Waiting::kMessage) text += about_message(wait, word_for(pes));
  if (wait.why == Waiting::kWindow) text += about_window(pes, pe, wait);
  if (wait.why == Waiting::kPages) text += about_pages(pes, names, pe, wait);
  if (wait.collective()) text += about_members(pes, pe, wait);
  if (pes[static_cast<std::size_t>(pe)].stopped) text += "; it is stopped, by a signal or a debugger";
  return text;
}

namespace {

// Its threads tell for it.
bool is_told_by_threads(const Pe& pe) {
  return pe.alive && pe.openmp.is_there() && pe.damage.empty() && !pe.stopped && !pe.held;
}

bool is_of_a_thread(const Pe& pe, const Wait& wait) {
  return wait.why == Waiting::kPages &&
         std::any_of(pe.openmp.threads.begin(), pe.openmp.threads.end(),
                     [&](const Thread& each) { return each.id == static_cast<std::uint32_t>(wait.start); });
}

std::string not_waiting(const Pe& state, const Names& names, int pe) {
  if (!state.alive) return "has ended";
  if (!state.damage.empty()) {
    return "has notes that cannot be its own, such as " + state.damage + ": a store of the program has hit them" +
           last_call(state, names, pe);
  }
  if (state.held) return "waits before main for a debugger";
  if (state.stopped) return "is stopped, by a signal or a debugger" + last_call(state, names, pe);
  switch (state.phase) {
    case Phase::kStarted: return "has not loaded Weft yet";
    case Phase::kAttached: return std::string("has not called ") + calls::words_of(state.call).init + " yet";
    case Phase::kFinalised: return std::string("goes on after ") + calls::words_of(state.call).finalize;
    case Phase::kServing: return "serves others and does not run main";
    case Phase::kServed: return "ends, after it has served others";
    case Phase::kInitialised: break;
  }
  return "does not wait in Weft" + last_call(state, names, pe);
}

std::string given(const Finding& finding, std::size_t k, const std::vector<Pe>& pes, const Names& names) {
  return word_for(pes) + " " + std::to_string(finding.pes[k]) + " is in " +
         place(pes, names, finding.pes[k], *finding.waits[k]);
}

// The number of a call says how many were made before it; one that ends has no more to make.
std::string calls_before_end(const Finding& finding, const std::string& word) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (finding.waits[k]->why != Waiting::kFinalize || finding.waits[k]->number == 0) continue;
    const std::uint64_t made = finding.waits[k]->number - 1;
    std::string text = "; ";
    text.append(word).append(" ").append(std::to_string(finding.pes[k])).append(" has made ");
    text.append(std::to_string(made)).append(made == 1 ? " collective call" : " collective calls");
    text.append(" and ends, ").append(word).append(" ").append(std::to_string(finding.pes[1 - k]));
    return text.append(" is in its #").append(std::to_string(finding.waits[1 - k]->number));
  }
  return {};
}

std::string circle(const Finding& finding, const std::vector<Pe>& pes, const Names& names) {
  const bool threads = std::any_of(finding.pes.begin(), finding.pes.end(),
                                   [&](int pe) { return pes[static_cast<std::size_t>(pe)].threads; });
  const std::string word = word_for(pes);
  std::string text = threads ? "deadlock, unless other threads of these " + word + "s go on: " : "deadlock: ";
  for (std::size_t k = 0; k < finding.pes.size(); ++k) {
    const int pe = finding.pes[k];
    const int next = finding.pes[(k + 1) % finding.pes.size()];
    const std::string whom = next == pe ? "itself" : word + " " + std::to_string(next);
    text.append(k == 0 ? "" : ", ").append(word).append(" ").append(std::to_string(pe)).append(" waits for ");
    text += whom + " in " + place(pes, names, pe, *finding.waits[k]);
    if (finding.waits[k]->why == Waiting::kLock) text += " (lock " + names.object(pe, *finding.waits[k]) + ")";
    if (finding.waits[k]->of_window_lock()) text += " for " + window_lock(*finding.waits[k], word);
  }
  return text;
}

}  // namespace

std::string word_for(const std::vector<Pe>& pes) {
  const Pe* first = nullptr;
  for (const Pe& pe : pes) {
    // The lowest interface is also that of who has called nothing.
    if (pe.call == 0 && pe.waits.empty()) continue;
    if (first != nullptr && calls::interface_of(pe.call) != calls::interface_of(first->call)) return "PE";
    first = &pe;
  }
  return first == nullptr ? "PE" : calls::words_of(first->call).member;
}

std::string name_of(const std::vector<int>& pes, const std::string& word) {
  return word + (pes.size() == 1 ? " " : "s ") + ranges(pes);
}

std::string ranges(const std::vector<int>& numbers) {
  constexpr int kMostRanges = 24;
  std::string text;
  int ranges = 0;
  for (std::size_t first = 0; first < numbers.size();) {
    if (++ranges > kMostRanges) return text + " and " + std::to_string(numbers.size() - first) + " more";
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(numbers[first]);
    if (last > first) text += (last == first + 1 ? ", " : "-") + std::to_string(numbers[last]);
    first = last + 1;
  }
  return text;
}

std::string lock_text(const HeldOfWindow& held, const std::string& word) {
  const std::string kind = held.exclusive ? "the exclusive lock" : "the shared lock";
  const std::string of = held.pe >= 0 ? " of " + word + " " + std::to_string(held.pe)
                         : held.first == held.last
                             ? " of one " + word
                             : "s of " + std::to_string(held.last - held.first + 1) + " " + word + "s";
  return kind + of + " in " + in_window(held.label);
}

std::string duration(std::uint64_t nanoseconds) {
  const double seconds = static_cast<double>(nanoseconds) / 1e9;
  char text[48];
  if (seconds < 10) {
    (void)std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (seconds < 120) {
    (void)std::snprintf(text, sizeof text, "%.0f s", seconds);
  } else if (seconds < 7200) {
    (void)std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  } else {
    (void)std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  }
  return text;
}

namespace {

struct Group {
  std::vector<int> pes;
  std::uint64_t since;  // the first of them waits; 0: they do not
  const std::vector<std::string>* stack;
};

std::string line_of(const Group& group, const std::string& text, std::uint64_t now, const std::string& word) {
  const bool one = group.pes.size() == 1;
  if (group.since == 0) return name_of(group.pes, word) + (one ? " " : ": each ") + text;
  return name_of(group.pes, word) + (one ? " has waited " : " have waited up to ") +
         duration(now > group.since ? now - group.since : 0) + text;
}

}  // namespace

std::vector<std::string> doings(const std::vector<Pe>& pes, const Names& names, std::uint64_t now) {
  // In the order of their first PEs.
  std::vector<std::pair<std::string, Group>> groups;
  std::map<std::string, std::size_t> known;
  const auto put = [&](const std::string& text, int pe, std::uint64_t since, const std::vector<std::string>& stack) {
    std::string key = text;
    for (const std::string& call : stack) key += "\n" + call;
    const auto [place, is_new] = known.try_emplace(std::move(key), groups.size());
    if (is_new) groups.push_back({text, Group{{}, since, &stack}});
    Group& group = groups[place->second].second;
    group.pes.push_back(pe);
    group.since = std::min(group.since, since);
  };
  static const std::vector<std::string> kNoStack;
  for (std::size_t k = 0; k < pes.size(); ++k) {
    const int pe = static_cast<int>(k);
    for (const Wait& wait : pes[k].waits) {
      if (!is_of_a_thread(pes[k], wait)) put(waiting_text(pes, names, pe, wait), pe, wait.since, kNoStack);
    }
    if (is_told_by_threads(pes[k])) continue;
    if (!pes[k].program_waits() || !pes[k].damage.empty()) put(not_waiting(pes[k], names, pe), pe, 0, pes[k].stack);
  }
  std::vector<std::string> lines;
  const std::string word = word_for(pes);
  for (const auto& [text, group] : groups) {
    lines.push_back(line_of(group, text, now, word));
    for (const std::string& call : *group.stack) lines.push_back("  in " + call);
  }
  return lines;
}

std::string sentence(const Finding& finding, const std::vector<Pe>& pes, const Names& names) {
  const std::string word = word_for(pes);
  const auto who = [&](std::size_t k) { return word + " " + std::to_string(finding.pes[k]); };
  switch (finding.kind) {
    case Finding::Kind::kDifferentCalls:
      return given(finding, 0, pes, names) + " where " + given(finding, 1, pes, names) +
             "; the members of a team must make the same collective calls in the same order" +
             calls_before_end(finding, word_for(pes));
    case Finding::Kind::kDifferentRoots:
      return given(finding, 0, pes, names) + " with root " + std::to_string(finding.waits[0]->root) + ", " + who(1) +
             " with root " + std::to_string(finding.waits[1]->root) + "; all members must give the same root";
    case Finding::Kind::kDifferentSizes:
      return given(finding, 0, pes, names) + " with " + std::to_string(finding.waits[0]->elements) + " bytes, " +
             who(1) + " with " + std::to_string(finding.waits[1]->elements) +
             " bytes; all members must give the same number of elements";
    case Finding::Kind::kDifferentSets:
      return given(finding, 0, pes, names) + ", " + given(finding, 1, pes, names) +
             "; all members of an active set must give the same set";
    case Finding::Kind::kRelock:
      return who(0) + " waits for the lock " + names.object(finding.pes[0], *finding.waits[0]) +
             ", which it holds itself; a lock must be " +
             (finding.waits[0]->in_shared() ? "given back before it is taken again" : "cleared before it is set again");
    case Finding::Kind::kCircle: return circle(finding, pes, names);
    case Finding::Kind::kNobodyRuns:
      if (std::any_of(pes.begin(), pes.end(), [](const Pe& pe) { return pe.threads; }))
        return "every " + word + " waits";
      return finding.pes.empty()
                 ? "every " + word + " waits"
                 : "every " + word + " waits: nobody is left to store what " + name_of(finding.pes, word) +
                       (finding.pes.size() == 1 ? " waits for" : " wait for");
    case Finding::Kind::kHeldUpBy:
      return "all others wait, so what " + who(0) + " does, or has not done, holds them up";
  }
  return {};
}

}  // namespace weft::doctor
