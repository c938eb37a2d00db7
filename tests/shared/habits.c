/* What each interval does is learned by the barrier that it follows: pages that are read in one of several come as that
 * one begins, not at each barrier at which they have changed; and what is written now and then may be written by then.
 * With WEFT_SHARED_PROTOCOL=missed neither is so. */
#include <string.h>
#include <sys/resource.h>

#include "check.h"

enum { kPages = 48, kInts = kPages * 1024, kRounds = 40, kIdle = 12 };

static int g_me, g_n;

static weft_shared_stats_t stats(void) {
  weft_shared_stats_t now;
  weft_shared_stats(&now);
  return now;
}
static uint64_t came(const weft_shared_stats_t* of) { return of->fetched + of->refreshed; }

static int learns(void) {
  const char* const said = getenv("WEFT_SHARED_PROTOCOL");
  return said == NULL || strcmp(said, "missed") != 0;
}

/* Every other page, as pages in a row come together. */
static int* word(int* all, int page, int k) { return &all[2 * page * 1024 + k]; }

static void write_words(int* all, int pe, int k, int value) {
  for (int page = 0; g_me == pe && page < kPages / 2; ++page) {
    *word(all, page, k) = value + page;
  }
}

static void read_words(int* all, int words, int value) {
  for (int page = 0; page < kPages / 2; ++page) {
    for (int k = 0; k < words; ++k) {
      CHECK(*word(all, page, k) == value + page);
    }
  }
}

/* Three intervals of writing, one of reading. */
static void read_in_one_of_four(int* all) {
  weft_shared_stats_t begin = stats();
  for (int round = 0; round < kRounds; ++round) {
    if (round == kRounds / 4) {
      begin = stats();
    }
    weft_shared_barrier();
    write_words(all, 0, 0, round);
    weft_shared_barrier();
    write_words(all, 0, 1, round);
    weft_shared_barrier();
    write_words(all, 0, 2, round);
    weft_shared_barrier();
    if (g_me != 0) {
      read_words(all, 3, round);
    }
  }
  const weft_shared_stats_t end = stats();
  const uint64_t moved = came(&end) - came(&begin), once = (uint64_t)kRounds * 3 / 4 * (kPages / 2);
  if (end.faults > 0 && g_me != 0) {
    CHECK(learns() ? moved < once * 2 : moved > once * 3 / 2);
    CHECK(end.faults - begin.faults < once / 3);
  }
}

/* A PE whose pages are at home elsewhere writes them in one of many intervals; perhaps what is there already, which
 * only faults show. */
static void written_now_and_then(int* all, int changes) {
  weft_shared_map(all, sizeof(int) * kInts, sizeof(int) * kInts, 0, 1);
  weft_shared_stats_t begin = stats();
  for (int round = 0; round < kRounds; ++round) {
    if (round == kRounds / 4) {
      begin = stats();
    }
    weft_shared_barrier();
    write_words(all, g_n - 1, 0, changes * round);
    weft_shared_barrier();
    read_words(all, 1, changes * round);
    for (int k = 0; k < kIdle; ++k) {
      weft_shared_barrier();
    }
  }
  const weft_shared_stats_t end = stats();
  const uint64_t once = (uint64_t)kRounds * 3 / 4 * (kPages / 2);
  if (end.faults > 0 && g_n > 1 && g_me == g_n - 1) {
    CHECK(learns() ? end.faults - begin.faults < once / 3 : end.faults - begin.faults > once * 2 / 3);
  }
}

static volatile int g_met;
/* The barrier's place is here, as something comes behind it. */
__attribute__((noinline)) static void meet(void) {
  weft_shared_barrier();
  g_met = g_met + 1;
}

/* One barrier ends several parts of the program, and pages are read behind it where it came from one of them. */
static void read_by_where_it_came_from(int* all) {
  weft_shared_stats_t begin = stats();
  for (int round = 0; round < kRounds / 2; ++round) {
    if (round == kRounds / 8) {
      begin = stats();
    }
    for (int k = 0; k < 7; ++k) {
      weft_shared_barrier();
      write_words(all, 0, k, round);
      meet();
    }
    weft_shared_barrier();
    write_words(all, 0, 7, round);
    meet();
    if (g_me != 0) {
      read_words(all, 8, round);
    }
  }
  const weft_shared_stats_t end = stats();
  const uint64_t moved = came(&end) - came(&begin), once = (uint64_t)kRounds * 3 / 8 * (kPages / 2);
  if (end.faults > 0 && g_me != 0) {
    CHECK(learns() ? moved < once * 3 : moved > once * 3);
  }
}

/* All of it between two passes of one barrier, and something else by turns: what is read in every second interval comes
 * there only, though it changes in each. Who reads writes as well then, which tells the next interval from this one. */
static void read_by_turns(int* all, int* others) {
  const int reads = g_me != 0;
  weft_shared_stats_t begin = stats();
  for (int round = 0; round < 2 * kRounds; ++round) {
    if (round == kRounds / 2) {
      begin = stats();
    }
    weft_shared_barrier();
    write_words(all, 0, round % 4, round);
    if (round % 2 == 1 && reads) {
      for (int page = 0; page < kPages / 2; ++page) {
        CHECK(*word(all, page, (round - 1) % 4) == round - 1 + page);
      }
      others[g_me * 1024] = round;
    }
    for (int pe = 1; round % 2 == 0 && round > 0 && !reads && pe < g_n; ++pe) {
      CHECK(others[pe * 1024] == round - 1);
    }
  }
  const weft_shared_stats_t end = stats();
  const uint64_t moved = came(&end) - came(&begin), once = (uint64_t)kRounds * 3 / 4 * (kPages / 2);
  if (end.faults > 0 && reads && learns()) {
    CHECK(moved < once * 3 / 2 && end.faults - begin.faults < once / 4);
  }
}

/* Where it is at home, and in one interval of each round: after some rounds nobody looks whether it was. */
static void written_always(int* all) {
  weft_shared_map(all, sizeof(int) * kInts, sizeof(int) * kInts, 0, 1);
  weft_shared_stats_t begin = stats();
  for (int round = 0; round < kRounds; ++round) {
    if (round == kRounds / 4) {
      begin = stats();
    }
    weft_shared_barrier();
    write_words(all, 0, 0, round);
    weft_shared_barrier();
    if (g_me != 0) {
      read_words(all, 1, round);
    }
    for (int k = 0; k < 3; ++k) {
      weft_shared_barrier();
    }
  }
  const weft_shared_stats_t end = stats();
  const uint64_t once = (uint64_t)kRounds * 3 / 4 * (kPages / 2);
  if (end.faults > 0 && g_n > 1 && g_me == 0 && learns()) {
    CHECK(end.twins - begin.twins < once / 3);
    CHECK(end.faults - begin.faults < once / 3);
  }
}

/* Twins come and go with the interval that writes: their memory is not new each time, which the system would count. */
static void twins_keep_their_memory(void) {
  enum { kMany = 1600, kTimes = 16 };
  const size_t bytes = (size_t)kMany * 4096;
  char* const all = weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(4096, bytes) : NULL);
  weft_shared_map(all, bytes, bytes, 0, 1);
  struct rusage begin = {0}, end;
  for (int round = 0; round < kTimes; ++round) {
    if (round == kTimes / 4) {
      getrusage(RUSAGE_SELF, &begin);
    }
    weft_shared_barrier();
    for (int page = 0; g_me == g_n - 1 && page < kMany; ++page) {
      all[(size_t)page * 4096] = (char)(round + 1);
    }
    for (int k = 0; k < kIdle; ++k) {
      weft_shared_barrier();
    }
  }
  getrusage(RUSAGE_SELF, &end);
  for (int page = 0; page < kMany; ++page) {
    CHECK(all[(size_t)page * 4096] == kTimes);
  }
  CHECK(end.ru_minflt - begin.ru_minflt < kMany * 2);
  weft_shared_barrier();
}

int main(void) {
  weft_shared_init();
  g_me = weft_shared_my_pe();
  g_n = weft_shared_n_pes();
  int* const all = weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(4096, sizeof(int) * kInts) : NULL);
  if (g_me == 0) {
    memset(all, 0, sizeof(int) * kInts);
  }
  weft_shared_barrier();
  read_in_one_of_four(all);
  read_by_where_it_came_from(all);
  read_by_turns(all, zeros((size_t)g_n * 4096));
  written_always(all);
  written_now_and_then(all, 1);
  written_now_and_then(all, 0);
  twins_keep_their_memory();
  weft_shared_finalize();
  return 0;
}
