/* Point 12.3: only the caller's own source has to be ready when it calls. Each PE in turn comes much later than the
 * others and fills its source just before; and as every PE spoils its source on return, nobody may return while the
 * late one still has to read from it. */
#include "check.h"

enum { kCount = 700, kMostPes = 16, kLateMs = 15 };

static long g_source[kCount * kMostPes];
static long g_dest[kCount * kMostPes];

typedef void (*Operation)(int late);

static long value(int pe, long i) { return (pe + 1) * 1000000L + i; }

static void expect(long element, long should_be, const char* what) {
  CHECK_EQ(g_dest[element], should_be, "%s, element %ld", what, element);
}

static void broadcast(int root) {
  shmem_long_broadcast(SHMEM_TEAM_WORLD, g_dest, g_source, kCount, root);
  for (long i = 0; i < kCount; i += 99) expect(i, value(root, i), "broadcast from the late PE");
}
static void broadcast_to_late(int late) {
  const int root = (late + 1) % check_n;
  shmem_long_broadcast(SHMEM_TEAM_WORLD, g_dest, g_source, kCount, root);
  for (long i = 0; i < kCount; i += 99) expect(i, value(root, i), "broadcast to the late PE");
}
static void fcollect(int late) {
  (void)late;
  shmem_long_fcollect(SHMEM_TEAM_WORLD, g_dest, g_source, kCount);
  for (int pe = 0; pe < check_n; ++pe) expect(pe * kCount + 1 + pe, value(pe, 1 + pe), "fcollect");
}
static void collect(int late) {
  (void)late;
  shmem_long_collect(SHMEM_TEAM_WORLD, g_dest, g_source, (size_t)check_me + 1);
  for (long pe = 0, at = 0; pe < check_n; at += ++pe) expect(at + pe, value((int)pe, pe), "collect");
}
static void alltoall(int late) {
  (void)late;
  shmem_long_alltoall(SHMEM_TEAM_WORLD, g_dest, g_source, kCount);
  for (int pe = 0; pe < check_n; ++pe) expect(pe * kCount + 2, value(pe, check_me * kCount + 2), "alltoall");
}
static void alltoalls(int late) {
  (void)late;
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, g_dest, g_source, 1, 2, kCount / 2);
  for (int pe = 0; pe < check_n; ++pe)
    expect(pe * (kCount / 2) + 2, value(pe, check_me * (kCount / 2) * 2 + 4), "alltoalls");
}
static void max(int late) {
  (void)late;
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, g_dest, g_source, kCount);
  for (long i = 0; i < kCount; i += 99) expect(i, value(check_n - 1, i), "max_reduce");
}
static void few(int late) {
  (void)late;
  shmem_long_min_reduce(SHMEM_TEAM_WORLD, g_dest, g_source, 3);
  for (long i = 0; i < 3; ++i) expect(i, value(0, i), "min_reduce of three");
}
static void inscan(int late) {
  const long n = check_me + 1;
  (void)late;
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, g_dest, g_source, kCount);
  for (long i = 0; i < kCount; i += 99) expect(i, n * i + 1000000L * n * (n + 1) / 2, "inscan");
}
static void exscan(int late) {
  const long n = check_me;
  (void)late;
  shmem_long_sum_exscan(SHMEM_TEAM_WORLD, g_dest, g_source, kCount);
  for (long i = 0; i < kCount; i += 99) expect(i, n * i + 1000000L * n * (n + 1) / 2, "exscan");
}

int main(void) {
  static const Operation operations[] = {
      broadcast, broadcast_to_late, fcollect, collect, alltoall, alltoalls, max, few, inscan, exscan};
  check_begin();
  REQUIRE(check_n <= kMostPes, "%d PEs are more than this test has room for", check_n);
  for (size_t operation = 0; operation < sizeof operations / sizeof operations[0]; ++operation)
    for (int late = 0; late < check_n; ++late) {
      memset(g_dest, 0x55, sizeof g_dest);
      memset(g_source, 0x66, sizeof g_source);
      shmem_barrier_all();
      if (late == check_me) check_sleep_ms(kLateMs);
      for (long i = 0; i < kCount * check_n; ++i) g_source[i] = value(check_me, i);
      operations[operation](late);
      memset(g_source, 0x77, sizeof g_source);
      shmem_barrier_all();
    }
  return check_end();
}
