// What directives of Weft become (weft/omp_directives.h): called by libweft_omp_directives.a, which programs have.
#include <cstdint>

#include "omp/image/image.hpp"
#include "omp/team/team.hpp"

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): that library looks for it by this name.
extern "C" void weft_omp_map_array(const weft_omp_mapping* mapping) {
  using namespace weft::omp;
  if (image::far() == nullptr || mapping->magic != WEFT_OMP_MAPPING_MAGIC) {
    return;
  }
  const Thread& me = self();
  const bool is_of_main = image::process() == 0 && !me.worker && image::is_shared(__builtin_frame_address(0));
  image::map(*mapping, is_of_main && me.at.team == nullptr);
}

extern "C" void weft_omp_affinity_of_loop(const void* first, const void* second, std::int64_t lower, std::int64_t begin,
                                          std::int64_t step) {
  using namespace weft::omp;
  // In two's complement, as indexes may be less than zero.
  const auto from = reinterpret_cast<std::uintptr_t>(first);
  const std::uint64_t apart = reinterpret_cast<std::uintptr_t>(second) - from;
  const auto half = static_cast<std::uint64_t>(static_cast<std::int64_t>(apart) / 2);
  const auto indexes = static_cast<std::uint64_t>(begin) - static_cast<std::uint64_t>(lower);
  // By the middle of what an iteration has to do with.
  self().said.affinity = {from + indexes * apart + half, static_cast<std::uint64_t>(step) * apart, true};
}
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
