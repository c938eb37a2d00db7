// omp_*: what a program asks and sets, in C and, by reference, in Fortran; the names that end in _8_ take its 8-byte
// integers.
#include <time.h>

#include <algorithm>
#include <climits>
#include <cstdint>

#include "omp/environment/environment.hpp"
#include "omp/sync/fatal.hpp"
#include "omp/team/league.hpp"
#include "omp/team/team.hpp"

namespace weft::omp {
namespace {

Icv& icv() noexcept { return self().task->icv; }

int clamp(std::int64_t value) noexcept { return static_cast<int>(std::clamp<std::int64_t>(value, INT_MIN, INT_MAX)); }

// The position in the region of this level; null: not inside so many.
const Position* ancestor(int level, int& size) noexcept {
  const Thread& me = self();
  if (level < 0 || static_cast<unsigned>(level) > me.at.level) {
    return nullptr;
  }
  const Position* at = &me.at;
  while (at->level > static_cast<unsigned>(level)) {
    at = &at->team->outer;
  }
  size = at->team != nullptr ? at->team->size : 1;
  return at;
}

}  // namespace
}  // namespace weft::omp

#pragma GCC visibility push(default)
// NOLINTBEGIN(readability-identifier-naming): compilers call them so.
extern "C" {
using weft::omp::g_settings;

// A routine without arguments, in both languages.
#define ASK(type, name, value)      \
  type name(void) { return value; } \
  type name##_(void) { return value; }
// One that takes a number.
#define SET(name)                                      \
  void name##_(const int32_t* value) { name(*value); } \
  void name##_8_(const int64_t* value) { name(weft::omp::clamp(*value)); }

ASK(int, omp_get_num_threads, weft::omp::size_of(weft::omp::self()))
ASK(int, omp_get_thread_num, weft::omp::self().at.number)
ASK(int, omp_in_parallel, weft::omp::self().at.active_level > 0 ? 1 : 0)
ASK(int, omp_get_level, static_cast<int>(weft::omp::self().at.level))
ASK(int, omp_get_active_level, static_cast<int>(weft::omp::self().at.active_level))
ASK(int, omp_get_max_threads, static_cast<int>(std::min<unsigned long>(weft::omp::icv().threads, INT_MAX)))
ASK(int, omp_get_num_procs, g_settings.processors)
ASK(int, omp_get_dynamic, weft::omp::icv().dynamic)
ASK(int, omp_get_nested,
    weft::omp::icv().active_levels > 1 && weft::omp::icv().active_levels > weft::omp::self().at.active_level ? 1 : 0)
ASK(int, omp_get_thread_limit,
    static_cast<int>(std::min(weft::omp::icv().thread_limit, static_cast<unsigned>(INT_MAX))))
ASK(int, omp_get_max_active_levels, weft::omp::icv().active_levels)
ASK(int, omp_get_supported_active_levels, static_cast<int>(weft::omp::kMostLevels))
ASK(int, omp_get_max_teams, static_cast<int>(g_settings.num_teams))
ASK(int, omp_get_teams_thread_limit, static_cast<int>(g_settings.teams_thread_limit))
ASK(int, omp_get_cancellation, g_settings.cancellation ? 1 : 0)
ASK(int, omp_get_max_task_priority, g_settings.max_task_priority)
ASK(int, omp_get_proc_bind, weft::omp::icv().bind)
ASK(int, omp_get_default_device, weft::omp::icv().default_device)
ASK(int, omp_get_initial_device, 0)
ASK(int, omp_get_num_devices, 0)
ASK(int, omp_get_device_num, 0)
ASK(int, omp_is_initial_device, 1)
ASK(int, omp_get_num_teams, static_cast<int>(weft::omp::number_of_teams()))
ASK(int, omp_get_team_num, static_cast<int>(weft::omp::number_of_team()))
ASK(int, omp_in_final, weft::omp::self().task->final ? 1 : 0)
ASK(int, omp_in_explicit_task, weft::omp::self().task->kind != weft::omp::Kind::implicit ? 1 : 0)

double omp_get_wtime(void) {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double omp_get_wtime_(void) { return omp_get_wtime(); }
double omp_get_wtick(void) {
  timespec tick{};
  (void)::clock_getres(CLOCK_MONOTONIC, &tick);
  return static_cast<double>(tick.tv_sec) + static_cast<double>(tick.tv_nsec) * 1e-9;
}
double omp_get_wtick_(void) { return omp_get_wtick(); }

void omp_set_num_threads(int threads) { weft::omp::icv().threads = static_cast<unsigned long>(std::max(threads, 1)); }
SET(omp_set_num_threads)
void omp_set_dynamic(int yes) { weft::omp::icv().dynamic = yes != 0 ? 1 : 0; }
SET(omp_set_dynamic)
void omp_set_nested(int yes) {
  weft::omp::Icv& mine = weft::omp::icv();
  if (yes != 0) {
    mine.active_levels = weft::omp::kMostLevels;
  } else if (mine.active_levels > 1) {
    mine.active_levels = 1;
  }
}
SET(omp_set_nested)
void omp_set_max_active_levels(int levels) {
  if (levels >= 0) {
    weft::omp::icv().active_levels =
        static_cast<std::uint8_t>(std::min(levels, static_cast<int>(weft::omp::kMostLevels)));
  }
}
SET(omp_set_max_active_levels)
void omp_set_default_device(int device) { weft::omp::icv().default_device = std::max(device, 0); }
SET(omp_set_default_device)
void omp_set_num_teams(int teams) { g_settings.num_teams = teams >= 0 ? static_cast<unsigned>(teams) : 0; }
SET(omp_set_num_teams)
void omp_set_teams_thread_limit(int limit) {
  g_settings.teams_thread_limit = limit >= 0 ? static_cast<unsigned>(limit) : 0;
}
SET(omp_set_teams_thread_limit)

void omp_set_schedule(unsigned kind, int chunk) {
  weft::omp::Icv& mine = weft::omp::icv();
  switch (kind & ~weft::omp::kMonotonic) {
    case weft::omp::kStatic: mine.chunk = std::max(chunk, 0); break;
    case weft::omp::kDynamic:
    case weft::omp::kGuided: mine.chunk = std::max(chunk, 1); break;
    case weft::omp::kAuto: break;
    default: return;
  }
  mine.schedule = kind;
}
void omp_set_schedule_(const int32_t* kind, const int32_t* chunk) {
  omp_set_schedule(static_cast<unsigned>(*kind), *chunk);
}
void omp_set_schedule_8_(const int32_t* kind, const int64_t* chunk) {
  omp_set_schedule(static_cast<unsigned>(*kind), weft::omp::clamp(*chunk));
}
void omp_get_schedule(unsigned* kind, int* chunk) {
  *kind = weft::omp::icv().schedule;
  *chunk = weft::omp::icv().chunk;
}
void omp_get_schedule_(int32_t* kind, int32_t* chunk) {
  *kind = static_cast<int32_t>(weft::omp::icv().schedule);
  *chunk = weft::omp::icv().chunk;
}
void omp_get_schedule_8_(int32_t* kind, int64_t* chunk) {
  *kind = static_cast<int32_t>(weft::omp::icv().schedule);
  *chunk = weft::omp::icv().chunk;
}

int omp_get_ancestor_thread_num(int level) {
  int size = 0;
  const weft::omp::Position* const at = weft::omp::ancestor(level, size);
  return at != nullptr ? at->number : -1;
}
int omp_get_ancestor_thread_num_(const int32_t* level) { return omp_get_ancestor_thread_num(*level); }
int omp_get_ancestor_thread_num_8_(const int64_t* level) {
  return omp_get_ancestor_thread_num(weft::omp::clamp(*level));
}
int omp_get_team_size(int level) {
  int size = 0;
  return weft::omp::ancestor(level, size) != nullptr ? size : -1;
}
int omp_get_team_size_(const int32_t* level) { return omp_get_team_size(*level); }
int omp_get_team_size_8_(const int64_t* level) { return omp_get_team_size(weft::omp::clamp(*level)); }

// 1: soft, 2: hard. Zero: the threads that wait are gone.
int omp_pause_resource(int kind, int device) {
  if ((kind != 1 && kind != 2) || (device != 0 && device != -1)) {
    return -1;
  }
  weft::omp::Thread& me = weft::omp::self();
  return me.at.level == 0 && weft::omp::let_go(me) ? 0 : -1;
}
int omp_pause_resource_(const int32_t* kind, const int32_t* device) { return omp_pause_resource(*kind, *device); }
int omp_pause_resource_all(int kind) { return omp_pause_resource(kind, 0); }
int omp_pause_resource_all_(const int32_t* kind) { return omp_pause_resource(*kind, 0); }

void omp_display_env(int verbose) { weft::omp::display_environment(verbose != 0); }
void omp_display_env_(const int32_t* verbose) { omp_display_env(*verbose != 0 ? 1 : 0); }
void omp_display_env_8_(const int64_t* verbose) { omp_display_env(*verbose != 0 ? 1 : 0); }

void GOMP_warning(const char* text, size_t length) {
  weft::omp::complain("error directive encountered%s%.*s", text != nullptr ? ": " : "",
                      static_cast<int>(text == nullptr      ? 0
                                       : length == SIZE_MAX ? 400
                                                            : std::min<size_t>(length, 400)),
                      text != nullptr ? text : "");
}
void GOMP_error(const char* text, size_t length) {
  weft::omp::die("fatal error: error directive encountered%s%.*s", text != nullptr ? ": " : "",
                 static_cast<int>(text == nullptr      ? 0
                                  : length == SIZE_MAX ? 400
                                                       : std::min<size_t>(length, 400)),
                 text != nullptr ? text : "");
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
#pragma GCC visibility pop
