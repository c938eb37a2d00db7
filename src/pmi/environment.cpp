#include "pmi/environment.hpp"

#include <algorithm>
#include <cstdlib>

#include "boot/job.hpp"

namespace weft::pmi {
namespace {

// -1: not there, or no number.
int number(const char* text) noexcept {
  if (text == nullptr || *text == '\0') {
    return -1;
  }
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *end == '\0' && value >= 0 && value <= 1 << 30 ? static_cast<int>(value) : -1;
}

int guess_first(Lookup lookup) noexcept {
  constexpr const char* kNames[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                       {"PMI_RANK", "MPI_LOCALRANKID"},
                                       {"SLURM_PROCID", "SLURM_LOCALID"}};
  for (const auto& [rank, local] : kNames) {
    const int distance = number(lookup(local));
    if (distance >= 0 && number(lookup(rank)) >= distance) {
      return number(lookup(rank)) - distance;
    }
  }
  return 0;
}

}  // namespace

// An allocation without a launcher (a shell of salloc) has only SLURM_ variables, which name no manager.
Environment read_environment(Lookup lookup) noexcept {
  Environment found;
  found.pmix = lookup("PMIX_NAMESPACE") != nullptr && lookup("PMIX_RANK") != nullptr;
  if (found.pmix) {
    const int by_openmpi = number(lookup("OMPI_COMM_WORLD_SIZE"));
    const int by_slurm = number(lookup("SLURM_STEP_NUM_TASKS"));
    found.pmix_size = by_openmpi > 0 ? by_openmpi : by_slurm > 0 ? by_slurm : 0;
  }
  found.pmi1_fd = number(lookup("PMI_FD"));
  found.pmi1_rank = number(lookup("PMI_RANK"));
  found.pmi1_size = number(lookup("PMI_SIZE"));
  found.pmi1 = found.pmi1_fd >= 0 && found.pmi1_rank >= 0 && found.pmi1_size > 0;
  found.first_here = guess_first(lookup);
  found.pmi1_port = !found.pmi1 && lookup("PMI_PORT") != nullptr;
  const int tasks = number(lookup("SLURM_STEP_NUM_TASKS"));
  if (!found.pmix && !found.pmi1 && !found.pmi1_port && tasks > 1 && number(lookup("SLURM_PROCID")) == 0) {
    found.tasks_alone = tasks;
  }
  return found;
}

int Environment::most_pes() const noexcept {
  const bool told = !pmi1_port && (!pmix || pmix_size > 0);
  const int most = std::max(pmix ? pmix_size : 0, pmi1 ? pmi1_size : 0);
  return told ? std::min(most, boot::kMaxPes) : boot::kMaxPes;
}

Environment read_environment() noexcept {
  return read_environment([](const char* name) -> const char* { return ::secure_getenv(name); });
}

}  // namespace weft::pmi
