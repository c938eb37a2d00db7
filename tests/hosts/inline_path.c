/* Which operations come to the library: none for PEs of the own node, on every node, when the headers' inline bodies
 * are compiled in. The program's own pshmem_long_p and _g stand before the library's and count. inline_path        puts
 * and gets of all PEs to all inline_path hole   the last PE puts to an address that is not symmetric, of the PE before
 * it on its node */
#include <shmem.h>
#include <stdio.h>

static int asked;
static long inbox[64];

void pshmem_long_p(long* dest, long value, int pe) {
  asked++;
  shmem_ctx_long_p(SHMEM_CTX_DEFAULT, dest, value, pe);
}

long pshmem_long_g(const long* source, int pe) {
  asked++;
  return shmem_ctx_long_g(SHMEM_CTX_DEFAULT, source, pe);
}

int main(int argc, char** argv) {
  (void)argv;
  shmem_init();
  const int me = shmem_my_pe();
  const int n = shmem_n_pes();
  const int here = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  if (argc > 1 && me == n - 1) shmem_long_p((long*)(void*)&main, 1, n - 2);
  int wrong = 0;
  for (int pe = 0; pe < n; pe++) shmem_long_p(&inbox[me], 100 * me + pe, pe);
  const int puts_asked = asked;
  shmem_barrier_all();
  for (int from = 0; from < n; from++) {
    wrong += inbox[from] != 100 * from + me;
    for (int pe = 0; pe < n; pe++) wrong += shmem_long_g(&inbox[from], pe) != 100 * from + pe;
  }
  shmem_barrier_all();
  printf("PE %d: %d of node, %d puts and %d gets asked for, %d wrong\n", me, here, puts_asked, (asked - puts_asked) / n,
         wrong);
  shmem_finalize();
  return wrong != 0;
}
