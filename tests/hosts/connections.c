// Collectives of all kinds, one after another, each small and a reduction of a middling size; then each PE tells how
// many connections it has by TCP.
#include <dirent.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCount = 8192 };

static void check(int fine, const char* what) {
  if (fine) return;
  printf("PE %d: %s\n", shmem_my_pe(), what);
  shmem_global_exit(1);
}

// Whether a socket is in one of the kernel's tables of this host, as connected.
static int connected(const char* table, const char* inode) {
  char line[256], state[8], number[32];
  int found = 0;
  FILE* lines = fopen(table, "r");
  while (!found && lines && fgets(line, sizeof line, lines)) {
    found = sscanf(line, " %*d: %*s %*s %7s %*s %*s %*s %*d %*d %31s", state, number) == 2 && !strcmp(state, "01") &&
            !strcmp(number, inode);
  }
  if (lines) fclose(lines);
  return found;
}

// Those that others have made are in the second table: who listens does so for both kinds of addresses.
static int connections(void) {
  int n = 0;
  DIR* files = opendir("/proc/self/fd");
  check(files != NULL, "no list of files");
  for (struct dirent* file; (file = readdir(files));) {
    char path[64], to[64] = "", inode[32];
    snprintf(path, sizeof path, "/proc/self/fd/%.20s", file->d_name);
    if (readlink(path, to, sizeof to - 1) <= 0 || sscanf(to, "socket:[%31[0-9]", inode) != 1) continue;
    n += connected("/proc/self/net/tcp", inode) || connected("/proc/self/net/tcp6", inode);
  }
  closedir(files);
  return n;
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  const size_t pes = (size_t)n;
  long* from = shmem_malloc((kCount + pes) * sizeof *from);
  long* to = shmem_malloc((kCount + pes * pes) * sizeof *to);
  const long all = (long)n * (n - 1) / 2;
  shmemx_req_t request;

  for (int k = 0; k < kCount; ++k) from[k] = me;
  shmem_barrier_all();
  shmem_long_fcollect(SHMEM_TEAM_WORLD, to, from, 1);
  for (int pe = 0; pe < n; ++pe) check(to[pe] == pe, "fcollect");
  shmem_barrier_all();
  shmem_long_collect(SHMEM_TEAM_WORLD, to, from, (size_t)me + 1);
  check(to[0] == 0 && to[pes * (pes + 1) / 2 - 1] == n - 1, "collect");
  for (size_t words = 1; words <= kCount; words *= kCount) {
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, from, words);
    check(to[0] == all && to[words - 1] == all, "a sum");
    shmemx_long_sum_reduce_nb(SHMEM_TEAM_WORLD, to + 1, from, words, &request);
    shmemx_req_wait(&request);
    check(to[1] == all && to[words] == all, "a sum that does not wait");
  }
  for (int pe = 0; pe < n; ++pe) from[pe] = 100L * me + pe;
  shmem_barrier_all();
  shmem_long_alltoall(SHMEM_TEAM_WORLD, to, from, 1);
  for (int pe = 0; pe < n; ++pe) check(to[pe] == 100L * pe + me, "alltoall");
  shmem_barrier_all();
  shmemx_long_alltoall_nb(SHMEM_TEAM_WORLD, to, from, 1, &request);
  shmemx_req_wait(&request);
  for (int pe = 0; pe < n; ++pe) check(to[pe] == 100L * pe + me, "alltoall that does not wait");
  shmemx_team_barrier_nb(SHMEM_TEAM_WORLD, &request);
  shmemx_req_wait(&request);
  shmem_barrier_all();
  printf("PE %d: %d connections\n", me, connections());
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
