// What process 0 does between regions, by plain stores, atomic operations and comparisons, on pages that are at home
// everywhere: teams of all sizes find it, those too that were left out of some. In the end the last process has a
// thread of the program's own, which looks between regions too: from then on nothing is owed.
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "check.h"

enum {
  kPages = 300,
  kRounds = 60,
  kMany = 250,
  kStored = 0,
  kAdded = 8,
  kCompared = 9,
  kByRegion = 10,
  kWords = 11,
  kLooks = 300
};
static long pages[kPages][512] __attribute__((aligned(4096)));
static long wanted[kPages][kWords];
typedef struct {
  long first[512], second[512], looked[512], over[512];  // a page each
} Watched;
static Watched watched[2] __attribute__((aligned(4096)));
static unsigned seed = 1;

static unsigned number(void) { return (seed = seed * 1103515245 + 12345) >> 8; }

static void add(int page) {
#pragma omp atomic
  pages[page][kAdded]++;
  wanted[page][kAdded]++;
}

static void compare(int page, long value) {
  const long expected = number() % 2 == 0 ? wanted[page][kCompared] : -1;
  const long found = __sync_val_compare_and_swap(&pages[page][kCompared], expected, value);
  CHECK(found == wanted[page][kCompared]);
  if (found == expected) {
    wanted[page][kCompared] = value;
  }
}

static void check(int page) {
  for (int word = 0; word < kWords; word++) {
    CHECK(pages[page][word] == wanted[page][word]);
  }
}

static void do_something(long value) {
  const int page = (int)(number() % kPages);
  switch (number() % 4) {
    case 0: pages[page][kStored] = wanted[page][kStored] = value; break;
    case 1: add(page); break;
    case 2: compare(page, value); break;
    default: check(page); break;
  }
}

static void region(long value) {
  const int team = 1 + (int)(number() % (unsigned)omp_get_max_threads());
  const int first = (int)(number() % kPages);
  const int many = (int)(number() % 40);
#pragma omp parallel num_threads(team)
  for (int k = 0; k < many; k++) {
    const int page = (first + k) % kPages;
    CHECK(pages[page][kStored] == wanted[page][kStored] && pages[page][kCompared] == wanted[page][kCompared]);
#pragma omp atomic
    pages[page][kAdded]++;
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      pages[page][kByRegion] = value;
    }
  }
  for (int k = 0; k < many; k++) {
    const int page = (first + k) % kPages;
    wanted[page][kAdded] += team;
    wanted[page][kByRegion] = value;
    check(page);
  }
}

static void* outsider(void* argument) {
  Watched* const at = argument;
  while (__sync_fetch_and_add(&at->over[0], 0) == 0) {
    const long last = __sync_fetch_and_add(&at->second[0], 0);
    CHECK(*(volatile long*)&at->first[0] >= last);
    (void)__sync_fetch_and_add(&at->looked[0], 1);
  }
  return NULL;
}

// One word and then the other, each by an atomic operation, while a thread of the last process reads them the other way
// round, the first one by a plain load. They are at home with process 0, or the last one.
static void be_watched(int by_last) {
  Watched* const at = &watched[by_last];
  static pthread_t thread;
#pragma omp parallel
  {
    const int last = omp_get_num_threads() - 1;
    if (omp_get_thread_num() == (by_last ? last : 0)) {
      at->first[1] = at->second[1] = at->looked[1] = at->over[1] = 1;
    }
#pragma omp barrier
    if (omp_get_thread_num() == last) {
      CHECK(pthread_create(&thread, NULL, outsider, at) == 0);
    }
  }
  while (__sync_fetch_and_add(&at->looked[0], 0) < kLooks) {
    (void)__sync_fetch_and_add(&at->first[0], 1);
    (void)__sync_fetch_and_add(&at->second[0], 1);
  }
  (void)__sync_fetch_and_add(&at->over[0], 1);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    CHECK(pthread_join(thread, NULL) == 0);
  }
}

int main(void) {
#pragma omp parallel
  for (int page = omp_get_thread_num(); page < kPages; page += omp_get_num_threads()) {
    pages[page][kStored] = page;
  }
  for (int page = 0; page < kPages; page++) {
    wanted[page][kStored] = page;
  }
  for (int round = 0; round < kRounds; round++) {
    // Now and then more than a message takes along.
    const unsigned many = number() % 5 == 0 ? kMany : number() % 20;
    for (unsigned k = 0; k < many; k++) {
      do_something(round * 1000 + k);
    }
    region(round);
  }
  be_watched(0);
  be_watched(1);
  puts("all is right");
  return 0;
}
