// What a host has to find out before any PE starts: all that may be wrong there with what the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/options.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/processes/capacity.hpp"
#include "launch/processes/job.hpp"
#include "launch/processes/starter.hpp"
#include "launch/streams/outputs.hpp"

namespace weft::launch::hosts {

struct Preparation {
  streams::OutputFiles files;
  processes::Capacity capacity;
  base::HugePages pages = base::HugePages::kOff;
  std::vector<processes::ProgramPart> programs;  // their words are those of the errand, which has to stay

  std::vector<std::string> notes;  // what the user is to be told

  /// As this node of the job: goes to its folder, sets its environment, finds programs, memory and processors.
  std::optional<processes::NotStarted> make(Errand& errand, int node);
  /// With the heap that all hosts can give.
  processes::JobPlan plan(const Errand& errand, int node, std::uint64_t heap_bytes) const;

 private:
  std::optional<processes::NotStarted> go_to_work(const Errand& errand);
  std::optional<processes::NotStarted> find_programs(Errand& errand, int node);

  std::vector<std::vector<char*>> words_;
};

}  // namespace weft::launch::hosts
