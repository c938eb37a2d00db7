// Over processes that have copies of pages: what was written before anything that orders is seen behind it, whichever
// way the order goes: by barriers and regions of teams of all sizes, by locks, by atomic operations, and by one of them
// behind another, so that a third process hears of it from somebody else than who wrote.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

enum { kMost = 16, kPage = 4096 / sizeof(long), kRounds = 60 };
static int threads;
static long slots[kMost][kPage];  // a page for each thread
static long data[kPage], more[kPage];
static long flags[kMost][kPage];
static long counter;

// Each thread's page, by all, behind each barrier; and nothing but a barrier between some.
static void meet(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (long round = 1; round <= kRounds; round++) {
      slots[me][round % kPage] = round * 100 + me;
#pragma omp barrier
      for (int k = 0; k < omp_get_num_threads(); k++) CHECK(slots[k][round % kPage] == round * 100 + k);
      for (long empty = 0; empty < round % 4; empty++) {
#pragma omp barrier
      }
#pragma omp barrier
    }
  }
}

// Processes that a team left out hear of it before they are in the next one; and what main writes between them.
static void change_teams(void) {
  for (long round = 1; round <= kRounds; round++) {
    const int team = 1 + (int)(round % threads);
    data[0] = round;
#pragma omp parallel num_threads(team)
    {
      const int me = omp_get_thread_num();
      CHECK(data[0] == round);
      slots[me][1] = round * 1000 + me;
#pragma omp barrier
      slots[me][2] = slots[(me + 1) % omp_get_num_threads()][1];
    }
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      for (int k = 0; k < team; k++)
        CHECK(slots[k][1] == round * 1000 + k && slots[k][2] == round * 1000 + (k + 1) % team);
      sum += data[0];
    }
    CHECK(sum == round * threads);
  }
}

// The writer gives a lock back to somebody who waits for it, and then says by a flag of its own that it has written.
static void lock_then_flag(void) {
  for (int writer = 0; writer < threads; writer++) {
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      for (long round = 1; round <= kRounds / 4; round++) {
        const long value = (writer + 1) * 1000 + round;
        if (me == writer) {
#pragma omp critical(one)
          {
            data[1] = value;
            counter++;
          }
          more[1] = value;
#pragma omp atomic write seq_cst
          flags[writer][0] = value;
        } else {
          long seen = 0;
          while (seen != value) {
#pragma omp atomic read seq_cst
            seen = flags[writer][0];
            if (me % 2 == 0) {
#pragma omp critical(one)
              counter++;
            }
          }
#pragma omp flush  // the compiler makes a plain load of the read
          CHECK(data[1] == value && more[1] == value);
        }
#pragma omp barrier
      }
    }
  }
}

// From thread to thread by flags, each of which is somebody else's: the last one sees what the first one has written.
static void pass_on(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int all = omp_get_num_threads();
    for (long round = 1; round <= kRounds / 4; round++) {
      if (me == 0) {
#pragma omp critical(two)
        data[2] = round;
      } else {
        long seen = 0;
        while (seen < round) {
#pragma omp atomic read seq_cst
          seen = flags[(me + 1) % all][3];
        }
#pragma omp flush
        CHECK(data[2] == round);
        slots[me][4] = round;
      }
#pragma omp atomic write seq_cst
      flags[(me + 2) % all][3] = round;
#pragma omp barrier
      for (int k = 1; k < all; k++) CHECK(slots[k][4] == round);
#pragma omp barrier
    }
  }
}

// What thread 0 has written under a lock the last thread reads under the same lock, and says so by a flag: who sees
// that has heard neither of the lock nor of thread 0. So that is of three threads, and more.
static void pass_on_from_a_lock(void) {
  if (threads < 3) return;
  data[4] = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int last = omp_get_num_threads() - 1;
    for (long round = 1; round <= kRounds / 4; round++) {
      if (me == 0) {
#pragma omp critical(four)
        data[4] = round;
      } else if (me == last) {
        long seen = 0;
        while (seen != round) {
#pragma omp critical(four)
          seen = data[4];
        }
#pragma omp atomic write seq_cst
        flags[last][5] = round;
      } else {
        long seen = 0;
        while (seen < round) {
#pragma omp atomic read seq_cst
          seen = flags[last][5];
        }
#pragma omp flush
        CHECK(data[4] == round);
      }
#pragma omp barrier
    }
  }
}

// What is written under a lock is there for who finds a flag that was stored behind it, though the compiler makes a
// plain store of that, which nobody is told of. The reader fetches flags for the first time, one by one, when they may
// be stored already, from wherever they are at home.
static void lock_then_plain_flags(void) {
  enum { kFlags = 8 };
  static long plain[kRounds][kFlags][kPage];
  data[6] = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    const int reader = omp_get_num_threads() - 1;
    for (long round = 0; round < kRounds; round++) {
      if (me == 0) {
#pragma omp critical(seven)
        data[6] = round + 1;
        for (int k = 0; k < kFlags; k++) {
#pragma omp atomic write
          plain[round][k][0] = round + 1;
        }
      } else if (me == reader) {
        CHECK(data[6] >= round);  // so that there is a copy
        long seen = 0;
        for (int k = 0; seen == 0; k = (k + 1) % kFlags) {
#pragma omp atomic read
          seen = plain[round][k][0];
        }
#pragma omp flush
        CHECK(seen == round + 1 && data[6] == round + 1);
      }
#pragma omp barrier
    }
  }
}

// Locks that some have while others of the same process carry out atomic operations.
static void count_beside_atomics(void) {
  long added = 0;
  long counted[2] = {0, 0};
#pragma omp parallel
  for (int k = 0; k < kRounds; k++) {
#pragma omp critical(five)
    counted[0]++;
#pragma omp atomic
    added += k;
#pragma omp critical(six)
    counted[1]++;
  }
  CHECK(counted[0] == (long)kRounds * threads && counted[1] == counted[0]);
  CHECK(added == (long)kRounds * (kRounds - 1) / 2 * threads);
}

// Locks that go round, with what was written under them.
static void count(void) {
  counter = 0;
  data[3] = 0;
#pragma omp parallel
  for (int k = 0; k < kRounds; k++) {
#pragma omp critical(three)
    {
      CHECK(data[3] == counter);
      counter++;
      data[3]++;
    }
  }
  CHECK(counter == (long)kRounds * threads && data[3] == counter);
}

int main(void) {
  threads = omp_get_max_threads();
  CHECK(threads >= 2 && threads <= kMost);
  meet();
  change_teams();
  lock_then_flag();
  pass_on();
  pass_on_from_a_lock();
  lock_then_plain_flags();
  count_beside_atomics();
  count();
  puts("all is right");
  return 0;
}
