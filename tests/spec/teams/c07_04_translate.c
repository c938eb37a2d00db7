/* Point 7.4: shmem_team_translate_pe between every two of many teams a PE is in at once, both ways: parts, nested
 * parts, backwards, rows and columns, alone. The expected numbers come from lists of members. */
#include "teams.h"

enum { kMost = 40 };
static shmem_team_t teams[kMost];
static Members lists[kMost];
static int count;

static void keep(shmem_team_t team, Members list) {
  REQUIRE(count < kMost, "room for more teams");
  expect_members(team, &list, "as made");
  teams[count] = team;
  lists[count++] = list;
}

static void strided(int parent, int start, int stride, int size) {
  if (size < 1) return;
  if (number_in(&lists[parent], check_me) < 0) { /* not asked; the list is kept so that indices agree */
    keep(SHMEM_TEAM_INVALID, part_of(&lists[parent], start, stride, size));
    return;
  }
  keep(need_part(teams[parent], start, stride, size), part_of(&lists[parent], start, stride, size));
}

static void grid(int parent, int width) {
  const Members* of = &lists[parent];
  const int me = number_in(of, check_me);
  shmem_team_t x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
  Members row, column;
  row.n = column.n = 0;
  if (me >= 0) {
    REQUIRE(shmem_team_split_2d(teams[parent], width, NULL, 0, &x, NULL, 0, &y) == 0, "split_2d %d", width);
    for (int k = 0; k < of->n; ++k) {
      if (k / width == me / width) row.pe[row.n++] = of->pe[k];
      if (k % width == me % width) column.pe[column.n++] = of->pe[k];
    }
  }
  keep(x, row);
  keep(y, column);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const int n = check_n;
  keep(SHMEM_TEAM_WORLD, all_pes());
  keep(check_team_of_all(), all_pes());
  strided(0, n - 1, -1, n);                     /* 2: backwards */
  strided(0, 0, 2, (n + 1) / 2);                /* 3: even */
  strided(0, n > 1, 2, n > 1 ? n / 2 : 1);      /* 4: odd */
  strided(2, 0, 2, (n + 1) / 2);                /* 5: every second backwards */
  strided(5, (n + 1) / 2 - 1, -1, (n + 1) / 2); /* 6: those forwards again */
  strided(3, 0, 2, ((n + 1) / 2 + 1) / 2);      /* 7: every fourth */
  strided(2, n / 2, -1, n / 2 + 1);             /* 8: the upper half, forwards */
  strided(0, n - 1, 0, 1);                      /* 9: alone */
  grid(0, (n + 1) / 2);                         /* 10, 11 */
  grid(2, 2);                                   /* 12, 13 */
  grid(10, 2);                                  /* 14, 15: a grid in a row */
  grid(5, 1);                                   /* 16, 17 */
  STEP("translate");
  for (int from = 0; from < count; ++from)
    for (int to = 0; to < count; ++to) {
      if (teams[from] == SHMEM_TEAM_INVALID || teams[to] == SHMEM_TEAM_INVALID) continue;
      for (int k = -2; k < n + 2; ++k) {
        const int pe = k >= 0 && k < lists[from].n ? lists[from].pe[k] : -1;
        const int expected = pe < 0 ? -1 : number_in(&lists[to], pe);
        CHECK_EQ(shmem_team_translate_pe(teams[from], k, teams[to]), expected, "%d of team %d in team %d", k, from, to);
      }
    }
  STEP("work");
  for (int k = 0; k < count; ++k) {
    shmem_sync_all();
    expect_works(teams[k], &lists[k], "one of many");
  }
  for (int k = count - 1; k > 1; --k) shmem_team_destroy(teams[k]);
  return check_end();
}
