#include "omp/environment/environment.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include "omp/environment/parse.hpp"
#include "omp/image/image.hpp"
#include "omp/state/icv.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/sync/wait.hpp"
#include "omp/team/places.hpp"

namespace weft::omp {

Settings g_settings;

namespace {

void read_levels(Icv& icv) noexcept {
  unsigned long levels = 0;
  bool nested = false;
  if (read_number("OMP_MAX_ACTIVE_LEVELS", levels, true)) {
    icv.active_levels = static_cast<std::uint8_t>(std::min<unsigned long>(levels, kMostLevels));
    (void)read_bool("OMP_NESTED", nested);
    return;
  }
  if (read_bool("OMP_NESTED", nested)) {
    icv.active_levels = nested ? kMostLevels : 1;
  } else if (g_settings.thread_list_length > 1 || g_settings.bind_list_length > 1) {
    icv.active_levels = kMostLevels;
  }
}

void read_limits(Icv& icv) noexcept {
  unsigned long number = 0;
  if (read_number("OMP_THREAD_LIMIT", number, false)) {
    icv.thread_limit = static_cast<unsigned>(std::min<unsigned long>(number, kNoLimit));
  }
  int teams = 0;
  if (read_int("OMP_NUM_TEAMS", teams, false)) {
    g_settings.num_teams = static_cast<unsigned>(teams);
  }
  if (read_int("OMP_TEAMS_THREAD_LIMIT", teams, false)) {
    g_settings.teams_thread_limit = static_cast<unsigned>(teams);
  }
  (void)read_int("OMP_MAX_TASK_PRIORITY", g_settings.max_task_priority, true);
  (void)read_int("OMP_DEFAULT_DEVICE", icv.default_device, true);
}

enum class Display : std::uint8_t { kNothing, kSome, kAll };
constinit Display g_display = Display::kNothing;

Display read_display() noexcept {
  const char* text = std::getenv("OMP_DISPLAY_ENV");
  if (text == nullptr) {
    return Display::kNothing;
  }
  if (word(text, "verbose") && *text == '\0') {
    return Display::kAll;
  }
  bool show = false;
  return read_bool("OMP_DISPLAY_ENV", show) && show ? Display::kSome : Display::kNothing;
}

// Processes that become one program say it once, when they have: one that is started anew before would say it twice.
__attribute__((constructor)) void at_load() {
  keep_complaints();
  read_environment();
  if (!image::will_tell()) {
    tell_environment(true);
  }
}

}  // namespace

void read_environment() noexcept {
  Icv& icv = g_settings.icv;
  g_settings.processors = read_processors();
  icv.threads = static_cast<unsigned long>(g_settings.processors);
  const bool has_schedule = read_schedule(icv.schedule, icv.chunk);
  bool yes = false;
  if (read_bool("OMP_DYNAMIC", yes)) {
    icv.dynamic = yes ? 1 : 0;
  }
  (void)read_bool("OMP_CANCELLATION", g_settings.cancellation);
  (void)read_bool("OMP_DISPLAY_AFFINITY", g_settings.display_affinity);
  (void)read_offload(g_settings.target_offload);
  (void)read_allocator(icv.allocator);
  (void)read_numbers("OMP_NUM_THREADS", icv.threads, g_settings.thread_list, g_settings.thread_list_length);
  const bool bound = read_binds("OMP_PROC_BIND", icv.bind, g_settings.bind_list, g_settings.bind_list_length);
  read_levels(icv);
  read_limits(icv);
  read_places(icv, bound);
  (void)read_wait_policy(g_settings.wait_policy);
  (void)read_spin_count(g_settings.spin_count);
  if (!read_bytes("OMP_STACKSIZE", g_settings.stack_bytes)) {
    (void)read_bytes("GOMP_STACKSIZE", g_settings.stack_bytes);
  }
  read_kmp(has_schedule);
  g_settings.stack_bytes = g_settings.stack_bytes == 0 ? 0 : std::max<std::size_t>(g_settings.stack_bytes, 16384);
  set_patience(g_settings.spin_count, g_settings.wait_policy, g_settings.processors);
  read_affinity_format(std::getenv("OMP_AFFINITY_FORMAT"));
  g_display = read_display();
}

void tell_environment(bool say) noexcept {
  end_complaints(say);
  if (!say) {
    return;
  }
  tell_kmp();
  if (g_display != Display::kNothing) {
    display_environment(g_display == Display::kAll);
  }
}

}  // namespace weft::omp

#pragma GCC visibility push(default)
extern "C" void weft_omp_tell(bool say) { weft::omp::tell_environment(say); }
#pragma GCC visibility pop
