// Words that threads of a region change by atomic operations, region after region: what is read of them by plain loads
// and stored by plain stores between regions and beside them, in the same and in other words of the page.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { kRounds = 200, kMost = 64 };
static double sum;
static int halves[2];  // of one word of 8 bytes
static long counter, flag, stored;
static int claimed[kMost];
static unsigned char bytes[8];
// Of a page that another process has at home, if it is the first to write there.
static long far_page[3 * 4096 / sizeof(long)];

static void static_sums(int team) {
  sum = 0;
  for (int round = 1; round <= kRounds; round++) {
#pragma omp parallel reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    CHECK(sum == (double)round * team * (team + 1) / 2);
  }
}

static void sums_of_a_frame(int team) {
  for (int round = 0; round < kRounds; round++) {
    double s = round;
    long most = -1;
#pragma omp parallel reduction(+ : s) reduction(max : most)
    {
      s += 1;
      most = omp_get_thread_num();
    }
    CHECK(s == round + team && most == team - 1);
  }
}

// One by threads, its neighbour by process 0's plain stores meanwhile.
static void neighbours(int team) {
  halves[0] = halves[1] = 0;
  for (int round = 1; round <= kRounds; round++) {
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) {
        halves[1] = round;
      }
#pragma omp atomic
      halves[0]++;
    }
    CHECK(halves[0] == round * team && halves[1] == round);
  }
}

static void small_words(int team) {
  for (int round = 1; round <= kRounds; round++) {
#pragma omp parallel
    {
#pragma omp atomic
      bytes[1]++;
#pragma omp atomic
      bytes[2] += 3;
    }
    CHECK(bytes[1] == (unsigned char)(round * team) && bytes[2] == (unsigned char)(3 * round * team));
    CHECK(bytes[0] == 0 && bytes[3] == 0);
  }
}

// Each value is somebody's once, and all are behind a barrier in the same region.
static void numbers(int team) {
  for (int round = 0; round < kRounds; round++) {
    counter = 0;
    for (int k = 0; k < team; k++) {
      claimed[k] = 0;
    }
#pragma omp parallel
    {
      long mine;
#pragma omp atomic capture
      mine = counter++;
      CHECK(mine >= 0 && mine < team);
#pragma omp atomic
      claimed[mine]++;
#pragma omp barrier
      CHECK(counter == team);
      for (int k = 0; k < team; k++) {
        CHECK(claimed[k] == 1);
      }
    }
  }
}

// The last thread waits for what the first one does behind its own operation: neither keeps the word from the other.
static void waits(int team) {
  for (int round = 1; team > 1 && round <= kRounds / 4; round++) {
    flag = counter = 0;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      if (me == team - 1) {
        long seen;
        do {
#pragma omp atomic capture
          seen = flag += 0;
        } while (seen == 0);
#pragma omp atomic
        counter += 2;
      } else if (me == 0) {
#pragma omp atomic
        counter++;
#pragma omp atomic
        flag++;
      }
    }
    CHECK(counter == 3);
  }
}

// What is stored before an operation that another thread finds is there: by plain loads, in the region.
static void published(int team) {
  for (int round = 1; round <= kRounds; round++) {
    flag = 0;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      long seen = 0;
      if (me == team - 1) {
        stored = round;
#pragma omp atomic seq_cst
        flag++;
      } else {
        while (seen == 0) {
#pragma omp atomic capture seq_cst
          seen = flag += 0;
        }
        CHECK(stored == round);
      }
    }
  }
}

// Only in some regions, and not for all threads; between them by plain stores.
static void now_and_then(int team) {
  counter = 0;
  long all = 0;
  for (int round = 0; round < kRounds; round++) {
#pragma omp parallel
    if (omp_get_thread_num() % 2 == 1 && round % 5 != 0) {
#pragma omp atomic
      counter++;
    }
    all += round % 5 != 0 ? team / 2 : 0;
    CHECK(counter == all);
    if (round % 7 == 0) {
      counter = all = round;
    }
  }
}

// A page that has come to be at home with the last thread's process.
static void from_afar(int team) {
  long* const word = &far_page[4096 / sizeof(long)];
#pragma omp parallel
  if (omp_get_thread_num() == team - 1) {
    *word = 5;
#pragma omp atomic
    *word += 2;
  }
  CHECK(*word == 7);
  for (int round = 1; round <= kRounds; round++) {
#pragma omp parallel
    {
#pragma omp atomic
      *word += 1;
    }
    CHECK(*word == 7 + (long)round * team && word[1] == 3 * (round - 1));
    word[1] += 3;
  }
}

// Others look for it by plain loads while it goes on.
static void looked_for(int team) {
  for (int round = 0; round < 5; round++) {
    counter = 0;
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      if (me == team - 1) {
#pragma omp atomic
        counter++;
        if (team > 1) {
          while (*(volatile long*)&flag != round + 1000) {
          }
        }
      } else if (me == 0) {
        while (*(volatile long*)&counter == 0) {
        }
        *(volatile long*)&flag = round + 1000;
      }
    }
    CHECK(counter == 1);
  }
}

int main(void) {
  const int team = omp_get_max_threads();
  CHECK(team <= kMost);
  static_sums(team);
  sums_of_a_frame(team);
  neighbours(team);
  small_words(team);
  numbers(team);
  waits(team);
  published(team);
  now_and_then(team);
  from_afar(team);
  looked_for(team);
  static_sums(team);
  puts("all is right");
  return 0;
}
