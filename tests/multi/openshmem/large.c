// Collectives of several MiB: what is too large to be sent, combined or copied in one piece comes whole, over WORLD and
// over WORLD backwards, and in place too.
#include <shmem.h>
#include "../../spec/check.h"

enum { kCount = 150003, kShort = 70001 };  // no multiples of any piece

static long* source;
static long* dest;

static void fill(size_t count, long by) {
  for (size_t i = 0; i < count; ++i) source[i] = by + (long)i;
}

static void holds(const long* data, size_t count, long by, long step, const char* what) {
  for (size_t i = 0; i < count; ++i)
    REQUIRE(data[i] == by + step * (long)i, "%s: element %zu is %ld", what, i, data[i]);
}

static void broadcasts(shmem_team_t team, int me, int n) {
  const size_t counts[] = {kCount, kShort};
  for (int root = 0; root < n; ++root) {
    for (int k = 0; k < 2; ++k) {
      fill(counts[k], me * 1000000L + k);
      dest[counts[k]] = -1;
      shmem_team_sync(team);
      shmem_long_broadcast(team, dest, source, counts[k], root);
      holds(dest, counts[k], root * 1000000L + k, 1, "broadcast");
      CHECK_EQ(dest[counts[k]], -1, "behind the broadcast's target");
      shmem_team_sync(team);
    }
  }
}

static void blocks(shmem_team_t team, int me, int n) {
  fill(kCount, me);
  shmem_team_sync(team);
  shmem_long_fcollect(team, dest, source, kCount);
  for (int k = 0; k < n; ++k) holds(dest + (size_t)k * kCount, kCount, k, 1, "fcollect");
  shmem_team_sync(team);
  for (int k = 0; k < n; ++k) {
    for (size_t i = 0; i < kCount; ++i) source[(size_t)k * kCount + i] = me * 1000L + k;
  }
  shmem_team_sync(team);
  shmem_long_alltoall(team, dest, source, kCount);
  for (int k = 0; k < n; ++k) holds(dest + (size_t)k * kCount, kCount, k * 1000L + me, 0, "alltoall");
  shmem_team_sync(team);
}

static void sums(shmem_team_t team, int me, int n) {
  const long all = (long)n * (n - 1) / 2;
  fill(kCount, me);
  shmem_team_sync(team);
  shmem_long_sum_reduce(team, dest, source, kCount);
  holds(dest, kCount, all, n, "reduction");
  shmem_team_sync(team);
  shmem_long_sum_inscan(team, dest, source, kCount);
  holds(dest, kCount, (long)me * (me + 1) / 2, me + 1, "inscan");
  shmem_team_sync(team);
  shmem_long_sum_reduce(team, source, source, kCount);
  holds(source, kCount, all, n, "reduction in place");
  fill(kCount, me);
  shmem_team_sync(team);
  shmem_long_sum_exscan(team, source, source, kCount);
  holds(source, kCount, (long)me * (me - 1) / 2, me, "exscan in place");
  shmem_team_sync(team);
}

int main(void) {
  check_begin();
  const int n = shmem_n_pes();
  source = shmem_malloc((size_t)(n + 1) * kCount * sizeof(long));
  dest = shmem_malloc((size_t)(n + 1) * kCount * sizeof(long));
  REQUIRE(source != NULL && dest != NULL, "no memory");
  shmem_team_t backwards = SHMEM_TEAM_INVALID;
  CHECK_EQ(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &backwards), 0, "split_strided");
  const shmem_team_t teams[] = {SHMEM_TEAM_WORLD, backwards};
  for (int k = 0; k < 2; ++k) {
    const int me = shmem_team_my_pe(teams[k]);
    broadcasts(teams[k], me, n);
    blocks(teams[k], me, n);
    sums(teams[k], me, n);
  }
  return check_end();
}
