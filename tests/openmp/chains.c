// Compiled so that atomic loads and stores are calls, as the wrappers have it: what is written before an atomic write
// that releases is there behind an atomic read that acquires and has seen it, without a flush; and what one thread has
// seen of a word, and tells on, a third one finds there, by an atomic read and by a load.
#include <omp.h>
#include <stdatomic.h>

#include "check.h"

enum { kRounds = 24, kPage = 4096 / sizeof(long) };
static long data[kPage] __attribute__((aligned(4096)));
static long word[kPage] __attribute__((aligned(4096)));
static long told[kPage] __attribute__((aligned(4096)));
static long heard[kPage] __attribute__((aligned(4096)));
static long flags[kRounds][kPage] __attribute__((aligned(4096)));  // each fetched for the first time
static _Atomic int ready __attribute__((aligned(4096)));
static double real[kPage] __attribute__((aligned(4096)));

static void settle_at(int home) {
#pragma omp parallel
  if (omp_get_thread_num() == home) {
    word[0]++;
    told[0]++;
    heard[0]++;
    data[0]++;
    real[0]++;
  }
}

static void write_then_tell(int writer) {
  const int reader = (writer + 1) % omp_get_max_threads();
  data[1] = 0;
  atomic_store(&ready, 0);
  for (int round = 0; round < kRounds; round++) flags[round][1] = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (long round = 0; round < kRounds; round++) {
      if (me == writer) {
        data[1] = round + 1;
#pragma omp atomic write release
        flags[round][1] = round + 1;
        data[2] = round + 1;
        atomic_store_explicit(&ready, (int)round + 1, memory_order_release);
      } else if (me == reader) {
        CHECK(data[1] >= round);  // so that there is a copy
        long seen = 0;
        while (seen == 0) {
#pragma omp atomic read acquire
          seen = flags[round][1];
        }
        CHECK(seen == round + 1 && data[1] == round + 1);
        while (atomic_load_explicit(&ready, memory_order_acquire) <= (int)round) {
        }
        CHECK(data[2] == round + 1);
      }
#pragma omp barrier
    }
  }
}

// Thread 0 changes the word and tells nobody; the middle one sees it there, and tells the last one, which has a copy.
static void see_and_tell(int home, int ordered) {
  settle_at(home);
  for (int round = 0; round < kRounds; round++) {
    word[1] = told[1] = heard[1] = 0;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      const int last = omp_get_num_threads() - 1;
      if (me == last || round % 2 == 0) {
        CHECK(*(volatile long*)&word[1] == 0);
      }
#pragma omp barrier
      long seen = 0;
      if (me == 0) {
        if (ordered) {
#pragma omp atomic update release
          word[1] += 1;
        } else {
#pragma omp atomic
          word[1] += 1;
        }
        while (seen == 0) {
#pragma omp atomic read
          seen = heard[1];
        }
      } else if (me == last / 2 + last % 2) {
        while (seen == 0) {
          if (ordered) {
#pragma omp atomic read acquire
            seen = word[1];
          } else {
#pragma omp atomic read
            seen = word[1];
          }
        }
#pragma omp atomic write release
        told[1] = 1;
      } else if (me == last) {
        while (seen == 0) {
#pragma omp atomic read acquire
          seen = told[1];
        }
        long found;
        if (ordered) {
          found = *(volatile long*)&word[1];
          CHECK(found == 1);
        }
#pragma omp atomic read
        found = word[1];
        CHECK(found == 1);
#pragma omp atomic write
        heard[1] = 1;
      }
    }
  }
}

// A thread's own stores are there for its own atomics, and the other way round, whatever is to be ordered.
static void mix(int home) {
  settle_at(home);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (long round = 1; round <= kRounds; round++) {
      long seen;
      word[8 + me] = round;
#pragma omp atomic read
      seen = word[8 + me];
      CHECK(seen == round);
      word[8 + me] = 10 * round;
#pragma omp atomic
      word[8 + me] += 3;
      CHECK(word[8 + me] == 10 * round + 3);
#pragma omp atomic write
      word[8 + me] = 7;
      CHECK(word[8 + me] == 7);
      real[8 + me] = 0.5;
#pragma omp atomic
      real[8 + me] += 1.25;
      double is;
#pragma omp atomic read
      is = real[8 + me];
      CHECK(is == 1.75 && real[8 + me] == 1.75);
    }
  }
}

int main(void) {
  const int threads = omp_get_max_threads();
  CHECK(threads >= 2);
  for (int k = 0; k < threads; k++) {
    write_then_tell(k);
    mix(k);
    if (threads > 2) {
      see_and_tell(k, 0);
      see_and_tell(k, 1);
    }
  }
  puts("all is right");
  return 0;
}
