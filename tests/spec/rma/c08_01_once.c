/* Point 8.1: a put of one word stores it once. Who waits for the word may answer, and set it back, at once; a second
 * store of what was put brings the old news again. Here the answer comes behind each instruction of the put: the
 * processor stops after every one, and a handler looks at the word and sets it back.
 *
 * The length is not known to the compiler, which would make one store of 8 bytes that it knows. */
#include "check.h"

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>

enum { kTrapFlag = 0x100, kNews = 0x5EED };

static union {
  uint64_t word;
  unsigned char bytes[64];
} g_static;
static uint64_t g_signal;
static size_t volatile g_one = 1, g_two = 2, g_four = 4, g_eight = 8;

static volatile sig_atomic_t g_stops, g_steps, g_seen;
static volatile unsigned char* g_watched; /* what is put, as this process reaches it */
static volatile size_t g_bytes;

static void look(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  g_steps = g_steps + 1;
  if (g_bytes == sizeof(uint64_t)) {
    volatile uint64_t* const word = (volatile uint64_t*)(volatile void*)g_watched;
    if (*word == kNews) g_seen = g_seen + 1, *word = 0;
  } else if (g_bytes == sizeof(uint32_t)) {
    volatile uint32_t* const word = (volatile uint32_t*)(volatile void*)g_watched;
    if (*word == kNews) g_seen = g_seen + 1, *word = 0;
  } else {
    volatile uint16_t* const word = (volatile uint16_t*)(volatile void*)g_watched;
    if (*word == kNews) g_seen = g_seen + 1, *word = 0;
  }
  if (!g_stops) ((ucontext_t*)context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

/* The stack below its pointer may be the compiler's. */
static void stop_after_each(void) {
  g_stops = 1;
  __asm__ __volatile__(
      "lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::"i"(kTrapFlag)
      : "memory", "cc");
}

#define ONCE(BYTES, PUT)                                                                  \
  do {                                                                                    \
    PUT; /* what happens at first only, as looking the function up, is not of interest */ \
    shmem_quiet();                                                                        \
    memset((void*)there, 0, 8);                                                           \
    g_bytes = (BYTES);                                                                    \
    g_watched = there;                                                                    \
    g_seen = g_steps = 0;                                                                 \
    stop_after_each();                                                                    \
    PUT;                                                                                  \
    g_stops = 0;                                                                          \
    CHECK(g_steps > 3, "%s, %s: it did not stop", #PUT, where);                           \
    CHECK_EQ(g_seen, 1, "%s, %s: how often the word came", #PUT, where);                  \
  } while (0)

static void all_of(void* at, int pe, const char* where) {
  const uint64_t news = kNews;
  const uint32_t half = kNews;
  const uint16_t quarter = kNews;
  const long as_long = kNews;
  const int as_int = kNews;
  const short as_short = kNews;
  unsigned char* const there = (unsigned char*)shmem_ptr(at, pe);
  if (there == NULL) return; /* on another host, where this one's processor stores nothing */
  ONCE(8, shmem_long_put((long*)at, &as_long, g_one, pe));
  ONCE(8, shmem_long_put_nbi((long*)at, &as_long, g_one, pe));
  ONCE(8, shmem_ctx_long_put(SHMEM_CTX_DEFAULT, (long*)at, &as_long, g_one, pe));
  ONCE(8, shmem_putmem(at, &news, g_eight, pe));
  ONCE(8, shmem_put8(at, &news, g_eight, pe));
  ONCE(8, shmem_put32(at, &news, g_one + 1, pe));
  ONCE(8, shmem_put64(at, &news, g_one, pe));
  ONCE(8, shmem_putmem_signal(at, &news, g_eight, &g_signal, 1, SHMEM_SIGNAL_SET, pe));
  ONCE(8, shmem_long_p((long*)at, kNews, pe));
  ONCE(4, shmem_int_put((int*)at, &as_int, g_one, pe));
  ONCE(4, shmem_putmem(at, &half, g_four, pe));
  ONCE(4, shmem_put32(at, &half, g_one, pe));
  ONCE(4, shmem_putmem_signal(at, &half, g_four, &g_signal, 1, SHMEM_SIGNAL_SET, pe));
  ONCE(2, shmem_short_put((short*)at, &as_short, g_one, pe));
  ONCE(2, shmem_ctx_short_put(SHMEM_CTX_DEFAULT, (short*)at, &as_short, g_one, pe));
  ONCE(2, shmem_putmem(at, &quarter, g_two, pe));
  ONCE(2, shmem_put16(at, &quarter, g_one, pe));
  ONCE(2, shmem_putmem_signal(at, &quarter, g_two, &g_signal, 1, SHMEM_SIGNAL_SET, pe));
}

/* Of the largest block that the heap has, its own. */
static unsigned char* end_of_heap(void) {
  size_t most = 4096, too_many = (size_t)1 << 40;
  unsigned char* block;
  while (most + 1 < too_many) {
    const size_t bytes = most + (too_many - most) / 2;
    void* const tried = shmem_malloc(bytes);
    if (tried != NULL)
      most = bytes;
    else
      too_many = bytes;
    shmem_free(tried);
  }
  block = (unsigned char*)shmem_malloc(most);
  REQUIRE(block != NULL, "no block of %zu bytes, of which there was one", most);
  return block + most;
}

int main(void) {
  struct sigaction ours, before;
  unsigned char* block;
  unsigned char* end;
  int pe;
  check_begin();
  pe = check_right(1);
  block = (unsigned char*)shmem_align(64, 4096);
  end = end_of_heap();
  end -= (uintptr_t)end % 8;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = look;
  ours.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGTRAP, &ours, &before) == 0, "no handler of SIGTRAP");
  all_of(block, pe, "in the heap");
  all_of(end - 8, pe, "at the heap's end");
  all_of(&g_static.word, pe, "in static data");
  shmem_barrier_all();
  (void)sigaction(SIGTRAP, &before, NULL);
  return check_end();
}
#else
int main(void) {
  check_begin();
  return check_end(); /* no flag of that kind */
}
#endif
