/* Bytes that are changed and changed back before the next barrier, while others get the page between: by a fault, by a
 * lock, with what is announced at a barrier. A comparison finds nothing then; what was there at the barrier is seen
 * behind it all the same.
 *
 * usage: shared_toggle [steps] */
#include <pthread.h>
#include <shmem.h>
#include <string.h>

#include "check.h"

enum {
  kPage = 4096,
  kPages = 12,
  kApart = 8, /* so that no page comes with another one */
  kFrom = 1000,
  kTo = 1040, /* bytes that change and change back */
  kAsBefore = 5,
  kBetween = 9,
  kSteps = 60,
  kTurns = 4 /* at the lock, in each step */
};

static int g_me, g_n;

static unsigned char* pages(size_t n) {
  unsigned char* const all = weft_shared_from(0, g_me == 0 ? weft_shared_aligned_alloc(kPage, n * kPage) : NULL);
  if (g_me == 0) {
    memset(all, kAsBefore, n * kPage);
  }
  weft_shared_barrier();
  return all;
}

static void check_as_before(const unsigned char* page) {
  for (int k = kFrom; k < kTo; ++k) {
    CHECK(page[k] == kAsBefore);
  }
}

/* PE 1 reads another byte of the page just when the middle values are there, which flags tell that are not of shared
 * pages. Of every other page PE 0 knows by then that somebody had read it, and of every third it changes a byte that
 * stays changed. */
static void fetched_between(long* flag) {
  unsigned char* const all = pages((size_t)kPages * kApart);
  for (int k = 0; k < kPages; ++k) {
    unsigned char* const page = all + (size_t)k * kApart * kPage;
    if (k % 2 == 1) {
      volatile unsigned char seen = 0;
      if (g_me == g_n - 1) {
        seen = page[2000];
      }
      (void)seen;
      weft_shared_barrier();
      if (g_me == 0) {
        page[1] = kBetween; /* so that copies are old */
      }
      weft_shared_barrier();
    }
    if (g_me == 0) {
      memset(page + kFrom, kBetween, kTo - kFrom);
      shmem_long_p(flag, 2 * k + 1, 1);
      shmem_long_wait_until(flag, SHMEM_CMP_EQ, 2 * k + 2);
      memset(page + kFrom, kAsBefore, kTo - kFrom);
      page[2] = k % 3 == 0 ? kBetween : kAsBefore;
    } else if (g_me == 1) {
      shmem_long_wait_until(flag, SHMEM_CMP_EQ, 2 * k + 1);
      CHECK(page[2000] == kAsBefore);
      shmem_long_p(flag, 2 * k + 2, 0);
    }
    weft_shared_barrier();
    check_as_before(page);
    CHECK(page[2] == (k % 3 == 0 ? kBetween : kAsBefore));
    weft_shared_barrier();
  }
}

static unsigned char* g_page;
static int g_stop;

static void wait_a_little(unsigned rounds) {
  for (volatile unsigned k = 0; k < rounds; ++k) {
  }
}

static void* toggle(void* unused) {
  (void)unused;
  for (unsigned k = 1; __atomic_load_n(&g_stop, __ATOMIC_ACQUIRE) == 0; ++k) {
    memset(g_page + kFrom, (int)(k % 200), kTo - kFrom);
    wait_a_little(k * 7919 % 3000);
    memset(g_page + kFrom, kAsBefore, kTo - kFrom);
    wait_a_little(k * 104729 % 3000);
  }
  return NULL;
}

/* A second thread of PE 0 does so all the time, while the first one releases by a lock and by a barrier.
 * `others_write`: the last PE changes bytes of its own in the page, so its copy has a twin. */
static void announced_between(int steps, int others_write) {
  g_page = pages(1);
  weft_shared_lock_t* const lock = zeros(sizeof *lock);
  for (int step = 0; step < steps; ++step) {
    pthread_t thread;
    if (g_me == 0) {
      __atomic_store_n(&g_stop, 0, __ATOMIC_RELEASE);
      CHECK(pthread_create(&thread, NULL, toggle, NULL) == 0);
    }
    for (int turn = 0; turn < kTurns; ++turn) {
      weft_shared_lock(lock);
      const unsigned char seen = g_page[0];
      if (g_me == 0) {
        g_page[0] = (unsigned char)(seen + 1);
      }
      weft_shared_unlock(lock);
    }
    if (g_me == 0) {
      g_page[8] = (unsigned char)step;
    } else if (others_write && g_me == g_n - 1) {
      g_page[16] = (unsigned char)step;
    }
    weft_shared_barrier(); /* which sends the page to who has read it behind the one before */
    CHECK(g_page[8] == (unsigned char)step);
    CHECK(!others_write || g_n == 1 || g_page[16] == (unsigned char)step);
    if (g_me == 0) {
      __atomic_store_n(&g_stop, 1, __ATOMIC_RELEASE);
      CHECK(pthread_join(thread, NULL) == 0);
    }
    weft_shared_barrier();
    check_as_before(g_page);
    CHECK(g_page[0] == (unsigned char)(kAsBefore + (step + 1) * kTurns));
    weft_shared_barrier();
  }
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : kSteps;
  shmem_init();
  weft_shared_init();
  g_me = weft_shared_my_pe();
  g_n = weft_shared_n_pes();
  long* const flag = shmem_calloc(1, sizeof *flag);
  CHECK(flag != NULL);
  shmem_barrier_all();
  if (g_n > 1) {
    fetched_between(flag);
  }
  announced_between(steps, 0);
  announced_between(steps, 1);
  weft_shared_finalize();
  shmem_finalize();
  return 0;
}
