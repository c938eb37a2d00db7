/* One PE works on another's memory: small and large accesses to its heap and its static data, many puts at a time,
 * atomic operations. PE 1 waits in a barrier meanwhile, or computes. The loops have the shape of those in bench/limits.
 *
 *   access [--repetitions N] [--ms T] small | blocks | amo | computing | pages
 *
 * pages: gets of 8 bytes from anywhere in the largest block, as hash tables and graphs make them. What they cost
 * depends on how much memory the processor's address caches cover: run it with and without WEFT_HUGE_PAGES. */
#include "common.h"

#include <stdint.h>

#define IN_STATIC_DATA ((size_t)4 << 20)

struct access {
  long* remote; /* symmetric */
  long* private_memory;
  size_t bytes;
  int pe;
};

/* Each loop works on copies of the fields that live in registers. */
#define LOOP(NAME, STATEMENT)                                                \
  __attribute__((noinline)) static void NAME(const void* what, long count) { \
    long* const remote = ((const struct access*)what)->remote;               \
    long* const mine = ((const struct access*)what)->private_memory;         \
    const size_t bytes = ((const struct access*)what)->bytes;                \
    const int pe = ((const struct access*)what)->pe;                         \
    unsigned long sum = 0; /* of what memory holds, so it may wrap */        \
    for (long i = 0; i < count; i++) {                                       \
      STATEMENT;                                                             \
    }                                                                        \
    sink = (long)(sum + (mine != NULL) + bytes);                             \
  }

LOOP(p8, shmem_long_p(remote, i, pe))
LOOP(g8, sum += shmem_long_g(remote, pe))
LOOP(put8, shmem_putmem(remote, mine, 8, pe))
LOOP(get8, shmem_getmem(mine, remote, 8, pe))
LOOP(put64, shmem_putmem(remote, mine, 64, pe))
LOOP(get64, shmem_getmem(mine, remote, 64, pe))
LOOP(p8_quiet, shmem_long_p(remote, i, pe); shmem_quiet())
LOOP(put_block, shmem_putmem(remote, mine, bytes, pe))
LOOP(get_block, shmem_getmem(mine, remote, bytes, pe))
LOOP(put8x64, for (int k = 0; k < 64; k++) shmem_putmem_nbi(&remote[k], &mine[k], 8, pe); shmem_quiet())
LOOP(iput8, shmem_long_iput(remote, mine, 2, 2, STRIDED_ELEMENTS, pe))
LOOP(iget8, shmem_long_iget(mine, remote, 2, 2, STRIDED_ELEMENTS, pe))
LOOP(iput4, shmem_int_iput((int*)remote, (int*)mine, 2, 2, STRIDED_ELEMENTS, pe))
LOOP(iget4, shmem_int_iget((int*)mine, (int*)remote, 2, 2, STRIDED_ELEMENTS, pe))
LOOP(fetch_add, sum += shmem_long_atomic_fetch_add(remote, 1, pe))
LOOP(swap, sum += shmem_long_atomic_swap(remote, i, pe))
LOOP(cswap, sum += shmem_long_atomic_compare_swap(remote, i, i + 1, pe))
LOOP(inc, shmem_long_atomic_inc(remote, pe))

/* The address of each get comes from the one before: the memory holds zeros, which the processor does not know. */
__attribute__((noinline)) static void get8_chain(const void* what, long count) {
  long* at = ((const struct access*)what)->remote;
  const int pe = ((const struct access*)what)->pe;
  for (long i = 0; i < count; i++) at += shmem_long_g(at, pe);
  sink = (long)(intptr_t)at;
}

/* Each address depends on the value before, which is 0, so that the gets do not overlap. */
__attribute__((noinline)) static void get8_random(const void* what, long count) {
  long* const remote = ((const struct access*)what)->remote;
  const uint64_t words = ((const struct access*)what)->bytes / sizeof(long);
  const int pe = ((const struct access*)what)->pe;
  static uint64_t last = 88172645463325252u; /* goes on, or the next repetition would find all in the caches */
  uint64_t at = last;
  for (long i = 0; i < count; i++) {
    at ^= at << 13;
    at ^= at >> 7;
    at ^= at << 17;
    at += (uint64_t)shmem_long_g(&remote[at % words], pe);
  }
  last = at;
}

static char in_static_data[IN_STATIC_DATA] __attribute__((aligned(4096)));

static void small_accesses(const struct plan* plan, const char* memory, struct access* a) {
  measure("p8", memory, plan, p8, a);
  measure("g8", memory, plan, g8, a);
  measure("put8", memory, plan, put8, a);
  measure("get8", memory, plan, get8, a);
  measure("put64", memory, plan, put64, a);
  measure("get64", memory, plan, get64, a);
  measure("p8.quiet", memory, plan, p8_quiet, a);
  measure("put8x64", memory, plan, put8x64, a);
  measure("iput8", memory, plan, iput8, a);
  measure("iget8", memory, plan, iget8, a);
  measure("iput4", memory, plan, iput4, a);
  measure("iget4", memory, plan, iget4, a);
  shmem_long_p(a->remote, 0, a->pe);
  shmem_quiet();
  measure("get8.chain", memory, plan, get8_chain, a);
}

static void block_accesses(const struct plan* plan, const char* memory, struct access* a) {
  char room[32];
  for (size_t k = 2; k < N_BLOCK_SIZES; k++) {
    a->bytes = block_sizes[k].bytes;
    if (!strcmp(memory, "static") && a->bytes > IN_STATIC_DATA) break;
    measure(name_with(room, sizeof room, "put", block_sizes[k].text), memory, plan, put_block, a);
    measure(name_with(room, sizeof room, "get", block_sizes[k].text), memory, plan, get_block, a);
  }
}

static void amos(const struct plan* plan, const char* memory, struct access* a) {
  measure("fetch_add", memory, plan, fetch_add, a);
  measure("swap", memory, plan, swap, a);
  measure("cswap", memory, plan, cswap, a);
  measure("inc", memory, plan, inc, a);
  shmem_quiet();
}

static void page_accesses(const struct plan* plan, const char* memory, struct access* a) {
  a->bytes = strcmp(memory, "static") ? LARGEST_BLOCK : IN_STATIC_DATA;
  measure("get8.random", memory, plan, get8_random, a);
}

/* PE 1 computes and does not call the library until PE 0 has written `told` by a put, which it looks at now and then.
 */
static long told;
static void compute(void) {
  volatile long* const end = &told;
  while (*end == 0) {
    for (int i = 0; i < 100000; i++) sink += i;
  }
}

static void while_computing(const struct plan* plan, const char* memory, struct access* a) {
  measure("computing.put8", memory, plan, put8, a);
  measure("computing.get8", memory, plan, get8, a);
  measure("computing.fetch_add", memory, plan, fetch_add, a);
  shmem_quiet();
}

int main(int argc, char** argv) {
  struct plan plan;
  const char* what = start(argc, argv, &plan);
  void (*run)(const struct plan*, const char*, struct access*) = !strcmp(what, "small")       ? small_accesses
                                                                 : !strcmp(what, "blocks")    ? block_accesses
                                                                 : !strcmp(what, "amo")       ? amos
                                                                 : !strcmp(what, "computing") ? while_computing
                                                                 : !strcmp(what, "pages")     ? page_accesses
                                                                                              : NULL;
  if (run == NULL || n_pes < 2) {
    if (me == 0)
      fprintf(stderr,
              "usage, with 2 PEs: access [--repetitions N] [--ms T] small | blocks | amo | computing | pages\n");
    shmem_finalize();
    return 2;
  }
  char* in_heap = shmem_align(4096, LARGEST_BLOCK);
  char* private_memory = aligned_alloc(4096, LARGEST_BLOCK);
  if (!in_heap || !private_memory) shmem_global_exit(1);
  memset(in_heap, 0, LARGEST_BLOCK); /* every PE touches its own memory first */
  memset(in_static_data, 0, IN_STATIC_DATA);
  memset(private_memory, 1, LARGEST_BLOCK);
  shmem_barrier_all();
  if (me == 0) {
    struct access a = {(long*)(void*)in_heap, (long*)(void*)private_memory, 8, 1};
    run(&plan, "heap", &a);
    a.remote = (long*)(void*)in_static_data;
    run(&plan, "static", &a);
    shmem_long_p(&told, 1, 1);
    shmem_quiet();
  } else if (run == while_computing && me == 1) {
    compute();
  }
  shmem_barrier_all();
  free(private_memory);
  shmem_free(in_heap);
  shmem_finalize();
  return 0;
}
