#include "doctor/openmp_text.hpp"

#include <algorithm>
#include <string_view>

namespace weft::doctor {
namespace {

using boot::ThreadWaits;

class Sentences {
 public:
  Sentences(const OpenMpView& view, const std::vector<Pe>& pes, const Names& names)
      : view_(view), pes_(pes), names_(names) {}

  // "thread 3", "threads 0-2, 3.1": of programs that are apart, " of PE 1" behind it.
  std::string who(const std::vector<ThreadOf>& threads) const {
    std::vector<int> numbers;
    std::string others;
    for (const ThreadOf& each : threads) {
      const std::string name = view_.name(each);
      const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
      if (is_number) numbers.push_back(std::atoi(name.c_str()));
      if (!is_number) others += (others.empty() ? "" : ", ") + name;
    }
    std::sort(numbers.begin(), numbers.end());
    std::string text = ranges(numbers);
    text += (text.empty() || others.empty() ? "" : ", ") + others;
    return (threads.size() == 1 ? "thread " : "threads ") + text + of_pe(threads);
  }
  std::string who(const ThreadOf& thread) const { return who(std::vector<ThreadOf>{thread}); }

  // What follows "has waited 2.0 s".
  std::string waiting(const Meeting& meeting) const {
    const Thread& wait = view_.at(meeting.waiting[0]);
    return place(meeting.waiting[0]) + about(meeting, wait);
  }

  // " at the barrier at heat.c:40 in step".
  std::string place(const ThreadOf& which) const {
    const Thread& wait = view_.at(which);
    return " " + construct(which.pe, wait) + at_site(which.pe, wait.site);
  }

  std::string running(const ThreadOf& which) const {
    const Thread& thread = view_.at(which);
    if (stands_stopped(which.pe)) return "is stopped, by a signal or a debugger";
    const std::string task = thread.task == 0 ? "" : names_.site(which.pe, thread.task + 1);
    return "does not wait in OpenMP" + (task.empty() ? task : "; it runs a task, " + task);
  }

 private:
  bool stands_stopped(int pe) const { return pes_[static_cast<std::size_t>(pe)].stopped; }

  std::string of_pe(const std::vector<ThreadOf>& threads) const {
    const bool one =
        std::all_of(threads.begin(), threads.end(), [&](const ThreadOf& each) { return each.pe == threads[0].pe; });
    if (pes_.size() == 1 || threads.empty() || !one) return {};
    const std::string pe = word_for(pes_) + " " + std::to_string(threads[0].pe);
    return view_.is_one_program() ? " (" + pe + ")" : " of " + pe;
  }

  std::string at_site(int pe, std::uint64_t site) const {
    const std::string text = names_.site(pe, site);
    return text.empty() ? "" : " at " + text;
  }

  // Compilers name its variable so: .gomp_critical_user_update, or with .var behind it.
  std::string critical(int pe, std::uint64_t object) const {
    constexpr std::string_view kBegin = "gomp_critical_user_";
    constexpr std::string_view kEnd = ".var";
    std::string name = names_.variable(pe, object);
    const std::size_t at = name.find(kBegin);
    if (at == std::string::npos) return "the critical section (" + name + ")";
    name = name.substr(at + kBegin.size());
    if (const std::size_t end = name.rfind(kEnd); end != std::string::npos) name.resize(end);
    return "the critical section" + (name.empty() ? " without a name" : " " + name);
  }

  std::string construct(int pe, const Thread& wait) const {
    switch (wait.why) {
      case ThreadWaits::kBarrier: return "at the barrier";
      case ThreadWaits::kWorkEnd: return "at the end of the work-sharing construct";
      case ThreadWaits::kRegionEnd: return "at the end of the parallel region";
      case ThreadWaits::kUnnamed: return "for the critical section without a name";
      case ThreadWaits::kCritical: return "for " + critical(pe, wait.object);
      case ThreadWaits::kAtomic: return "for an atomic operation";
      case ThreadWaits::kLock: return "for the lock " + names_.variable(pe, wait.object);
      case ThreadWaits::kNestedLock: return "for the nested lock " + names_.variable(pe, wait.object);
      case ThreadWaits::kOrdered: return "for its turn in the ordered region";
      case ThreadWaits::kIteration: return "for another iteration of the loop (doacross, depend(sink))";
      case ThreadWaits::kChildren: return "in taskwait";
      case ThreadWaits::kGroup: return "at the end of the taskgroup";
      case ThreadWaits::kDependences: return "in taskwait or an undeferred task with depend";
      case ThreadWaits::kEvent: return "for the event of a task with detach";
      case ThreadWaits::kIterations: return "for iterations of a loop, which PE 0 gives out";
      case ThreadWaits::kSingle: return "to hear from PE 0 who has a single construct";
      case ThreadWaits::kProcesses: return "until the other processes are through with the parallel region";
      case ThreadWaits::kStatic: return "for the first value of a static variable of a function";
      case ThreadWaits::kRegion:
      case ThreadWaits::kNot: break;
    }
    return "for nothing";
  }

  std::string about(const Meeting& meeting, const Thread& wait) const {
    if (wait.waits_for_team()) return about_team(meeting, wait);
    if (wait.waits_for_tasks()) return about_tasks(meeting, wait);
    if (wait.why == ThreadWaits::kProcesses) return about_processes(meeting.waiting[0].pe);
    const bool asks = wait.why == ThreadWaits::kIterations || wait.why == ThreadWaits::kSingle;
    if (asks && stands_stopped(0)) return ", which is stopped";
    if (meeting.needed.empty()) return {};
    const bool itself = meeting.waiting.size() == 1 && meeting.needed == meeting.waiting;
    const std::string holder = who(meeting.needed);
    if (wait.why == ThreadWaits::kOrdered) return "; it is the turn of " + holder;
    if (wait.why == ThreadWaits::kIteration)
      return "; " + holder + (meeting.needed.size() == 1 ? " has it" : " have it");
    if (wait.why == ThreadWaits::kStatic) return "; " + holder + " is to find it";
    const bool is_critical = wait.why == ThreadWaits::kUnnamed || wait.why == ThreadWaits::kCritical;
    if (itself) return is_critical ? ", which it is in itself" : ", which it holds itself";
    const bool one = meeting.needed.size() == 1;
    return ", which " + holder + (is_critical ? (one ? " is in" : " are in") : (one ? " holds" : " hold"));
  }

  std::string about_team(const Meeting& meeting, const Thread& wait) const {
    if (meeting.missing.empty()) return {};
    const bool one = meeting.missing.size() == 1;
    // Of an inner region threads have other names than their numbers there.
    const std::string missing = meeting.needed.size() == meeting.missing.size()
                                    ? who(meeting.needed)
                                    : (one ? "thread " : "threads ") + ranges(meeting.missing);
    const std::string what = wait.why == ThreadWaits::kRegionEnd ? " not come there" : " not reached it";
    return "; " + missing + (one ? " has" : " have") + what;
  }

  std::string about_tasks(const Meeting& meeting, const Thread& wait) const {
    const bool one = wait.wanted == 1;
    std::string text =
        " for " + std::to_string(wait.wanted) + (one ? " task that is" : " tasks that are") + " not done";
    // Which of the tasks that its parent has made those are is not known.
    const bool depends = wait.why == ThreadWaits::kDependences;
    if (depends && meeting.needed.empty()) return text;
    if (depends)
      return text + "; of the tasks made beside it " + who(meeting.needed) +
             (meeting.needed.size() == 1 ? " runs one" : " run some");
    if (meeting.needed.empty()) return text + ", and no thread runs " + (one ? "it" : "any of them");
    text += "; " + who(meeting.needed);
    return text + (one ? " runs it" : meeting.needed.size() == 1 ? " runs one" : " run some");
  }

  std::string about_processes(int mine) const {
    std::vector<int> others;
    for (int pe = 0; pe < static_cast<int>(pes_.size()); ++pe) {
      if (pe != mine && pes_[static_cast<std::size_t>(pe)].openmp.here > 0) others.push_back(pe);
    }
    if (others.empty()) return {};
    return "; " + name_of(others, word_for(pes_)) + (others.size() == 1 ? " is" : " are") + " not";
  }

  const OpenMpView& view_;
  const std::vector<Pe>& pes_;
  const Names& names_;
};

std::string lasts(const OpenMpView& view, const std::vector<ThreadOf>& threads, std::uint64_t now) {
  std::uint64_t since = now;
  for (const ThreadOf& each : threads) since = std::min(since, view.at(each).since);
  return (threads.size() == 1 ? " has waited " : " have waited up to ") + duration(now - since);
}

}  // namespace

std::vector<std::string> doings(const OpenMpView& view, const std::vector<Pe>& pes, const Names& names,
                                const ThreadStacks& stacks, std::uint64_t now) {
  const Sentences sentences(view, pes, names);
  std::vector<std::string> lines;
  std::vector<ThreadOf> left;
  for (const Meeting& meeting : view.meetings()) {
    const Thread& first = view.at(meeting.waiting[0]);
    const std::string of = first.waits_for_team() && first.size > 1 ? " of " + std::to_string(first.size) : "";
    lines.push_back(sentences.who(meeting.waiting) + of + lasts(view, meeting.waiting, now) +
                    sentences.waiting(meeting));
    for (const ThreadOf& each : meeting.needed) {
      if (view.at(each).idles() && std::find(left.begin(), left.end(), each) == left.end()) left.push_back(each);
    }
  }
  for (const ThreadOf& each : view.threads()) {
    if (const Wait* wait = view.pages_of(each); wait != nullptr && !view.at(each).waits()) {
      lines.push_back(sentences.who(each) + " has waited " + duration(now - std::min(wait->since, now)) +
                      waiting_text(pes, names, each.pe, *wait));
    }
  }
  if (!left.empty()) {
    lines.push_back(sentences.who(left) + (left.size() == 1 ? " is" : " are") + " through with the parallel region");
  }
  // Those that do the same, in the order of the first ones.
  std::vector<std::pair<std::string, std::vector<ThreadOf>>> groups;
  for (const ThreadOf& each : view.running()) {
    std::string text = sentences.running(each);
    if (const auto stack = stacks.find(each); stack != stacks.end()) {
      for (const std::string& call : stack->second) text += "\n  in " + call;
    }
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == text; });
    if (same != groups.end()) {
      same->second.push_back(each);
    } else {
      groups.emplace_back(text, std::vector<ThreadOf>{each});
    }
  }
  for (const auto& [text, threads] : groups) {
    std::size_t end = text.find('\n');
    lines.push_back(sentences.who(threads) + (threads.size() == 1 ? " " : ": each ") + text.substr(0, end));
    while (end != std::string::npos) {
      const std::size_t next = text.find('\n', end + 1);
      lines.push_back(text.substr(end + 1, next == std::string::npos ? next : next - end - 1));
      end = next;
    }
  }
  return lines;
}

std::string sentence(const ThreadFinding& finding, const OpenMpView& view, const std::vector<Pe>& pes,
                     const Names& names) {
  using Kind = ThreadFinding::Kind;
  const Sentences sentences(view, pes, names);
  const ThreadOf& first = finding.threads[0];
  switch (finding.kind) {
    case Kind::kRelock:
      return sentences.who(first) + " waits" + sentences.place(first) + ", and has it already; " +
             (view.at(first).why == ThreadWaits::kLock ? "a lock must be unset before it is set again"
                                                       : "a critical section must not be entered again inside it");
    case Kind::kLeft:
      return sentences.who(first) + " waits" + sentences.place(first) + " for " + sentences.who(finding.threads[1]) +
             ", which has ended the region; all threads of a team must come to the same barriers";
    case Kind::kCircle: {
      std::string text = "deadlock: ";
      for (std::size_t k = 0; k < finding.threads.size(); ++k) {
        const ThreadOf& next = finding.threads[(k + 1) % finding.threads.size()];
        text += (k == 0 ? "" : ", ") + sentences.who(finding.threads[k]) + " waits for " + sentences.who(next) +
                sentences.place(finding.threads[k]);
      }
      return text;
    }
    case Kind::kNobodyRuns: return "every thread waits";
    case Kind::kHeldUpBy:
      return "all other threads wait, so what " + sentences.who(first) + " does, or has not done, holds them up";
  }
  return {};
}

}  // namespace weft::doctor
