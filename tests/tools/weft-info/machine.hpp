// A machine on which a job of 4 PEs runs without a word: what each test changes.
#pragma once

#include <string>
#include <vector>

#include "facts.hpp"
#include "judge.hpp"

namespace weft::info {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

inline Facts good_machine() {
  Facts facts;
  facts.n_pes = 4;
  facts.root = true;
  facts.options.symmetric_size = {512 * kMiB, false};
  facts.descriptors = {1024, 1048576};
  facts.processes = {30000, 30000};
  facts.processes_of_user = 100;
  facts.locked_memory = {8 * kMiB, 8 * kMiB};
  facts.memory = {16 * kGiB, false};
  facts.available = 12 * kGiB;
  facts.commit_left = 8 * kGiB;
  facts.dev_shm = 8 * kGiB;
  facts.thp_of_files = "never";
  facts.processors = 8;
  facts.affinity = 8;
  facts.clock = "tsc";
  facts.tsc_is_there = true;
  facts.core_pattern = "core";
  facts.single_copy = {{"cma", ""}};
  return facts;
}

/// The findings of one topic.
inline std::vector<Finding> about(const Facts& facts, const std::string& topic) {
  std::vector<Finding> found;
  for (const Finding& finding : judge(facts)) {
    if (finding.topic == topic) found.push_back(finding);
  }
  return found;
}

inline Finding only(const Facts& facts, const std::string& topic) {
  const std::vector<Finding> found = about(facts, topic);
  return found.size() == 1 ? found[0] : Finding{"none, or several", Level::kBad, "", "", ""};
}

}  // namespace weft::info
