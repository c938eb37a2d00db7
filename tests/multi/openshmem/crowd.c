/* Everything at once, on many PEs: each PE puts to all others, heap and static data, takes tickets, adds under a lock,
 * passes a signal round, and checks what it got. More PEs than processors is the usual case here. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMaxPes = 64, kRounds = 6, kWords = 33 };

static long from_each[kMaxPes][kWords]; /* row s: what PE s put here */
static long tickets;
static long lock;
static long protected_count;
static uint64_t token;

static int failures;

static void check(int holds, const char* what, int pe, int round, long value) {
  if (!holds && failures++ < 5) printf("PE %d, round %d: %s (%ld)\n", pe, round, what, value);
}

static long expected(int from, int to, int round, int word) { return ((from * 64L + to) * 64 + round) * 64 + word; }

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  long* rows = shmem_calloc((size_t)n * kWords, sizeof *rows);
  char* taken = shmem_calloc((size_t)n * kRounds + 1, 1);
  long out[kWords];

  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < n; ++k) {
      const int to = (me + k) % n; /* not all at one PE */
      for (int w = 0; w < kWords; ++w) out[w] = expected(me, to, round, w);
      shmem_long_put(from_each[me], out, kWords, to);
      shmem_putmem(rows + (size_t)me * kWords, out, sizeof out, to);
    }
    /* Each ticket is given once, whoever comes when. */
    const long ticket = shmem_long_atomic_fetch_inc(&tickets, n - 1);
    check(ticket >= 0 && ticket < (long)n * kRounds, "ticket out of range", me, round, ticket);
    shmem_char_p(taken + ticket, 1, 0);

    shmem_set_lock(&lock);
    const long seen = shmem_long_g(&protected_count, 0);
    shmem_long_p(&protected_count, seen + 1, 0);
    shmem_clear_lock(&lock);

    shmem_barrier_all();
    for (int from = 0; from < n; ++from) {
      for (int w = 0; w < kWords; ++w) {
        const long want = expected(from, me, round, w);
        check(from_each[from][w] == want, "static data", me, round, from_each[from][w]);
        check(rows[(size_t)from * kWords + w] == want, "heap", me, round, rows[(size_t)from * kWords + w]);
      }
    }
    check(shmem_long_g(&protected_count, 0) == (long)n * (round + 1), "count under the lock", me, round,
          shmem_long_g(&protected_count, 0));

    /* A token goes round once; its value counts the steps. */
    const uint64_t start = (uint64_t)round * (uint64_t)n;
    if (me > 0 || n == 1) {
      if (n == 1) shmem_signal_set(&token, start + 1, 0);
      shmem_signal_wait_until(&token, SHMEM_CMP_EQ, n == 1 ? start + 1 : start + (uint64_t)me);
    }
    if (n > 1) {
      shmem_signal_set(&token, me == n - 1 ? start + (uint64_t)n : start + (uint64_t)me + 1, (me + 1) % n);
      if (me == 0) shmem_signal_wait_until(&token, SHMEM_CMP_EQ, start + (uint64_t)n);
    }
    shmem_barrier_all();
  }
  if (me == 0) {
    for (long t = 0; t < (long)n * kRounds; ++t) check(taken[t] == 1, "a ticket nobody got", me, kRounds, t);
  }
  shmem_free(taken);
  shmem_free(rows);
  if (failures != 0) shmem_global_exit(1);
  if (me == 0) printf("crowd of %d: all is right\n", n);
  shmem_finalize();
  return 0;
}
