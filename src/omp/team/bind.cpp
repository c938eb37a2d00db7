#include "omp/team/bind.hpp"

#include <algorithm>

#include "omp/team/places.hpp"

namespace weft::omp {

namespace {

void go_to(int number) noexcept {
  if (const cpu_set_t* set = place(number); set != nullptr) {
    (void)::pthread_setaffinity_np(::pthread_self(), sizeof *set, set);
  }
}

struct Partition {
  unsigned first, length;
};

void settle(Team& team, int thread, unsigned place_number, Partition part) noexcept {
  team.place_of[thread] = static_cast<int>(place_number);
  team.part_first[thread] = part.first;
  team.part_length[thread] = part.length;
}

// Threads on neighbouring places from the primary thread's on; more threads than places share them in blocks.
void close_by(Team& team, Partition all, unsigned start) noexcept {
  const auto threads = static_cast<unsigned>(team.here);
  for (unsigned k = 0; k < threads; ++k) {
    const unsigned each = threads / all.length;
    const unsigned larger = threads % all.length;
    const unsigned step = threads <= all.length     ? k
                          : k < larger * (each + 1) ? k / (each + 1)
                                                    : larger + (k - larger * (each + 1)) / each;
    settle(team, static_cast<int>(k), all.first + (start + step) % all.length, all);
  }
}

// Each thread has a part of the places; the primary thread's is the one it is in.
void spread_out(Team& team, Partition all, unsigned start) noexcept {
  const auto threads = static_cast<unsigned>(team.here);
  if (threads > all.length) {
    close_by(team, all, start);
    for (int k = 0; k < team.here; ++k) {
      settle(team, k, static_cast<unsigned>(team.place_of[k]), {static_cast<unsigned>(team.place_of[k]), 1});
    }
    return;
  }
  const unsigned each = all.length / threads;
  const unsigned larger = all.length % threads;
  const auto first_of = [&](unsigned part) { return part * each + std::min(part, larger); };
  unsigned mine = 0;
  while (mine + 1 < threads && first_of(mine + 1) <= start) {
    ++mine;
  }
  for (unsigned k = 0; k < threads; ++k) {
    const unsigned part = (mine + k) % threads;
    const Partition places{all.first + first_of(part), each + (part < larger ? 1 : 0)};
    settle(team, static_cast<int>(k), k == 0 ? all.first + start : places.first, places);
  }
}

}  // namespace

unsigned bind_team(Thread& self, Team& team, unsigned flags) noexcept {
  unsigned bind = team.icv.bind;
  team.bound = false;
  if (bind == kBindFalse || number_of_places() == 0) {
    return 0;
  }
  if ((flags & 7U) != 0) {
    bind = flags & 7U;
  }
  Position& at = self.at;
  if (at.place < 0) {  // the first region of one of the program's own threads
    at.first_place = 0;
    at.places = static_cast<unsigned>(number_of_places());
    at.place = 0;
    go_to(0);
  }
  team.outer = at;
  team.bound = true;
  const Partition all{at.first_place, std::max(at.places, 1U)};
  const unsigned start = static_cast<unsigned>(at.place) - std::min(static_cast<unsigned>(at.place), all.first);
  switch (bind) {
    case kBindPrimary:
      for (int k = 0; k < team.here; ++k) {
        settle(team, k, static_cast<unsigned>(at.place), all);
      }
      break;
    case kBindSpread: spread_out(team, all, start); break;
    default: close_by(team, all, start); break;
  }
  at.first_place = team.part_first[0];
  at.places = team.part_length[0];
  return bind;
}

void enter_place(Thread& self, const Team& team, int number) noexcept {
  if (!team.bound) {
    return;
  }
  Position& at = self.at;
  at.first_place = team.part_first[number];
  at.places = team.part_length[number];
  if (at.place != team.place_of[number]) {
    at.place = team.place_of[number];
    go_to(at.place);
  }
}

void place_initial(Thread& self) noexcept { self.at.places = static_cast<unsigned>(number_of_places()); }

void unbind_birth(pthread_attr_t* attributes, const Team& team, int number) noexcept {
  if (const cpu_set_t* set = team.bound ? place(team.place_of[number]) : nullptr; set != nullptr) {
    (void)::pthread_attr_setaffinity_np(attributes, sizeof *set, set);
  }
}

}  // namespace weft::omp
