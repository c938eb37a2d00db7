/* Memory that all PEs of a job share by ordinary loads and stores, on one machine or on several.
 *
 *   #include <weft/shared.h>
 *   weft_shared_init();                                  all PEs; before or behind shmem_init, or without it
 *   double *a = weft_shared_malloc(n * sizeof *a);       any PE, any thread; the same address on all PEs
 *   ...                                                  a[i] = ..., as in any array
 *   weft_shared_barrier();                               what was written before is seen by all behind it
 *
 * What one PE has written another one sees behind a barrier, or when it takes a lock that the first has released since,
 * or behind weft_shared_acquire() where the program itself has made sure that the other's weft_shared_release() has
 * returned. Two PEs may write neighbouring bytes at a time. A program in which two threads use a byte at a time, one of
 * them writing, has a race: what it reads is one of the values written. The guide has a chapter,
 * docs/guide/shared-pages.md, and docs/memory-model.md the rules.
 *
 * Functions say what is wrong in one line and end the program, unless their text says that they return something. */
#ifndef WEFT_SHARED_H
#define WEFT_SHARED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Begin and end: all PEs call them, as often the one as the other. */
void weft_shared_init(void);
/* Behind it the shared memory is gone. A program that returns from main without it ends as with it. */
void weft_shared_finalize(void);
/* This PE's number, from 0 on, and how many there are: as shmem_my_pe and shmem_n_pes tell. */
int weft_shared_my_pe(void);
int weft_shared_n_pes(void);

/* ---- Memory: any thread of any PE may call, without the others. A block may be freed by another PE than has got it.
 * Null: there is no such block left (WEFT_SHARED_SIZE is how much there is), and so says a line the first time. Blocks
 * begin at multiples of 16; a small one shares its page with others that the same PE has got. */
void* weft_shared_malloc(size_t bytes);
/* Of zeros, which is what memory is that nobody has had before; malloc's may be anything. */
void* weft_shared_calloc(size_t count, size_t bytes);
void* weft_shared_realloc(void* block, size_t bytes);
/* The alignment is a power of two. */
void* weft_shared_aligned_alloc(size_t alignment, size_t bytes);
void weft_shared_free(void* block);

/* What PE `pe` gives to its call of this, on all PEs: how they learn where memory is that one of them has got. All
 * call, one thread each, and it is a barrier: int *a = weft_shared_from(0, weft_shared_my_pe() == 0 ?
 * weft_shared_calloc(n, sizeof *a) : NULL); */
void* weft_shared_from(int pe, void* pointer);

/* ---- Order. One thread of each PE calls the barrier; the other two any thread, at any time. */
void weft_shared_barrier(void);
/* What this PE wrote before will be seen by who acquires after this has returned; and what others released before this
 * one's acquire is seen behind it. */
void weft_shared_release(void);
void weft_shared_acquire(void);

/* ---- Homes and advice: they change no value and no rule, only what it costs on several machines.
 *
 * The block's pages are at home where they are written first, unless this says otherwise: by turns, a piece of so many
 * bytes (rounded up to pages) at each of `pes` PEs from number `from` on. So (a, n, n / pes, 0, pes) gives each PE a
 * part of an array, (a, n, 4096, 0, pes) page by page, and (a, n, n, pe, 1) all to one PE. All PEs call it with the
 * same values, one thread each, and it is a barrier; no other thread uses shared memory meanwhile; contents stay. The
 * bytes are whole blocks from weft_shared_malloc and the like that begin at a page, or parts of them: what shares their
 * pages moves with them. */
void weft_shared_map(void* address, size_t bytes, size_t piece, int from, int pes);
/* Pages of other PEs come here together, instead of one by one when they are touched. */
void weft_shared_prefetch(const void* address, size_t bytes);
/* One PE's pages to all: behind it each PE has the bytes, wherever they are at home. All PEs call it with the same
 * values, one thread each, and it is a barrier. */
void weft_shared_broadcast(const void* address, size_t bytes);
/* What becomes of this PE's copies of these pages when others have written them: what habits tell, where a copy is
 * renewed at barriers and locks behind which it was used before, and dropped at others (WEFT_SHARED_LEARNED, unless
 * WEFT_SHARED_PROTOCOL says otherwise); they are dropped, and come when they are touched (WEFT_SHARED_INVALIDATE); or
 * they are renewed each time (WEFT_SHARED_UPDATE). */
enum { WEFT_SHARED_LEARNED = 1, WEFT_SHARED_INVALIDATE = 2, WEFT_SHARED_UPDATE = 3 };
void weft_shared_protocol(const void* address, size_t bytes, int protocol);
/* What has been done in this PE since the beginning. All 0 where PEs have one memory. */
typedef struct weft_shared_stats_t {
  uint64_t faults;     /* accesses that waited for a page, or for the right to write it */
  uint64_t fetched;    /* pages that came by faults */
  uint64_t prefetched; /* by weft_shared_prefetch */
  uint64_t refreshed;  /* at barriers and locks, without a fault */
  uint64_t twins;      /* pages that were copied to tell later what was written */
  uint64_t sent;       /* pages whose changes went home */
  uint64_t announced;  /* runs of pages that others were told of */
  uint64_t dropped;    /* copies that had become old */
  uint64_t evicted;    /* copies that made room for others, with WEFT_SHARED_CACHE */
  uint64_t copies;     /* other PEs' pages that have memory here now, with WEFT_SHARED_CACHE */
} weft_shared_stats_t;
void weft_shared_stats(weft_shared_stats_t* stats);

/* ---- Locks, any number of them, in shared memory: a lock of zeros is free. First come, first served. Taking one is an
 * acquire, giving it back a release. Whoever takes a lock gives it back: the same PE does, in any of its threads. */
typedef struct weft_shared_lock_t {
  uint32_t weft_words[4] __attribute__((aligned(16)));
} weft_shared_lock_t;
#define WEFT_SHARED_LOCK_INITIALIZER \
  {                                  \
    { 0, 0, 0, 0 }                   \
  }
void weft_shared_lock(weft_shared_lock_t* lock);
/* 1: it is taken. 0: another one has it. */
int weft_shared_trylock(weft_shared_lock_t* lock);
void weft_shared_unlock(weft_shared_lock_t* lock);

/* The same without waiting: begin takes a place among those that want the lock, and when test returns 1, or wait
 * returns, it is taken. The request is over then. Each one that was begun is taken at some time, and given back: others
 * wait behind it. From another host a place is taken when the request comes to where the lock is, which may be behind a
 * barrier that begin was called before. A PE has at most 256 under way. */
typedef struct weft_shared_request_t {
  uint64_t weft_number; /* of 0: there is none */
} weft_shared_request_t;
void weft_shared_lock_begin(weft_shared_lock_t* lock, weft_shared_request_t* request);
int weft_shared_lock_test(weft_shared_request_t* request);
void weft_shared_lock_wait(weft_shared_request_t* request);

/* ---- Atomic operations on words of shared memory, atomic against each other on all PEs. They are carried out where
 * the word is at home, return what was there before, and order nothing else. Words lie at multiples of their size. */
#define WEFT_SHARED_WORD_OPERATIONS(T, name)                         \
  T weft_shared_##name##_load(const T* word);                        \
  void weft_shared_##name##_store(T* word, T value);                 \
  T weft_shared_##name##_swap(T* word, T value);                     \
  T weft_shared_##name##_compare_swap(T* word, T expected, T value); \
  T weft_shared_##name##_fetch_add(T* word, T value);                \
  T weft_shared_##name##_fetch_and(T* word, T value);                \
  T weft_shared_##name##_fetch_or(T* word, T value);                 \
  T weft_shared_##name##_fetch_xor(T* word, T value);
WEFT_SHARED_WORD_OPERATIONS(uint8_t, uint8)
WEFT_SHARED_WORD_OPERATIONS(uint16_t, uint16)
WEFT_SHARED_WORD_OPERATIONS(uint32_t, uint32)
WEFT_SHARED_WORD_OPERATIONS(uint64_t, uint64)
float weft_shared_float_fetch_add(float* word, float value);
double weft_shared_double_fetch_add(double* word, double value);
/* The same on two words together, at a multiple of 16: a pointer and how often it was changed, for instance. */
typedef struct weft_shared_pair_t {
  uint64_t first __attribute__((aligned(16)));
  uint64_t second;
} weft_shared_pair_t;
weft_shared_pair_t weft_shared_pair_load(const weft_shared_pair_t* word);
void weft_shared_pair_store(weft_shared_pair_t* word, weft_shared_pair_t value);
weft_shared_pair_t weft_shared_pair_swap(weft_shared_pair_t* word, weft_shared_pair_t value);
weft_shared_pair_t weft_shared_pair_compare_swap(weft_shared_pair_t* word, weft_shared_pair_t expected,
                                                 weft_shared_pair_t value);

#ifdef __cplusplus
}
#endif
#endif
