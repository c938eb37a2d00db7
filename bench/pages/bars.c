/* What shared pages cost beside what they could cost: each line is a name, a median, that of what it is compared with,
 * and the unit of both. Two PEs of one machine, each with pages of its own (WEFT_SHARED_BY=pages). bars.py runs it. */
#include "bars.h"

#include <signal.h>

enum { kWords = kPage / 8, kHands = 1024, kMost = 64 };

/* STREAM's triad, by one PE. */
static double triad(double* a, const double* b, const double* c, size_t n) {
  const double begin = now();
  for (size_t k = 0; k < n; ++k) {
    a[k] = b[k] + 3.0 * c[k];
  }
  return now() - begin;
}
static void stream(void) {
  const size_t n = (size_t)4 << 20;
  double *a = shared(n * 8), *b = shared(n * 8), *c = shared(n * 8), times[2][15];
  if (g_me == 0) {
    double *mine = here(n * 8), *two = here(n * 8), *three = here(n * 8);
    for (size_t k = 0; k < n; ++k) {
      a[k] = b[k] = c[k] = mine[k] = two[k] = three[k] = 1;
    }
    for (int k = 0; k < 15; ++k) {
      times[0][k] = triad(a, b, c, n);
      times[1][k] = triad(mine, two, three, n);
    }
    tell("stream", median(times[0], 15), median(times[1], 15), "us");
    munmap(mine, n * 8), munmap(two, n * 8), munmap(three, n * 8);
  }
  weft_shared_barrier();
}

/* A page that another PE has written, by a fault each; and a signal, a copy of 4 KiB and mprotect. */
static char *g_probe, *g_from;
static void on_probe(int signal, siginfo_t* info, void* context) {
  char* const page = g_probe + ((char*)info->si_addr - g_probe) / kPage * kPage;
  (void)signal, (void)context;
  mprotect(page, kPage, PROT_READ | PROT_WRITE);
  memcpy(page, g_from + (page - g_probe), kPage);
}
static void cold(void) {
  enum { kCold = 512, kApart = 8 }; /* so that none comes with another one */
  char* const all = shared((size_t)kCold * kApart * kPage);
  double times[2][kCold];
  if (g_me == 1) {
    memset(all, 1, (size_t)kCold * kApart * kPage);
  }
  weft_shared_barrier();
  if (g_me == 0) {
    volatile int sum = 0;
    for (int k = 0; k < kCold; ++k) {
      const double begin = now();
      sum += all[(size_t)k * kApart * kPage];
      times[0][k] = now() - begin;
    }
    g_from = here((size_t)kCold * kApart * kPage);
    memset(g_from, 1, (size_t)kCold * kApart * kPage);
    g_probe = here((size_t)kCold * kApart * kPage);
    mprotect(g_probe, (size_t)kCold * kApart * kPage, PROT_NONE);
    struct sigaction action = {.sa_sigaction = on_probe, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &action, &before);
    for (int k = 0; k < kCold; ++k) {
      const double begin = now();
      sum += g_probe[(size_t)k * kApart * kPage];
      times[1][k] = now() - begin;
    }
    sigaction(SIGSEGV, &before, NULL);
    tell("cold", median(times[0], kCold), median(times[1], kCold), "us");
  }
  weft_shared_barrier();
}

/* Both write all pages by turns. What it takes from the barrier before the one's turn to that behind the other's, and
 * what it is to write, compare and copy them as often here. */
static void write_all(uint64_t* all) {
  for (int k = 0; k < kHands * kWords; ++k) {
    all[k] += (uint64_t)k | 1;
  }
}
/* To the end, as who wants to know what has changed; memcmp is done at the first difference. */
static uint64_t differing(const uint64_t* one, const uint64_t* two) {
  uint64_t bits = 0;
  for (int k = 0; k < kHands * kWords; ++k) {
    bits |= one[k] ^ two[k];
  }
  return bits;
}
static void change_hands(void) {
  enum { kRounds = kMost };
  uint64_t* const all = shared((size_t)kHands * kPage);
  uint64_t *one = here((size_t)kHands * kPage), *two = here((size_t)kHands * kPage);
  double times[2][kRounds];
  weft_shared_stats_t begin = {0}, end;
  for (int round = 0; round < kRounds; ++round) {
    if (round == 8) {
      weft_shared_stats(&begin);
    }
    const double at = now();
    if (g_me == 0) {
      write_all(all);
    }
    weft_shared_barrier();
    if (g_me == 1) {
      write_all(all);
    }
    weft_shared_barrier();
    times[0][round] = now() - at;
  }
  weft_shared_stats(&end);
  double(*counted)[2] = shared(kPage);
  counted[g_me][0] = (double)(end.faults - begin.faults);
  counted[g_me][1] = (double)(end.fetched + end.refreshed - begin.fetched - begin.refreshed);
  weft_shared_barrier();
  if (g_me == 0) {
    for (int round = 0; round < kRounds; ++round) {
      const double at = now();
      for (int turn = 0; turn < 2; ++turn) {
        write_all(one);
        volatile uint64_t changed = differing(one, two);
        (void)changed;
        memcpy(two, one, (size_t)kHands * kPage);
      }
      times[1][round] = now() - at;
    }
    const double pages = 2.0 * kHands * (kRounds - 8);
    tell("hands", median(times[0] + 8, kRounds - 8), median(times[1] + 8, kRounds - 8), "us");
    tell("hands_faults", counted[0][0] + counted[1][0], pages, "faults");
    tell("hands_pages", counted[0][1] + counted[1][1], pages, "pages");
  }
}

/* A plain store is seen by a loop of plain loads: to and fro, so half the time each. */
static void spinning(void) {
  enum { kTurns = 40 };
  volatile int* const turn = shared(kPage);
  double times[kTurns];
  for (int k = 0; k < kTurns; ++k) {
    const double begin = now();
    while (*turn != 2 * k + g_me) {
    }
    *turn = 2 * k + g_me + 1;
    times[k] = now() - begin;
  }
  weft_shared_barrier();
  if (g_me == 0) {
    tell("spinning", median(times, kTurns) / 2000, 10, "ms");
  }
}

/* Every other byte of the same pages is each PE's; and one that writes all that it writes. */
static double write_bytes(char* all, int first, int apart, int writes) {
  enum { kRounds = 32, kPages = 64 };
  double times[kRounds];
  for (int round = 0; round < kRounds; ++round) {
    weft_shared_barrier();
    const double begin = now();
    for (int k = first; writes && k < kPages * kPage; k += apart) {
      all[k]++;
    }
    weft_shared_barrier();
    times[round] = now() - begin;
  }
  return median(times + 8, kRounds - 8);
}
static void alternate(void) {
  char *one = shared((size_t)64 * kPage), *both = shared((size_t)64 * kPage);
  const double alone = write_bytes(one, 0, 2, g_me == 1), together = write_bytes(both, g_me, 2, 1);
  if (g_me == 0) {
    tell("alternate", together, alone, "us");
  }
}

/* The fifth round and those behind of what PE 0 has initialised, against homes by mapping. */
static double halves(double* all, size_t n) {
  enum { kRounds = 30 };
  double times[kRounds];
  for (int round = 0; round < kRounds; ++round) {
    const double begin = now();
    for (size_t k = (size_t)g_me * n / 2; k < (size_t)(g_me + 1) * n / 2; ++k) {
      all[k] = 0.5 * all[k] + 1;
    }
    weft_shared_barrier();
    times[round] = now() - begin;
  }
  return median(times + 5, kRounds - 5);
}
static void serial(void) {
  const size_t n = (size_t)1 << 20;
  double *learned = shared(n * 8), *mapped = shared(n * 8);
  if (g_me == 0) {
    memset(learned, 0, n * 8);
    memset(mapped, 0, n * 8);
  }
  weft_shared_map(mapped, n * 8, n * 4, 0, 2);
  const double one = halves(learned, n), other = halves(mapped, n);
  if (g_me == 0) {
    tell("serial", one, other, "us");
  }
}

int main(void) {
  shmem_init();
  weft_shared_init();
  g_me = weft_shared_my_pe();
  if (weft_shared_n_pes() != 2) {
    fprintf(stderr, "bars: is for two PEs\n");
    shmem_global_exit(1);
  }
  stream();
  cold();
  sequential();
  barriers(2000);
  change_hands();
  spinning();
  alternate();
  serial();
  weft_shared_finalize();
  shmem_finalize();
  return 0;
}
