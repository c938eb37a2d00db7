// What one process has changed by an atomic operation and not told of yet, another one finds: by a comparison that
// fails. A third one that hears of it from the second sees it by a plain load.
#include <omp.h>

#include "check.h"

enum { kRounds = 8, kMoreRounds = 64, kPage = 4096 / sizeof(long) };
static long word[kPage] __attribute__((aligned(4096)));
static long flag[kPage] __attribute__((aligned(4096)));
static long heard[kPage] __attribute__((aligned(4096)));
static long inside[kPage] __attribute__((aligned(4096)));  // of the second process alone
static __int128 pair[kPage / 2] __attribute__((aligned(4096)));

static long load(const long* from) { return *(const volatile long*)from; }
static long compare(long* at, long expected, long value) { return __sync_val_compare_and_swap(at, expected, value); }

// Whatever is found: 77 is never there.
static void find(long* at, long wanted) {
  while (compare(at, 77, 78) != wanted) {
  }
}
__attribute__((target("cx16"))) static void change_pair(__int128 to) {
  (void)__sync_val_compare_and_swap(&pair[2], 0, to);
}
__attribute__((target("cx16"))) static void find_pair(__int128 wanted) {
  while (__sync_val_compare_and_swap(&pair[2], 77, 78) != wanted) {
  }
}

typedef enum {
  kBySwap,      // of another word
  kByCompare,   // the same
  kByHalf,      // of the word that was found, the other half
  kByCritical,  // OpenMP's own
  kBehindLoop,  // that goes on until it has changed the word itself
  kByOther,     // thread of the process
  kOfPair,      // of words is what was found
  kWays
} How;

static void tell(How how) {
  switch (how) {
    case kByCompare: CHECK(compare(&flag[1], 0, 1) == 0); break;
    case kByHalf: (void)__sync_val_compare_and_swap((int*)&word[1] + 1, 0, 1); break;
    case kByCritical:
#pragma omp critical
      flag[1] = 1;
      break;
    case kBehindLoop:
      CHECK(compare(&word[1], 1, 2) == 1);
      (void)__sync_lock_test_and_set(&flag[1], 1);
      break;
    default: (void)__sync_lock_test_and_set(&flag[1], 1); break;
  }
}

static int is_told(How how) {
  if (how == kByHalf) {
    return __sync_fetch_and_add((int*)&word[1] + 1, 0) != 0;
  }
  if (how != kByCritical) {
    return __sync_fetch_and_add(&flag[1], 0) != 0;
  }
  int told;
#pragma omp critical
  told = flag[1] != 0;
  return told;
}

static void pass_on(How how, int home) {
  const int each = omp_get_max_threads() / 3;
#pragma omp parallel
  if (omp_get_thread_num() == home * each) {
    word[0] = flag[0] = heard[0] = 1;
    pair[0] = 1;
  }
  // Another word is to be compared before the thread that looks has announced the first.
  const int rounds = how == kByCompare ? kMoreRounds : kRounds;
  for (int round = 0; round < rounds; round++) {
    word[1] = flag[1] = heard[1] = inside[1] = 0;
    pair[2] = 0;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      if (me == 2 * each) {  // has a copy
        CHECK(load(&word[1]) == 0 && load((long*)&pair[2]) == 0);
      }
#pragma omp barrier
      if (me == each) {
        if (how == kOfPair) {
          change_pair((__int128)1 << 64 | 1);
        } else {
          CHECK(how == kByHalf ? __sync_val_compare_and_swap((int*)&word[1], 0, 1) == 0 : compare(&word[1], 0, 1) == 0);
        }
        while (load(&heard[1]) == 0) {  // and nothing that tells anybody
        }
      }
      if (me == 0) {
        if (how == kOfPair) {
          find_pair((__int128)1 << 64 | 1);
        } else {
          find(&word[1], 1);
        }
        if (how != kByOther || each == 1) {
          tell(how);
        }
        *(volatile long*)&inside[1] = 1;
      } else if (me == each - 1 && how == kByOther) {
        while (load(&inside[1]) == 0) {
        }
        tell(how);
      } else if (me == 2 * each) {
        while (!is_told(how)) {
        }
        if (how == kOfPair) {
          CHECK(load((long*)&pair[2]) == 1 && load((long*)&pair[2] + 1) == 1);
        } else {
          CHECK(how == kByHalf ? *(volatile int*)&word[1] == 1 : load(&word[1]) == (how == kBehindLoop ? 2 : 1));
        }
        (void)__sync_lock_test_and_set(&heard[1], 1);
      }
    }
  }
}

int main(void) {
  CHECK(omp_get_max_threads() % 3 == 0);
  for (int how = 0; how < kWays; how++) {
    for (int home = 0; home < 3; home++) {
      pass_on((How)how, home);
    }
  }
  puts("all is right");
  return 0;
}
