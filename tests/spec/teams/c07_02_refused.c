/* Points 7.2 and 7.3: triplets that do not lie in the parent, stride 0 with several members, wrap-around, sizes below 1
 * and above the parent's are refused alike on all PEs: the same nonzero code, SHMEM_TEAM_INVALID, and the parent goes
 * on working. */
#include "teams.h"

#include <limits.h>

static void refused(shmem_team_t parent, const Members* of, int start, int stride, int size) {
  static long code;
  static long codes[kMostPes];
  char what[100];
  shmem_team_t team = SHMEM_TEAM_WORLD;
  snprintf(what, sizeof what, "%d %d %d of %d", start, stride, size, of->n);
  code = shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team);
  CHECK(code != 0, "%s was accepted", what);
  CHECK(team == SHMEM_TEAM_INVALID, "%s: the handle is %p", what, (void*)team);
  shmem_team_sync(parent);
  shmem_long_fcollect(parent, codes, &code, 1);
  for (int k = 0; k < of->n; ++k) CHECK_EQ(codes[k], code, "%s: code of member %d", what, k);
  shmem_team_sync(parent);
}

static void refuse_all(shmem_team_t parent, const Members* of) {
  const int n = of->n;
  const int starts[] = {-1, n, n + 1, INT_MAX, INT_MIN};
  const int sizes[] = {0, -1, n + 1, n + 100, INT_MAX, INT_MIN};
  for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) {
    refused(parent, of, starts[k], 1, 1);
    refused(parent, of, starts[k], -1, n);
  }
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    refused(parent, of, 0, 1, sizes[k]);
    refused(parent, of, n - 1, -1, sizes[k]);
    refused(parent, of, 0, 0, sizes[k]);
  }
  for (int size = 2; size <= n; ++size) {
    refused(parent, of, 0, 0, size);
    refused(parent, of, n - 1, 1, size);
    refused(parent, of, 0, -1, size);
    refused(parent, of, 0, n, size);
    refused(parent, of, n - 1, -n, size);
    refused(parent, of, n - size + 1, 1, size);
    refused(parent, of, size - 2, -1, size);
    refused(parent, of, 0, INT_MAX, size);
    refused(parent, of, n - 1, INT_MIN, size);
    /* what a product of 32 bits would take for a member */
    refused(parent, of, 0, 1 << 30, size);
    refused(parent, of, n - 1, -(1 << 30), size);
  }
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const Members world = all_pes();
  STEP("of WORLD");
  refuse_all(SHMEM_TEAM_WORLD, &world);
  expect_works(SHMEM_TEAM_WORLD, &world, "WORLD after refusals");
  STEP("of SHARED");
  refuse_all(check_team_of_all(), &world);
  STEP("of a part");
  const int size = check_n > 2 ? check_n - 1 : check_n;
  const Members back = part_of(&world, check_n - 1, -1, size);
  shmem_team_t team = need_part(SHMEM_TEAM_WORLD, check_n - 1, -1, size);
  if (team != SHMEM_TEAM_INVALID) {
    refuse_all(team, &back);
    expect_works(team, &back, "a part after refusals");
    shmem_team_destroy(team);
  }
  return check_end();
}
