/* Safe mode: accesses to shared memory that is not in use, by name of what is tried; and a right program, which gives
 * and takes a lot.
 *
 * usage: closed WHAT [ROUNDS] */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int g_me, g_n;

/* Of one PE, used by all. */
static volatile char* block_of_all(size_t bytes) {
  volatile char* const block = weft_shared_from(0, g_me == 0 ? weft_shared_malloc(bytes) : NULL);
  for (size_t k = (size_t)g_me; k < bytes; k += (size_t)g_n) {
    block[k] = 1;
  }
  weft_shared_barrier();
  for (size_t k = 0; k < bytes; k += 100) {
    CHECK(block[k] == 1);
  }
  weft_shared_barrier();
  return block;
}

static void give_back(int pe, volatile char* block) {
  if (g_me == pe) {
    weft_shared_free((void*)block);
  }
  weft_shared_barrier();
}

enum { kSlots = 64 };
struct slots {
  weft_shared_lock_t lock;
  struct {
    unsigned char* at;
    size_t bytes;
    unsigned char value;
  } each[kSlots];
};

static void take_and_check(struct slots* slots, int k) {
  if (slots->each[k].at == NULL) {
    return;
  }
  for (size_t byte = 0; byte < slots->each[k].bytes; ++byte) {
    CHECK(slots->each[k].at[byte] == slots->each[k].value);
  }
}

/* Blocks of all sizes, each made, read, resized and freed by any PE under a lock. */
static void right(int rounds) {
  struct slots* const slots = zeros(sizeof(struct slots));
  unsigned state = 77u + (unsigned)g_me;
  for (int round = 0; round < rounds; ++round) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    const int k = (int)(state % kSlots);
    const size_t bytes = (state >> 8) % 5 == 0 ? (state >> 12) % 100 + 1 : (state >> 12) % 20000 + 1;
    weft_shared_lock(&slots->lock);
    take_and_check(slots, k);
    if (state >> 30 == 0) {
      weft_shared_free(slots->each[k].at);
      slots->each[k].at = NULL;
    } else {
      slots->each[k].at = weft_shared_realloc(slots->each[k].at, bytes);
      slots->each[k].bytes = bytes;
      slots->each[k].value = (unsigned char)(state >> 20);
      memset(slots->each[k].at, slots->each[k].value, bytes);
    }
    weft_shared_unlock(&slots->lock);
  }
  /* More is given back than is remembered, while one PE looks away. */
  if (g_me == 0) {
    for (int round = 0; round < 3000; ++round) {
      char* const block = weft_shared_malloc(5000);
      block[4999] = (char)round;
      weft_shared_free(block);
    }
  }
  weft_shared_barrier();
  for (int k = g_me; k < kSlots; k += g_n) {
    take_and_check(slots, k);
  }
}

/* System calls come to memory that nobody has touched. */
static void calls(void) {
  char* const read_to = weft_shared_malloc(30000);
  const int file = open("/dev/zero", O_RDONLY);
  CHECK(file >= 0 && read(file, read_to, 30000) == 30000 && read_to[29999] == 0);
  close(file);
  weft_shared_free(read_to);
  weft_shared_barrier();
}

/* Small blocks that were given back hold what no block would. */
static void poison(void) {
  enum { kMany = 40 };
  unsigned char* blocks[kMany];
  if (g_me == 0) {
    for (int k = 0; k < kMany; ++k) {
      blocks[k] = weft_shared_malloc(100);
      memset(blocks[k], k, 100);
    }
    for (int k = 0; k < kMany; k += 2) {
      weft_shared_free(blocks[k]);
    }
    for (int k = 1; k < kMany; k += 2) {
      CHECK(blocks[k][0] == k && blocks[k][99] == k);
      CHECK(((volatile unsigned char*)blocks[k - 1])[50] == 0xdb);
    }
    unsigned char* const anew = weft_shared_calloc(1, 100);
    CHECK(anew[0] == 0 && anew[99] == 0);
  }
  weft_shared_barrier();
}

/* A forked child keeps what is shared, and comes to what its parent has not touched. */
static void forks(void) {
  volatile char* const block = weft_shared_malloc(50000);
  const pid_t child = fork();
  if (child == 0) {
    block[100] = 1;
    _exit(block[40000] == 0 ? 7 : 8);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(block[100] == 1);
  weft_shared_barrier();
}

/* More closed pages between open ones than the system lets a process have: then all is open. */
static void more_than_there_are(void) {
  enum { kPlaces = 4, kPlace = 1024, kMost = 100000 };
  int most = 0;
  FILE* const limit = fopen("/proc/sys/vm/max_map_count", "r");
  CHECK(limit != NULL && fscanf(limit, "%d", &most) == 1);
  fclose(limit);
  if (most > kMost) {
    printf("this system allows %d mappings, which takes too long\n", most);
    return;
  }
  /* Each second one of as many pages is given back. */
  const int n = (most + most / 2) / 2 * 2; /* the last one is not, as its other places were not asked for */
  char** const pages = weft_shared_from(0, g_me == 0 ? weft_shared_malloc((size_t)n * sizeof *pages) : NULL);
  for (int k = 0; g_me == 0 && k < n; ++k) {
    do {
      pages[k] = weft_shared_malloc(kPlace);
    } while ((uintptr_t)pages[k] % (kPlaces * kPlace) != 0);
  }
  weft_shared_barrier();
  for (int k = 0; g_me == g_n - 1 && k < n; ++k) {
    *(volatile char*)pages[k] = 1;
  }
  weft_shared_barrier();
  for (int k = 0; g_me == 0 && k < n; k += 2) {
    for (int place = 0; place < kPlaces; ++place) {
      weft_shared_free(pages[k] + place * kPlace);
    }
  }
  weft_shared_barrier();
  if (g_me == g_n - 1) {
    for (int k = 0; k < n; k += 1000) {
      (void)*(volatile char*)pages[k];
    }
    CHECK(*(volatile char*)pages[1] == 1);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  weft_shared_init();
  g_me = weft_shared_my_pe(), g_n = weft_shared_n_pes();
  const int last = g_n - 1;
  volatile char* block = NULL;
  if (strcmp(what, "right") == 0) {
    right(argc > 2 ? atoi(argv[2]) : 600);
  } else if (strcmp(what, "calls") == 0) {
    calls();
  } else if (strcmp(what, "poison") == 0) {
    poison();
  } else if (strcmp(what, "fork") == 0) {
    forks();
  } else if (strcmp(what, "many") == 0) {
    more_than_there_are();
  } else if (strcmp(what, "end") == 0) {
    block = block_of_all(10000);
    if (g_me == last) {
      block[10000] = 1;
    }
  } else if (strcmp(what, "far end") == 0) {
    block = block_of_all(3 * 4096);
    for (long k = 0; g_me == 0; k += 1000) {
      block[k] = 1;
    }
  } else if (strcmp(what, "mine") == 0) {
    block = block_of_all(20000);
    if (g_me == 0) {
      weft_shared_free((void*)block);
      block[7000] = 2;
    }
  } else if (strcmp(what, "other's") == 0) {
    block = block_of_all(20000);
    give_back(last, block);
    if (g_me == 0) {
      CHECK(block[7000] == 1);
    }
  } else if (strcmp(what, "behind a lock") == 0) {
    block = block_of_all(20000);
    struct slots* const slots = zeros(sizeof(struct slots));
    if (g_me == last) {
      weft_shared_lock(&slots->lock);
      weft_shared_free((void*)block);
      slots->each[0].bytes = 1;
      weft_shared_unlock(&slots->lock);
    }
    for (int over = 0; g_me == 0 && !over;) {
      weft_shared_lock(&slots->lock);
      over = slots->each[0].bytes == 1;
      weft_shared_unlock(&slots->lock);
    }
    if (g_me == 0) {
      block[7000] = 2;
    }
  } else if (strcmp(what, "small") == 0) {
    block = block_of_all(64);
    give_back(last, block);
    if (g_me == 0) {
      CHECK(block[7] == 1);
    }
  } else if (strcmp(what, "moved") == 0) {
    block = block_of_all(20000);
    if (g_me == 0) {
      char* const moved = weft_shared_realloc((void*)block, 100000);
      CHECK(moved[19999] == 1);
      block[7] = 1;
    }
  } else if (strcmp(what, "word") == 0) {
    block = block_of_all(20000);
    give_back(0, block);
    (void)weft_shared_uint64_fetch_add((uint64_t*)block, 1);
  } else if (strcmp(what, "lock") == 0) {
    block = block_of_all(20000);
    if (g_me == 0) {
      memset((void*)block, 0, 20000);
    }
    give_back(0, block);
    weft_shared_lock((weft_shared_lock_t*)block);
  } else if (strcmp(what, "read") == 0) {
    block = block_of_all(20000);
    give_back(0, block);
    const int file = open("/dev/zero", O_RDONLY);
    CHECK(file >= 0 && read(file, (void*)block, 100) != 100);
  } else if (strcmp(what, "wild") == 0) {
    block = block_of_all(100);
    give_back(0, block);
    if (g_me == 0) {
      *(volatile char*)((uintptr_t)block / 4096 * 4096 + 100 * 4096) = 1;
    }
  }
  weft_shared_barrier();
  weft_shared_finalize();
  return 0;
}
