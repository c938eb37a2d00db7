// Goes through all states, depth first, and tells how the first wrong one came about.
#include <cstdio>
#include <memory>
#include <sstream>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "models/machine.hpp"

namespace weft::explore {
namespace {

void add(Hash& hash, const View& view) noexcept { hash.add(view.at.data(), g.shared.size()); }

Hash hash_of(const State& s) noexcept {
  Hash hash;
  for (std::size_t w = 0; w < g.shared.size(); ++w) {
    hash.add(s.words[w].count);
    for (int k = 0; k < s.words[w].count; ++k) {
      hash.add(s.words[w].messages[k].value);
      add(hash, s.words[w].messages[k].view);
    }
  }
  add(hash, s.fences);
  hash.add(s.counts.data(), s.counts.size());
  for (int p = 0; p < g.model->pes; ++p) {
    const Pe& pe = s.pes[p];
    hash.add(static_cast<std::uint64_t>(pe.status) | pe.call << 8 | pe.has_waited << 16);
    if (pe.status == Status::kHasEnded) {
      continue;
    }
    if (pe.status == Status::kSleeps) {
      hash.add(std::uint64_t{pe.mask} << 32 | pe.word << 8 | pe.half);
    }
    add(hash, pe.now);
    add(hash, pe.acquired);
    add(hash, pe.released);
    hash.add(pe.at.a);
    if (g.model->stays_awake) {
      hash.add(pe.looked_at);
      for (std::size_t w = 0; w < g.shared.size(); ++w) {
        hash.add((pe.looked_at >> w & 1) != 0 ? pe.seen[w] : 0xff);
      }
    }
  }
  return hash;
}

// --- what is told ----------------------------------------------------------------------------------------------------

std::string told(const State& s, Step step) {
  std::ostringstream text;
  const auto name = [](const Request& of) { return g.shared[of.word].name + (of.shift != 0 ? " (high)" : ""); };
  const Pe& pe = s.pes[step.pe];
  text << "  PE " << int{step.pe} << ": ";
  if (pe.status == Status::kIdle) {
    return text.str() + "goes on";
  }
  const Request& next = pe.next;
  const Word& word = s.words[next.word];
  switch (next.what) {
    case What::kLoad:
      text << "sees " << name(next) << " = " << std::hex << "0x" << part(word.messages[step.which].value, next)
           << std::dec << (step.which + 1 < word.count ? ", which is old" : "");
      break;
    case What::kStore:
      text << (next.is_omitted ? "does not set " : "sets ") << name(next) << " to " << next.operand;
      break;
    case What::kUpdate:
      text << (next.is_omitted ? "does not change " : "changes ") << name(next) << ", which was 0x" << std::hex
           << part(word.messages[step.which].value, next) << std::dec;
      break;
    case What::kFence: text << "fence"; break;
    case What::kSleep: text << "lies down at " << name(next) << ", if that is still " << next.compare; break;
    case What::kWake: text << "wakes who sleeps at " << name(next); break;
    case What::kCount: text << "count " << int{next.slot} << " by " << static_cast<int>(next.operand); break;
    case What::kYield: text << "yields"; break;
    case What::kTurn: break;
  }
  if (next.line != 0) {
    const char* file = std::strstr(next.file, "/src/");
    text << "   [" << (file != nullptr ? file + 5 : next.file) << ":" << next.line << "]";
  }
  return text.str();
}

std::string stuck(const State& s) {
  std::string who;
  for (int p = 0; p < g.model->pes; ++p) {
    const Status status = s.pes[p].status;
    if (status != Status::kHasEnded) {
      who += (who.empty() ? "PE " : ", PE ") + std::to_string(p) +
             (status == Status::kSleeps ? " sleeps at " + g.shared[s.pes[p].word].name : " waits");
    }
  }
  return who.empty() ? "" : "nobody goes on: " + who;
}

State first_state() {
  g.shared.clear();
  g.error.clear();
  g.model->set_up();
  State s{};
  for (std::size_t w = 0; w < g.shared.size(); ++w) {
    s.words[w].count = 1;
    s.words[w].messages[0].value = raw(reinterpret_cast<const void*>(g.shared[w].at), g.shared[w].bytes);
  }
  for (int p = 0; p < g.model->pes; ++p) {
    run_to_next(s, p);
  }
  return s;
}

// Of 40 KiB what is in use: copying was nearly half of an exploration's time.
void copy(State& to, const State& from) noexcept {
  static_assert(std::is_trivially_copyable_v<State> && std::is_standard_layout_v<Pe>);
  for (std::size_t w = 0; w < g.shared.size(); ++w) {
    const Word& word = from.words[w];
    to.words[w].count = word.count;
    std::copy_n(word.messages.begin(), word.count, to.words[w].messages.begin());
  }
  for (int p = 0; p < g.model->pes; ++p) {
    std::memcpy(static_cast<void*>(&to.pes[p]), &from.pes[p], offsetof(Pe, log));
    std::copy_n(from.pes[p].log.begin(), from.pes[p].logged, to.pes[p].log.begin());
  }
  to.fences = from.fences;
  to.counts = from.counts;
}

struct Frame {
  State state;
  std::vector<Step> steps;
  std::size_t taken = 0;
};

class Search {
 public:
  Finding run() {
    enter(std::make_unique<Frame>(Frame{first_state(), {}, 0}));
    while (!path_.empty() && finding_.text.empty() && !g.looks_at_more) {
      Frame& top = *path_.back();
      if (top.taken == top.steps.size()) {
        spare_.push_back(std::move(path_.back()));
        path_.pop_back();
        continue;
      }
      std::unique_ptr<Frame> next = frame();
      copy(next->state, top.state);
      take(next->state, top.steps[top.taken++]);
      forget(next->state);
      enter(std::move(next));
    }
    finding_.wrong = !finding_.text.empty();
    finding_.states = seen_.size();
    return finding_;
  }

 private:
  std::unique_ptr<Frame> frame() {
    if (spare_.empty()) {
      return std::make_unique<Frame>();
    }
    std::unique_ptr<Frame> frame = std::move(spare_.back());
    spare_.pop_back();
    return frame;
  }

  void enter(std::unique_ptr<Frame> frame) {
    if (!g.error.empty()) {
      return tell(g.error);
    }
    if (!seen_.insert(hash_of(frame->state)).second) {
      spare_.push_back(std::move(frame));
      return;
    }
    if (seen_.size() > kMostStates) {
      give_up(g.model->name + " has too many states");
    }
    frame->steps.clear();
    frame->taken = 0;
    for (int p = 0; p < g.model->pes; ++p) {
      steps_of(frame->state, p, frame->steps);
    }
    if (frame->steps.empty()) {
      if (const std::string who = stuck(frame->state); !who.empty()) {
        return tell(who);
      }
    }
    path_.push_back(std::move(frame));
  }

  void tell(const std::string& what) {
    finding_.text = what + "; it came about so:\n";
    for (const auto& frame : path_) {
      finding_.text += told(frame->state, frame->steps[frame->taken - 1]) + "\n";
    }
  }

  std::unordered_set<Hash, HashOf> seen_;
  std::vector<std::unique_ptr<Frame>> path_;
  std::vector<std::unique_ptr<Frame>> spare_;
  Finding finding_;
};

}  // namespace

Finding explore(const Model& model, const std::vector<Fault>& faults) {
  g.model = &model;
  g.faults = faults;
  g.fault_lines.clear();
  for (const Fault& fault : faults) {
    g.fault_lines.push_back(line_of(fault));
  }
  g.looks = {};
  (void)::getcontext(&g.registers);
  for (;;) {
    g.looks_at_more = false;
    Finding finding = Search().run();
    if (finding.wrong || !g.looks_at_more) {
      return finding;
    }
  }
}

int run_all(const std::vector<Model>& models, const std::vector<NamedFault>& faults, int argc, char** argv) {
  (void)std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto has = [&](const char* word) {
    return std::any_of(argv + 1, argv + argc, [&](const char* argument) { return std::strcmp(argument, word) == 0; });
  };
  const bool tells = has("--tell");
  const bool large = has("--large");
  int failed = 0;
  for (const Model& model : models) {
    if (model.is_large != large) {
      continue;
    }
    const Finding finding = explore(model);
    std::printf("%s: %llu states, %s\n", model.name.c_str(), static_cast<unsigned long long>(finding.states),
                finding.wrong ? finding.text.c_str() : "all right");
    failed += finding.wrong ? 1 : 0;
  }
  for (const NamedFault& fault : faults) {
    if (fault.is_large != large) {
      continue;
    }
    Finding finding;
    const Model* by = nullptr;
    for (const Model& model : models) {
      if (model.is_large != large) {
        continue;
      }
      finding = explore(model, fault.faults);
      if (finding.wrong) {
        by = &model;
        break;
      }
    }
    std::printf("with the fault '%s': %s%s\n", fault.name.c_str(), by == nullptr ? "NOTHING FOUND" : "found by ",
                by == nullptr ? "" : by->name.c_str());
    if (by != nullptr && tells) {
      std::printf("%s", finding.text.c_str());
    }
    failed += by == nullptr ? 1 : 0;
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace weft::explore
