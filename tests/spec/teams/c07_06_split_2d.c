/* Point 7.6: shmem_team_split_2d for every width from 1 to two more than there are PEs: x = number % width counts along
 * rows, y = number / width along columns, a width beyond the members is theirs, the last row may be short. Of WORLD, of
 * teams backwards and strided, and of a row. Widths below 1 are refused alike. */
#include "teams.h"

static void grid(shmem_team_t parent, const Members* of, int width, int work) {
  const int me = number_in(of, check_me);
  const int w = width > of->n ? of->n : width;
  shmem_team_t x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
  Members row, column;
  char what[80];
  /* By walking the grid line after line, not by arithmetic. */
  int my_x = -1, my_y = -1;
  for (int k = 0, cx = 0, cy = 0; k < of->n; ++k) {
    if (k == me) my_x = cx, my_y = cy;
    if (++cx == w) cx = 0, ++cy;
  }
  row.n = column.n = 0;
  for (int k = 0, cx = 0, cy = 0; k < of->n; ++k) {
    if (cy == my_y) row.pe[row.n++] = of->pe[k];
    if (cx == my_x) column.pe[column.n++] = of->pe[k];
    if (++cx == w) cx = 0, ++cy;
  }
  snprintf(what, sizeof what, "width %d of %d", width, of->n);
  CHECK_EQ(shmem_team_split_2d(parent, width, NULL, 0, &x, NULL, 0, &y), 0, "%s", what);
  expect_members(x, &row, what);
  expect_members(y, &column, what);
  if (work) {
    shmem_team_sync(parent);
    expect_works(x, &row, what);
    shmem_team_sync(parent);
    expect_works(y, &column, what);
    if (w > 1 && row.n == w) { /* of a row that is whole, by its members alone */
      shmem_team_t xx = SHMEM_TEAM_INVALID, xy = SHMEM_TEAM_INVALID;
      CHECK_EQ(shmem_team_split_2d(x, 2, NULL, 0, &xx, NULL, 0, &xy), 0, "%s, of its row", what);
      CHECK_EQ(shmem_team_n_pes(xx), me % w / 2 * 2 + 1 < w ? 2 : 1, "%s, a row of its row", what);
      CHECK_EQ(shmem_team_my_pe(xx), me % w % 2, "%s, number there", what);
      CHECK_EQ(shmem_team_my_pe(xy), me % w / 2, "%s, number in the column", what);
      shmem_team_destroy(xx);
      shmem_team_destroy(xy);
    }
  }
  if (width % 2) { /* either may go first, and either may outlive the other */
    shmem_team_destroy(x);
    shmem_team_destroy(y);
  } else {
    shmem_team_destroy(y);
    shmem_team_destroy(x);
  }
}

static void grids(shmem_team_t parent, const Members* of, const char* name) {
  static const int kBad[] = {0, -1, -1000000};
  STEP(name);
  if (number_in(of, check_me) < 0) return;
  for (int width = 1; width <= of->n + 2; ++width) grid(parent, of, width, 1);
  grid(parent, of, 1000000000, 0);
  for (size_t k = 0; k < sizeof kBad / sizeof *kBad; ++k) {
    shmem_team_t x = SHMEM_TEAM_WORLD, y = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_2d(parent, kBad[k], NULL, 0, &x, NULL, 0, &y) != 0, "width %d", kBad[k]);
    CHECK(x == SHMEM_TEAM_INVALID && y == SHMEM_TEAM_INVALID, "handles of width %d", kBad[k]);
  }
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const Members world = all_pes();
  const int n = check_n;
  grids(SHMEM_TEAM_WORLD, &world, "grids of WORLD");
  grids(check_team_of_all(), &world, "grids of SHARED");
  const Members back = part_of(&world, n - 1, -1, n);
  shmem_team_t backwards = need_part(SHMEM_TEAM_WORLD, n - 1, -1, n);
  grids(backwards, &back, "grids of all backwards");
  const Members second = part_of(&back, 0, 2, (n + 1) / 2);
  shmem_team_t every_second = need_part(backwards, 0, 2, (n + 1) / 2);
  grids(every_second, &second, "grids of every second");
  shmem_team_destroy(every_second);
  shmem_team_destroy(backwards);
  return check_end();
}
