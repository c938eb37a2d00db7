/* Points 7.1 and 7.3: every triplet that lies in the parent, with all strides forwards and backwards, makes the team
 * that counting shows, of WORLD, SHARED, and of teams that are reversed, strided and nested already. PEs outside get
 * SHMEM_TEAM_INVALID and 0. */
#include "teams.h"

#include <limits.h>

static int made, tried;

/* All triplets of the parent of which each `every`th is made. Only members of the parent call. */
static void all_triplets(shmem_team_t parent, const Members* of, const char* name, int every) {
  char what[100];
  for (int start = 0; start < of->n; ++start)
    for (int stride = -of->n; stride <= of->n; ++stride)
      for (int size = 1; size <= of->n; ++size) {
        const Members m = part_of(of, start, stride, size);
        shmem_team_t team = SHMEM_TEAM_WORLD; /* must be overwritten */
        if (m.n == 0 || (stride == 0 && size > 1) || ++tried % every != 0) continue;
        snprintf(what, sizeof what, "%s: %d %d %d", name, start, stride, size);
        CHECK_EQ(shmem_team_split_strided(parent, start, stride, size, NULL, 0, &team), 0, "%s", what);
        expect_members(team, &m, what);
        if (++made % 5 == 0) {
          expect_works(team, &m, what);
          shmem_team_sync(parent);
        }
        shmem_team_destroy(team);
      }
}

/* A stride that a team of one has no use for may be anything. */
static void strides_of_one(shmem_team_t parent, const Members* of) {
  static const int kStrides[] = {0, 1, -1, 1000000, INT_MAX, INT_MIN, INT_MIN + 1};
  for (size_t s = 0; s < sizeof kStrides / sizeof *kStrides; ++s) {
    const Members m = part_of(of, of->n - 1, 1, 1);
    shmem_team_t team = need_part(parent, of->n - 1, kStrides[s], 1);
    shmem_team_t nested = SHMEM_TEAM_INVALID;
    expect_members(team, &m, "a team of one");
    expect_works(team, &m, "a team of one");
    if (team != SHMEM_TEAM_INVALID) nested = need_part(team, 0, kStrides[s], 1);
    expect_members(nested, &m, "one of one");
    shmem_team_destroy(nested);
    shmem_team_destroy(team);
  }
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const Members world = all_pes();
  const int n = check_n, every = n <= 7 ? 1 : n * n / 16;
  STEP("parts of WORLD");
  all_triplets(SHMEM_TEAM_WORLD, &world, "WORLD", every);
  strides_of_one(SHMEM_TEAM_WORLD, &world);
  STEP("parts of SHARED");
  all_triplets(check_team_of_all(), &world, "SHARED", every * 3);
  STEP("parts of all backwards");
  const Members back = part_of(&world, n - 1, -1, n);
  shmem_team_t backwards = need_part(SHMEM_TEAM_WORLD, n - 1, -1, n);
  all_triplets(backwards, &back, "backwards", every * 2);
  strides_of_one(backwards, &back);
  STEP("parts of every second, backwards");
  const int half = (n + 1) / 2;
  const Members odd = part_of(&back, 0, 2, half);
  shmem_team_t second = need_part(backwards, 0, 2, half);
  expect_members(second, &odd, "every second");
  if (second != SHMEM_TEAM_INVALID) {
    all_triplets(second, &odd, "every second", 1);
    strides_of_one(second, &odd);
    shmem_team_destroy(second);
  }
  shmem_team_destroy(backwards);
  CHECK(made > 0, "made %d", made);
  return check_end();
}
