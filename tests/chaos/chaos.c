/* A random program whose results can be checked: atomic operations, locks, puts with signals and flags, collectives,
 * the allocator and teams, in an order that the seed says. chaos_test.py disturbs its PEs meanwhile.
 *
 *   chaos SEED STEPS [MISTAKE]
 *
 * MISTAKE is one that the program makes on purpose, and the checks have to find: lock, atomic or wait, which it leaves
 * out. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PES 64
#define BLOCKS 8
#define WORDS 256

static int me, n;
static uint64_t common, own; /* states of the generators: the same for all PEs, and this PE's */
static long step;
static const char* mistake = "";

static long counters[4], guarded[2], flag, row[MOST_PES], column[MOST_PES], one, all, buffer[WORDS], copy[WORDS];
static long locks[2];
static uint64_t signal_word;
static char* blocks[BLOCKS];
static size_t sizes[BLOCKS];
static long added, entered[2], rung; /* what this PE has done so far */

/* xorshift64* */
static uint32_t next(uint64_t* state, uint32_t below) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % below;
}
static uint32_t together(uint32_t below) { return next(&common, below); }
static uint32_t alone(uint32_t below) { return next(&own, below); }

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "PE %d of %d, step %ld: %s\n", me, n, step, what);
  shmem_global_exit(3);
}

static int makes(const char* which) { return strcmp(mistake, which) == 0; }

static long sum_of(shmem_team_t team, long mine) {
  one = mine;
  shmem_team_sync(team); /* nobody reads `all` of the reduction before any more */
  check(shmem_long_sum_reduce(team, &all, &one, 1) == 0, "a reduction fails");
  return all;
}

static void count_at_random(void) {
  for (uint32_t k = alone(n <= 4 ? 4000 : 40); k > 0; --k) {
    const int pe = (int)alone((uint32_t)n);
    if (makes("atomic")) {
      shmem_long_p(&counters[0], shmem_long_g(&counters[0], 0) + 1, 0);
    } else if (alone(2) == 0) {
      shmem_long_atomic_inc(&counters[alone(4)], pe);
    } else {
      (void)shmem_long_atomic_fetch_add(&counters[alone(4)], 1, pe);
    }
    ++added;
  }
  shmem_barrier_all();
  const long here = counters[0] + counters[1] + counters[2] + counters[3];
  shmem_sync_all();
  check(sum_of(SHMEM_TEAM_WORLD, here) == sum_of(SHMEM_TEAM_WORLD, added), "atomic operations were lost");
}

static void use_locks(void) {
  for (uint32_t k = alone(n <= 4 ? 60 : 6); k > 0; --k) {
    const uint32_t which = alone(2);
    if (makes("lock")) {
      shmem_quiet();
    } else if (alone(3) == 0) {
      if (shmem_test_lock(&locks[which]) != 0) continue;
    } else {
      shmem_set_lock(&locks[which]);
    }
    const int home = n - 1;
    const long held = shmem_long_g(&guarded[which], home);
    for (volatile uint32_t work = alone(300); work > 0;) work = work - 1; /* time for another one to come in */
    shmem_long_p(&guarded[which], held + 1, home);
    if (!makes("lock")) shmem_clear_lock(&locks[which]);
    ++entered[which];
  }
  shmem_barrier_all();
  for (int which = 0; which < 2; ++which) {
    const long held = shmem_long_g(&guarded[which], n - 1);
    check(sum_of(SHMEM_TEAM_WORLD, entered[which]) == held, "two held a lock at a time");
  }
}

static void allocate(void) {
  const uint32_t which = together(BLOCKS);
  const size_t bytes = 1 + together(20000);
  if (blocks[which] != NULL) {
    for (size_t k = 0; k < sizes[which]; k += 97) {
      check(blocks[which][k] == (char)(sizes[which] + (size_t)me + k), "a block was overwritten");
    }
    shmem_free(blocks[which]);
    blocks[which] = NULL;
    return;
  }
  blocks[which] = together(2) == 0 ? shmem_malloc(bytes) : shmem_align(256, bytes);
  sizes[which] = bytes;
  check(blocks[which] != NULL, "no memory");
  for (size_t k = 0; k < bytes; ++k) blocks[which][k] = (char)(bytes + (size_t)me + k);
  shmem_sync_all();
  /* The same place on the next PE is its block of the same number. */
  const size_t at = together((uint32_t)bytes);
  char* there = blocks[which] + at / 97 * 97;
  const char wanted = (char)(bytes + (size_t)((me + 1) % n) + (size_t)(there - blocks[which]));
  check(shmem_char_g(there, (me + 1) % n) == wanted, "blocks are not symmetric");
  shmem_sync_all();
}

static void pass_round(void) {
  const uint32_t words = 1 + together(WORDS);
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  long source[WORDS];
  for (uint32_t k = 0; k < words; ++k) source[k] = step * 1000 + me + k;
  ++rung;
  if (together(2) == 0) {
    shmem_long_put_signal(buffer, source, words, &signal_word, 1, SHMEM_SIGNAL_ADD, to);
    if (!makes("wait")) (void)shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)rung);
    shmem_long_atomic_inc(&flag, to);
  } else {
    shmem_long_put(buffer, source, words, to);
    shmem_fence();
    shmem_long_atomic_inc(&flag, to);
    shmem_uint64_atomic_inc(&signal_word, to);
    if (together(2) == 0) {
      shmem_long_wait_until(&flag, SHMEM_CMP_GE, rung);
    } else {
      while (!shmem_long_test(&flag, SHMEM_CMP_GE, rung)) continue;
    }
  }
  for (uint32_t k = 0; k < words; ++k)
    check(buffer[k] == step * 1000 + from + (long)k, "the signal came before its data");
  shmem_barrier_all();
}

static void collect(shmem_team_t team) {
  const int mine = shmem_team_my_pe(team), size = shmem_team_n_pes(team);
  const int root = (int)together(1024) % size;
  for (int k = 0; k < WORDS; ++k) buffer[k] = mine == root ? step + k : -1;
  shmem_team_sync(team);
  check(shmem_long_broadcast(team, copy, buffer, WORDS, root) == 0, "a broadcast fails");
  for (int k = 0; k < WORDS; ++k) check(copy[k] == step + k, "a broadcast brings something else");
  for (int k = 0; k < size; ++k) row[k] = step + 100 * mine + k;
  shmem_team_sync(team);
  check(shmem_long_alltoall(team, column, row, 1) == 0, "an alltoall fails");
  for (int k = 0; k < size; ++k) check(column[k] == step + 100 * k + mine, "an alltoall brings something else");
  shmem_team_sync(team);
  check(sum_of(team, mine + step) == size * step + (long)size * (size - 1) / 2, "a sum is wrong");
  shmem_team_sync(team);
}

static void split(void) {
  const int stride = 1 + (int)together(3), start = (int)together(1024) % n;
  const int size = 1 + (int)together(1024) % ((n - start + stride - 1) / stride);
  const uint64_t before = common;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  check(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &team) == 0, "a split fails");
  if (team != SHMEM_TEAM_INVALID) {
    collect(team);
    shmem_team_destroy(team);
  }
  common = before + 2; /* whether a member or not */
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const long steps = argc > 2 ? atol(argv[2]) : 100;
  if (argc > 3) mistake = argv[3];
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  common = (seed + 1) * UINT64_C(0xd1342543de82ef95); /* seeds next to each other give other numbers */
  own = common + (uint64_t)(me + 1) * UINT64_C(0x9e3779b97f4a7c15);
  check(n <= MOST_PES, "too many PEs");
  for (step = 1; step <= steps; ++step) {
    switch (together(6)) {
      case 0: count_at_random(); break;
      case 1: use_locks(); break;
      case 2: allocate(); break;
      case 3: pass_round(); break;
      case 4: collect(SHMEM_TEAM_WORLD); break;
      default: split();
    }
    if (me == 0) {
      printf("step %ld\n", step);
      fflush(stdout);
    }
  }
  shmem_barrier_all();
  if (me == 0) printf("chaos on %d: all is right\n", n);
  shmem_finalize();
  return 0;
}
