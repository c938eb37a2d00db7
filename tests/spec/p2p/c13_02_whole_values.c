/* Point 13.2: a wait or test never sees half an update, by an AMO, by p, by a put of one element, or by a signal. The
 * writer's values have halves that belong together; the reader asks for any change and looks at what it got. */
#include "check.h"

enum { kRounds = 3000 };

static int64_t g_word;
static int64_t g_words[3];

static int64_t value_of(uint32_t i) { return (int64_t)((uint64_t)i << 32 | (i ^ 0x5A5A5A5Au)); }
static int whole(int64_t v) { return v == 0 || ((uint32_t)((uint64_t)v >> 32) ^ 0x5A5A5A5Au) == (uint32_t)v; }

static void writer(int way, int to) {
  for (uint32_t i = 1; i <= kRounds; ++i) {
    const int64_t v = value_of(i == kRounds ? 0xFFFFFFFFu : i);
    switch (way) {
      case 0: shmem_int64_p(&g_word, v, to); break;
      case 1: shmem_int64_put(&g_word, &v, 1, to); break;
      case 2: shmem_int64_atomic_set(&g_word, v, to); break;
      case 3: shmem_put64(&g_word, &v, 1, to); break;
      default: shmem_signal_set((uint64_t*)&g_word, (uint64_t)v, to); break;
    }
    /* the last value must not be overtaken */
    if (i % 64 == 0 || i == kRounds - 1) shmem_fence();
  }
}

static void reader(void) {
  int64_t seen = 0;
  const int64_t last = value_of(0xFFFFFFFFu);
  while (seen != last) {
    shmem_int64_wait_until(&g_word, SHMEM_CMP_NE, seen);
    seen = shmem_int64_atomic_fetch(&g_word, check_me);
    CHECK(whole(seen), "half a value: %llx", (unsigned long long)seen);
    if (!whole(seen)) break;
    /* EQ with a whole value must not come true for a mixture; what it compares is read once */
    if (shmem_int64_test(&g_word, SHMEM_CMP_EQ, seen)) CHECK(whole(seen), "%llx", (unsigned long long)seen);
  }
}

/* A value that would look satisfied only if torn: the writer flips between two words, the reader asks for the mixtures.
 */
static void mixtures(void) {
  const int64_t a = (int64_t)0x1111111122222222, b = (int64_t)0x3333333344444444;
  const int64_t mixed[2] = {(int64_t)0x1111111144444444, (int64_t)0x3333333322222222};
  g_words[0] = a;
  shmem_barrier_all();
  if (check_me == 0) {
    for (int i = 0; i < kRounds; ++i) shmem_int64_p(&g_words[0], i % 2 ? a : b, check_n - 1);
    shmem_fence();
    shmem_int64_p(&g_words[1], 1, check_n - 1);
  }
  if (check_me == check_n - 1) {
    while (!shmem_int64_test(&g_words[1], SHMEM_CMP_EQ, 1))
      for (int k = 0; k < 2; ++k)
        CHECK_EQ(shmem_int64_test(&g_words[0], SHMEM_CMP_EQ, mixed[k]), 0, "a mixture was seen");
  }
  shmem_barrier_all();
}

int main(void) {
  check_begin();
  STEP("writers and a reader");
  for (int way = 0; way < 5; ++way) {
    g_word = 0;
    shmem_barrier_all();
    if (check_me == 0) writer(way, check_n - 1);
    if (check_me == check_n - 1) reader();
    shmem_barrier_all();
  }
  STEP("mixtures");
  mixtures();
  return check_end();
}
