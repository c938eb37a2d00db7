/* Point 12.5: over a team every PE's target is written, the root's too; over an active set the root's is not. PE_root
 * counts within the team or the set, from 0. */
#include "check.h"

enum { kCount = 5 };

static int32_t g_source[kCount];
static int32_t g_dest[kCount];
static int64_t g_source64[kCount];
static int64_t g_dest64[kCount];
static long g_psync[2][SHMEM_BCAST_SYNC_SIZE];

static void fill(void) {
  for (int i = 0; i < kCount; ++i) {
    g_source[i] = check_me * 100 + i;
    g_source64[i] = check_me * 1000000000000LL + i;
    g_dest[i] = -7;
    g_dest64[i] = -7;
  }
  shmem_barrier_all();
}

static void over_team(shmem_team_t team, const char* name) {
  const int n = team == SHMEM_TEAM_INVALID ? 0 : shmem_team_n_pes(team);
  for (int root = 0; root < check_n; ++root) {
    fill();
    if (root < n) {
      const int pe = shmem_team_translate_pe(team, root, SHMEM_TEAM_WORLD);
      CHECK_EQ(shmem_int32_broadcast(team, g_dest, g_source, kCount, root), 0, "broadcast");
      CHECK_EQ(shmem_broadcastmem(team, g_dest64, g_source64, sizeof g_dest64, root), 0, "broadcastmem");
      for (int i = 0; i < kCount; ++i) {
        CHECK_EQ(g_dest[i], pe * 100 + i, "%s, root %d, element %d", name, root, i);
        CHECK_EQ(g_dest64[i], pe * 1000000000000LL + i, "%s, root %d, mem, element %d", name, root, i);
      }
    }
    shmem_barrier_all();
  }
}

static void over_set(int start, int log_stride, int size) {
  const int stride = 1 << log_stride;
  const int mine = check_me >= start && (check_me - start) % stride == 0 && (check_me - start) / stride < size;
  for (int root = 0; root < size; ++root) {
    const int pe = start + root * stride;
    fill();
    if (mine) {
      shmem_broadcast32(g_dest, g_source, kCount, root, start, log_stride, size, g_psync[0]);
      shmem_broadcast64(g_dest64, g_source64, kCount, root, start, log_stride, size, g_psync[1]);
    }
    for (int i = 0; i < kCount; ++i) {
      const int written = mine && pe != check_me;
      CHECK_EQ(g_dest[i], written ? pe * 100 + i : -7, "set %d %d %d, root %d, element %d", start, log_stride, size,
               root, i);
      CHECK_EQ(g_dest64[i], written ? pe * 1000000000000LL + i : -7, "set %d %d %d, root %d, 64 bit element %d", start,
               log_stride, size, root, i);
    }
    shmem_barrier_all();
  }
}

int main(void) {
  shmem_team_t reversed, odd = SHMEM_TEAM_INVALID;
  check_begin();
  for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) g_psync[0][i] = g_psync[1][i] = SHMEM_SYNC_VALUE;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, check_n - 1, -1, check_n, NULL, 0, &reversed);
  if (check_n > 1) shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, check_n / 2, NULL, 0, &odd);
  over_team(SHMEM_TEAM_WORLD, "WORLD");
  over_team(reversed, "reversed");
  over_team(odd, "odd");
  over_set(0, 0, check_n);
  if (check_n > 1) over_set(1, 0, check_n - 1);
  if (check_n > 2) over_set(1, 1, check_n / 2);
  over_set(check_n - 1, 2, 1);
  return check_end();
}
