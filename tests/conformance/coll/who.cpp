#include "who.hpp"

namespace suite {
namespace {

// Splits a part off `parent`; whoever is in it keeps it.
void add_part(std::vector<Who>& all, const std::string& name, const Who& parent, int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  if (size < 1) return;
  REQUIRE(shmem_team_split_strided(parent.team, start, stride, size, NULL, 0, &team) == 0, "split of %s failed",
          name.c_str());
  if (team != SHMEM_TEAM_INVALID) all.push_back(team_of(name, team));
}

void add_set(std::vector<Who>& all, const std::string& name, int start, int log_stride, int size, long* words) {
  Who who;
  who.name = name;
  who.active = true;
  who.start = start;
  who.log_stride = log_stride;
  who.sync_words = words;
  who.me = -1;
  for (int k = 0; k < size; ++k) {
    who.pes.push_back(start + (k << log_stride));
    if (who.pes.back() == check_me) who.me = k;
  }
  if (who.me >= 0) all.push_back(who);
}

std::vector<Who> make_teams() {
  std::vector<Who> all;
  const int n = check_n;
  all.push_back(team_of("WORLD", SHMEM_TEAM_WORLD));
  all.push_back(team_of("SHARED", SHMEM_TEAM_SHARED));
  const Who world = all[0];
  add_part(all, "reversed", world, n - 1, -1, n);
  const Who reversed = all[2];
  add_part(all, "even", world, 0, 2, (n + 1) / 2);
  add_part(all, "odd", world, 1, 2, n / 2);
  add_part(all, "all but the first, reversed", reversed, 0, 1, n - 1);
  add_part(all, "every third of reversed", reversed, n - 1 - (n - 1) / 3 * 3, 3, (n - 1) / 3 + 1);
  shmem_team_t row = SHMEM_TEAM_INVALID;
  shmem_team_t column = SHMEM_TEAM_INVALID;
  REQUIRE(shmem_team_split_2d(reversed.team, 3, NULL, 0, &row, NULL, 0, &column) == 0, "split_2d failed");
  all.push_back(team_of("row of three", row));
  all.push_back(team_of("column of rows of three", column));
  REQUIRE(shmem_team_split_2d(SHMEM_TEAM_WORLD, 1, NULL, 0, &row, NULL, 0, &column) == 0, "split_2d by 1 failed");
  all.push_back(team_of("one", row));
  return all;
}

std::vector<Who> make_active_sets() {
  std::vector<Who> all;
  const int n = check_n;
  long* words[7];
  for (long*& each : words) each = new_psync();
  shmem_barrier_all();
  add_set(all, "set of all", 0, 0, n, words[0]);
  add_set(all, "even set", 0, 1, (n + 1) / 2, words[1]);
  if (n > 1) add_set(all, "odd set", 1, 1, n / 2, words[2]);
  if (n > 1) add_set(all, "set without PE 0", 1, 0, n - 1, words[3]);
  add_set(all, "set of every fourth", (n - 1) % 4, 2, (n - 1) / 4 + 1, words[4]);
  add_set(all, "set of the upper half", n / 2, 0, n - n / 2, words[5]);
  add_set(all, "set of one", check_me, 3, 1, words[6]);
  return all;
}

}  // namespace

Who team_of(const std::string& name, shmem_team_t team) {
  Who who;
  who.name = name;
  who.team = team;
  who.me = shmem_team_my_pe(team);
  for (int k = 0; k < shmem_team_n_pes(team); ++k) {
    who.pes.push_back(shmem_team_translate_pe(team, k, SHMEM_TEAM_WORLD));
  }
  REQUIRE(who.me >= 0 && who.pes[static_cast<std::size_t>(who.me)] == check_me, "team %s: own number is %d",
          name.c_str(), who.me);
  return who;
}

void Who::sync() const {
  if (active) {
    shmem_sync(start, log_stride, size(), sync_words);
  } else {
    CHECK_EQ(shmem_team_sync(team), 0, "shmem_team_sync of %s", name.c_str());
  }
}

long* new_psync(std::size_t work_bytes) {
  long* const words = static_cast<long*>(shmem_malloc(SHMEM_SYNC_SIZE * sizeof(long) + work_bytes));
  REQUIRE(words != NULL, "no memory for a pSync array");
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) words[i] = SHMEM_SYNC_VALUE;
  return words;
}

bool is_restored(const long* psync) {
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) {
    if (psync[i] != SHMEM_SYNC_VALUE) return false;
  }
  return true;
}

const std::vector<Who>& teams() {
  static const std::vector<Who> all = make_teams();
  return all;
}

const std::vector<Who>& active_sets() {
  static const std::vector<Who> all = make_active_sets();
  return all;
}

}  // namespace suite
