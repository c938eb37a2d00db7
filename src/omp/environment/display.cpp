#include <cstdio>
#include <cstring>

#include "omp/environment/environment.hpp"
#include "omp/state/icv.hpp"
#include "omp/team/places.hpp"

namespace weft::omp {

namespace {

constexpr const char* kBinds[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
constexpr const char* kAllocators[] = {"",
                                       "omp_default_mem_alloc",
                                       "omp_large_cap_mem_alloc",
                                       "omp_const_mem_alloc",
                                       "omp_high_bw_mem_alloc",
                                       "omp_low_lat_mem_alloc",
                                       "omp_cgroup_mem_alloc",
                                       "omp_pteam_mem_alloc",
                                       "omp_thread_mem_alloc"};

const char* yes(bool value) noexcept { return value ? "TRUE" : "FALSE"; }

template <class... Values>
void line(const char* format, Values... values) noexcept {
  if constexpr (sizeof...(values) == 0) {
    (void)std::fputs(format, stderr);
  } else {
    (void)std::fprintf(stderr, format, values...);
  }
}

void display_schedule(const Icv& icv) noexcept {
  const unsigned kind = icv.schedule & ~kMonotonic;
  const bool monotonic = (icv.schedule & kMonotonic) != 0;
  const char* const name = kind == kStatic    ? "STATIC"
                           : kind == kDynamic ? "DYNAMIC"
                           : kind == kGuided  ? "GUIDED"
                                              : "AUTO";
  // With libgomp static ones are monotonic where nothing is said, with LLVM's library none.
  const bool is_usual = monotonic == (kind == kStatic && !g_settings.is_llvms);
  const char* const modifier = is_usual ? "" : monotonic ? "MONOTONIC:" : "NONMONOTONIC:";
  line("  OMP_SCHEDULE = '%s%s", modifier, name);
  if (kind == kStatic ? icv.chunk != 0 : kind != kAuto && icv.chunk != 1) {
    line(",%d", icv.chunk);
  }
  line("'\n");
}

void display_binds(const Icv& icv) noexcept {
  line("  OMP_PROC_BIND = '%s", kBinds[icv.bind <= kBindSpread ? icv.bind : 0]);
  for (unsigned k = 1; k < g_settings.bind_list_length; ++k) {
    line(",%s", kBinds[g_settings.bind_list[k]]);
  }
  line("'\n  OMP_PLACES = '");
  print_places();
  line("'\n");
}

}  // namespace

void display_environment(bool verbose) noexcept {
  const Icv& icv = g_settings.icv;
  line("\nOPENMP DISPLAY ENVIRONMENT BEGIN\n");
  line("  _OPENMP = '201511'\n");
  line("  OMP_DYNAMIC = '%s'\n", yes(icv.dynamic != 0));
  line("  OMP_NESTED = '%s'\n", yes(icv.active_levels > 1));
  line("  OMP_NUM_THREADS = '%lu", icv.threads);
  for (unsigned k = 1; k < g_settings.thread_list_length; ++k) {
    line(",%lu", g_settings.thread_list[k]);
  }
  line("'\n");
  display_schedule(icv);
  display_binds(icv);
  line("  OMP_STACKSIZE = '%zu'\n", g_settings.stack_bytes);
  line("  OMP_WAIT_POLICY = '%s'\n", g_settings.wait_policy > 0 ? "ACTIVE" : "PASSIVE");
  line("  OMP_THREAD_LIMIT = '%u'\n", icv.thread_limit);
  line("  OMP_MAX_ACTIVE_LEVELS = '%u'\n", static_cast<unsigned>(icv.active_levels));
  line("  OMP_NUM_TEAMS = '%u'\n", g_settings.num_teams);
  line("  OMP_TEAMS_THREAD_LIMIT = '%u'\n", g_settings.teams_thread_limit);
  line("  OMP_CANCELLATION = '%s'\n", yes(g_settings.cancellation));
  line("  OMP_DEFAULT_DEVICE = '%d'\n", icv.default_device);
  line("  OMP_MAX_TASK_PRIORITY = '%d'\n", g_settings.max_task_priority);
  line("  OMP_DISPLAY_AFFINITY = '%s'\n", yes(g_settings.display_affinity));
  line("  OMP_AFFINITY_FORMAT = '%s'\n", affinity_format());
  line("  OMP_ALLOCATOR = '%s'\n", kAllocators[icv.allocator <= 8 ? icv.allocator : 0]);
  line("  OMP_TARGET_OFFLOAD = '%s'\n", g_settings.target_offload == 0   ? "DEFAULT"
                                        : g_settings.target_offload == 1 ? "MANDATORY"
                                                                         : "DISABLED");
  if (verbose) {
    line("  GOMP_CPU_AFFINITY = ''\n");
    line("  GOMP_STACKSIZE = '%zu'\n", g_settings.stack_bytes);
    line("  GOMP_SPINCOUNT = '%lld'\n", g_settings.spin_count);
  }
  line("OPENMP DISPLAY ENVIRONMENT END\n");
}

}  // namespace weft::omp
