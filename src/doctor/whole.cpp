#include "doctor/whole.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace weft::doctor {
namespace {

constexpr std::size_t kMostNext = 8;  // of a queue; the rest is counted

// As sync/ticket_lock.hpp has it: low half the ticket that is served, high half the next one to be given out.
struct LockWord {
  std::uint32_t serving;
  std::uint32_t next;
  std::uint32_t mask;  // tickets wrap

  LockWord(std::uint64_t word, int bytes)
      : serving(static_cast<std::uint32_t>(bytes == 8 ? word : word & 0xffff)),
        next(static_cast<std::uint32_t>(bytes == 8 ? word >> 32 : word >> 16 & 0xffff)),
        mask(bytes == 8 ? UINT32_MAX : 0xffff) {}
  std::uint32_t behind_served(std::uint64_t ticket) const {
    return (static_cast<std::uint32_t>(ticket) - serving) & mask;
  }
};

struct InLine {
  std::uint32_t distance;  // behind the ticket that is served
  int pe;
  std::uint64_t ticket;
};

// All who wait for the lock of this wait, in the order of their tickets.
std::vector<InLine> line_for(const std::vector<Pe>& pes, const Wait& lock, const LockWord& word) {
  std::vector<InLine> line;
  for (std::size_t pe = 0; pe < pes.size(); ++pe) {
    for (const Wait& wait : pes[pe].waits) {
      if (wait.why != boot::Waiting::kLock || wait.object != lock.object || wait.type != lock.type) continue;
      line.push_back({word.behind_served(wait.wanted), static_cast<int>(pe), wait.wanted});
    }
  }
  std::sort(line.begin(), line.end(), [](const InLine& a, const InLine& b) { return a.distance < b.distance; });
  return line;
}

std::string queue_text(const std::vector<InLine>& line) {
  std::string text;
  for (std::size_t k = 0; k < std::min(line.size(), kMostNext); ++k) {
    text += (k == 0   ? "next is PE "
             : k == 1 ? ", then PE "
                      : ", PE ") +
            std::to_string(line[k].pe) + " (ticket " + std::to_string(line[k].ticket) + ")";
  }
  return line.size() > kMostNext ? text + " and " + std::to_string(line.size() - kMostNext) + " more" : text;
}

std::string queue_of(const std::vector<Pe>& pes, const Names& names, int pe, const Wait& wait) {
  const int bytes = static_cast<int>(wait.type);
  const auto home = static_cast<int>(boot::offset_of(wait.object) / wait.type % pes.size());
  const std::optional<std::uint64_t> held = names.value(home, wait.object, bytes);
  if (!held) return {};
  const LockWord word(*held, bytes);
  const std::vector<InLine> line = line_for(pes, wait, word);
  const std::string name = "the lock " + names.object(pe, wait);
  const std::uint32_t given_out = (word.next - word.serving) & word.mask;
  if (line.empty() || line.back().distance >= given_out) {
    return name + ": its word is " + std::to_string(*held) + " on PE " + std::to_string(home) +
           ", which does not fit the tickets of those that wait: it was not 0 before its first use, or a store has hit "
           "it";
  }
  const int holder = holder_of(pes, wait);
  return name + ": ticket " + std::to_string(word.serving) + " is served, which " +
         (holder >= 0 ? "PE " + std::to_string(holder) + " has" : "no PE is known to have") + "; " + queue_text(line);
}

}  // namespace

std::vector<std::string> lock_queues(const std::vector<Pe>& pes, const Names& names) {
  std::vector<std::string> lines;
  std::set<std::pair<boot::Place, std::uint32_t>> told;
  for (std::size_t pe = 0; pe < pes.size(); ++pe) {
    for (const Wait& wait : pes[pe].waits) {
      if (!wait.still || wait.why != boot::Waiting::kLock || wait.object == 0 || wait.type == 0) continue;
      if (!told.insert({wait.object, wait.type}).second) continue;
      if (std::string line = queue_of(pes, names, static_cast<int>(pe), wait); !line.empty()) lines.push_back(line);
    }
  }
  return lines;
}

std::string collective_counts(const std::vector<Pe>& pes) {
  constexpr std::size_t kMostCounts = 8;
  bool awaited = false;
  std::map<std::uint32_t, std::vector<int>> by_count;
  for (std::size_t pe = 0; pe < pes.size(); ++pe) {
    if (pes[pe].phase < boot::Phase::kInitialised) return {};  // the others wait for it in shmem_init
    by_count[pes[pe].collectives].push_back(static_cast<int>(pe));
    for (const Wait& wait : pes[pe].waits) awaited = awaited || (wait.still && wait.collective() && wait.slot == 0);
  }
  if (!awaited || by_count.size() < 2 || by_count.size() > kMostCounts) return {};
  const auto most = std::max_element(by_count.begin(), by_count.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() <= b.second.size(); });
  const std::string word = word_for(pes);
  std::string text;
  for (auto it = by_count.begin(); it != by_count.end(); ++it) {
    if (it == most) continue;
    text += (text.empty() ? "" : ", ") + name_of(it->second, word) + (it->second.size() == 1 ? " has" : " have") +
            " made " + std::to_string(it->first);
    if (text.find("collective") == std::string::npos) text += it->first == 1 ? " collective call" : " collective calls";
  }
  const bool others = most->second.size() > 1;
  return text + ", " + (others ? "the others " : name_of(most->second, word) + " has made ") +
         std::to_string(most->first);
}

bool safe_mode_helps(const std::vector<Finding>& findings, const std::vector<Pe>& pes) {
  using Kind = Finding::Kind;
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) {
                       return finding.kind == Kind::kDifferentCalls || finding.kind == Kind::kDifferentRoots ||
                              finding.kind == Kind::kDifferentSizes || finding.kind == Kind::kDifferentSets;
                     }) ||
         std::any_of(pes.begin(), pes.end(), [](const Pe& pe) { return !pe.damage.empty(); });
}

}  // namespace weft::doctor
