/* The rows of docs/performance.md's bars that have a limit in the same process: calls of OpenSHMEM 1.5, each beside
 * what it is held to, by turns.
 *
 *   bars [--repetitions N] [--ms T] times            with 2 PEs: a line for each row
 *   bars [--repetitions N] [--ms T] first            with 2 PEs: the first 100 puts of a size beside later ones
 *   bars [--repetitions N] [--ms T] sets LEVEL [N]   any number of PEs: calls on active sets, N arrays (2) by turns;
 *                                                    LEVEL is single or multiple
 *   bars run ROW SIDE COUNT                          one PE: that loop alone, for a counter of instructions; SIDE is 0
 *                                                    or 1
 *
 * A line is {"name": ..., "pes": ..., "ns": [...], "beside": [...]}, of one operation in each repetition. */
#include "common.h"

#include <dlfcn.h>
#include <stdint.h>

enum { kRow = 64, kElements = STRIDED_ELEMENTS, kRoom = 1 << 20, kFirst = 100, kMostSets = 256 };
static const size_t kStrideOnes = 8192; /* elements of 8 bytes: 64 KiB */

/* What a loop works with. */
struct work {
  shmem_ctx_t context;
  char* remote; /* symmetric */
  char* mine;
  char* mapped; /* `remote` of that PE, as this one sees it */
  uint64_t* signal;
  size_t bytes;
  int pe;
  size_t sixty_four; /* which the compiler does not know, or it would make loads and stores of the copy */
};

/* The library's own functions, as Fortran, Python and function pointers call them: not the header's bodies. */
static void (*far_p)(long*, long, int);
static void (*far_put)(void*, const void*, size_t, int);
static long (*far_fetch_add)(long*, long, int);

#define LOOP(NAME, STATEMENT)                                                \
  __attribute__((noinline)) static void NAME(const void* what, long count) { \
    const struct work w = *(const struct work*)what;                         \
    (void)w;                                                                 \
    unsigned long sum = 0;                                                   \
    for (long i = 0; i < count; i++) {                                       \
      STATEMENT;                                                             \
    }                                                                        \
    sink = (long)sum;                                                        \
  }

/* One word that moves through 512, so that a store does not wait for the one before. */
#define WORD(at) ((long*)(void*)(at) + (i & 511))

LOOP(p, shmem_long_p(WORD(w.remote), i, w.pe))
LOOP(ctx_p, shmem_ctx_long_p(w.context, WORD(w.remote), i, w.pe))
LOOP(put, shmem_putmem(WORD(w.remote), w.mine, 8, w.pe))
LOOP(ctx_put, shmem_ctx_putmem(w.context, WORD(w.remote), w.mine, 8, w.pe))
LOOP(fetch_add, sum += (unsigned long)shmem_long_atomic_fetch_add((long*)(void*)w.remote, 1, w.pe))
LOOP(ctx_fetch_add, sum += (unsigned long)shmem_ctx_long_atomic_fetch_add(w.context, (long*)(void*)w.remote, 1, w.pe))
LOOP(row,
     for (int k = 0; k < kRow; k++) shmem_putmem_nbi((long*)(void*)w.remote + k, (long*)(void*)w.mine + k, 8, w.pe);
     shmem_quiet())
LOOP(ctx_row, for (int k = 0; k < kRow; k++)
                  shmem_ctx_putmem_nbi(w.context, (long*)(void*)w.remote + k, (long*)(void*)w.mine + k, 8, w.pe);
     shmem_ctx_quiet(w.context))
LOOP(library_p, far_p(WORD(w.remote), i, w.pe))
LOOP(library_put, far_put(WORD(w.remote), w.mine, 8, w.pe))
LOOP(library_fetch_add, sum += (unsigned long)far_fetch_add((long*)(void*)w.remote, 1, w.pe))
LOOP(library_put_64, far_put(w.remote + (i & 63) * 64, w.mine, 64, w.pe))
LOOP(copy_64, memcpy(w.mapped + (i & 63) * 64, w.mine, w.sixty_four); MEMORY_CHANGES())
LOOP(library_put_512, far_put(w.remote + (i & 7) * 512, w.mine, 512, w.pe))
LOOP(copy_512, memcpy(w.mapped + (i & 7) * 512, w.mine, 8 * w.sixty_four); MEMORY_CHANGES())
LOOP(with_signal, shmem_putmem_signal(w.remote, w.mine, 8, w.signal, (uint64_t)i, SHMEM_SIGNAL_SET, w.pe))
LOOP(put_fence_p, shmem_putmem(w.remote, w.mine, 8, w.pe); shmem_fence(); shmem_long_p((long*)(void*)w.signal, i, w.pe))
LOOP(iput, shmem_long_iput((long*)(void*)w.remote, (long*)(void*)w.mine, 2, 2, kElements, w.pe))
LOOP(iget, shmem_long_iget((long*)(void*)w.mine, (long*)(void*)w.remote, 2, 2, kElements, w.pe))
LOOP(loop_there, for (int k = 0; k < kElements; k++)((long*)(void*)w.mapped)[2 * k] = ((long*)(void*)w.mine)[2 * k];
     MEMORY_CHANGES())
LOOP(loop_here, for (int k = 0; k < kElements; k++)((long*)(void*)w.mine)[2 * k] = ((long*)(void*)w.mapped)[2 * k];
     MEMORY_CHANGES())
LOOP(iput_ones, shmem_long_iput((long*)(void*)w.remote, (long*)(void*)w.mine, 1, 1, kStrideOnes, w.pe))
LOOP(iget_ones, shmem_long_iget((long*)(void*)w.mine, (long*)(void*)w.remote, 1, 1, kStrideOnes, w.pe))
LOOP(put_block, shmem_putmem(w.remote, w.mine, w.bytes, w.pe))
LOOP(get_block, shmem_getmem(w.mine, w.remote, w.bytes, w.pe))
LOOP(ranks, sum += (unsigned)shmem_my_pe() + (unsigned)shmem_n_pes(); MEMORY_CHANGES())
static volatile int g_word[2];
LOOP(loads, sum += (unsigned)g_word[0] + (unsigned)g_word[1]; MEMORY_CHANGES())

/* What a block's copy can be: the C library's, strings' instructions, a loop of vector registers. */
static void by_library(char* to, const char* from, size_t bytes) { memcpy(to, from, bytes); }
#ifdef __x86_64__
typedef long long block32 __attribute__((vector_size(32), aligned(1), may_alias));
__attribute__((target("avx2"))) static void by_loop(char* to, const char* from, size_t bytes) {
  for (; bytes >= 4 * sizeof(block32);
       to += 4 * sizeof(block32), from += 4 * sizeof(block32), bytes -= 4 * sizeof(block32)) {
    const block32* const source = (const block32*)(const void*)from;
    block32* const target = (block32*)(void*)to;
    const block32 a = source[0], b = source[1], c = source[2], d = source[3];
    target[0] = a;
    target[1] = b;
    target[2] = c;
    target[3] = d;
    MEMORY_CHANGES(); /* or the compiler makes a memcpy of it */
  }
  memcpy(to, from, bytes);
}
static void by_strings(char* to, const char* from, size_t bytes) {
  __asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes)::"memory");
}
static void (*const kRoutines[])(char*, const char*, size_t) = {by_library, by_strings, by_loop};
static size_t routines(void) { return __builtin_cpu_supports("avx2") ? 3 : 2; }
#else
static void (*const kRoutines[])(char*, const char*, size_t) = {by_library};
static size_t routines(void) { return 1; }
#endif
static void (*routine)(char*, const char*, size_t);
LOOP(block_there, routine(w.mapped, w.mine, w.bytes); MEMORY_CHANGES())
LOOP(block_here, routine(w.mine, w.mapped, w.bytes); MEMORY_CHANGES())

typedef void (*body)(const void*, long);
enum context { kNone, kPrivate, kSerialized, kShared, kOfTeam };
static const struct row {
  const char* name;
  body ours, beside; /* none: only the time is held to something */
  enum context context;
} kRows[] = {
    {"p.private", ctx_p, p, kPrivate},
    {"p.serialized", ctx_p, p, kSerialized},
    {"p.shared", ctx_p, p, kShared},
    {"p.team", ctx_p, p, kOfTeam},
    {"put.private", ctx_put, put, kPrivate},
    {"put.serialized", ctx_put, put, kSerialized},
    {"put.shared", ctx_put, put, kShared},
    {"put.team", ctx_put, put, kOfTeam},
    {"fetch_add.private", ctx_fetch_add, fetch_add, kPrivate},
    {"fetch_add.serialized", ctx_fetch_add, fetch_add, kSerialized},
    {"fetch_add.shared", ctx_fetch_add, fetch_add, kShared},
    {"fetch_add.team", ctx_fetch_add, fetch_add, kOfTeam},
    {"row.private", ctx_row, row, kPrivate},
    {"row.serialized", ctx_row, row, kSerialized},
    {"row.shared", ctx_row, row, kShared},
    {"row.team", ctx_row, row, kOfTeam},
    {"library.p", library_p, p, kNone},
    {"library.put", library_put, put, kNone},
    {"library.fetch_add", library_fetch_add, fetch_add, kNone},
    {"library.put.64", library_put_64, copy_64, kNone},
    {"library.put.512", library_put_512, copy_512, kNone},
    {"signal", with_signal, put_fence_p, kNone},
    {"iput", iput, loop_there, kNone},
    {"iget", iget, loop_here, kNone},
    {"iput.ones", iput_ones, put_block, kNone},
    {"iget.ones", iget_ones, get_block, kNone},
    {"ranks", ranks, loads, kNone},
};
enum { kRowsInAll = sizeof kRows / sizeof *kRows };

static void missing(const char* what) {
  fprintf(stderr, "bars: no %s\n", what);
  shmem_global_exit(1);
}

/* ISO C has no way from a pointer to an object to one to a function. */
static void find(void* function, size_t bytes, const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (!found) missing(name);
  memcpy(function, &found, bytes);
}

static void make_contexts(shmem_ctx_t* contexts, shmem_team_t* team) {
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &contexts[kPrivate]) != 0 ||
      shmem_ctx_create(SHMEM_CTX_SERIALIZED, &contexts[kSerialized]) != 0 ||
      shmem_ctx_create(0, &contexts[kShared]) != 0 ||
      shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n_pes, NULL, 0, team) != 0 ||
      shmem_team_create_ctx(*team, SHMEM_CTX_PRIVATE, &contexts[kOfTeam]) != 0)
    missing("contexts");
}

/* Both by turns, so that what changes from one moment to the next is in both. */
static void compare(const char* name, const struct plan* plan, body ours, body beside, const struct work* w) {
  double ns[MOST_REPETITIONS], other[MOST_REPETITIONS];
  const struct plan one = {1, plan->ms};
  for (int r = 0; r < plan->repetitions; r++) {
    take_times(&ns[r], &one, ours, w);
    take_times(&other[r], &one, beside, w);
  }
  printf("{\"name\": \"%s\", \"pes\": %d, \"ns\": [", name, n_pes);
  for (int r = 0; r < plan->repetitions; r++) printf("%s%.4f", r ? ", " : "", ns[r]);
  printf("], \"beside\": [");
  for (int r = 0; r < plan->repetitions; r++) printf("%s%.4f", r ? ", " : "", other[r]);
  printf("]}\n");
}

/* The best routine of each pair of addresses, chosen by its time here, and then by turns with it. */
static void blocks(const struct plan* plan, struct work w) {
  static const size_t kSizes[] = {1024, 4096, 16384, 65536, 262144};
  static const int kAhead[] = {0, 1, 7, 8, 15, 16, 31, 33, 64};
  char* const remote = w.remote;
  char* const mapped = w.mapped;
  char* const mine = w.mine;
  for (size_t s = 0; s < sizeof kSizes / sizeof *kSizes; s++) {
    for (size_t a = 0; a < sizeof kAhead / sizeof *kAhead; a++) {
      for (int gets = 0; gets < 2; gets++) {
        const struct plan one = {1, plan->ms};
        double best = 0, ns;
        void (*fastest)(char*, const char*, size_t) = NULL;
        char name[64];
        w.bytes = kSizes[s];
        w.remote = remote + (gets ? 0 : kAhead[a]);
        w.mapped = mapped + (gets ? 0 : kAhead[a]);
        w.mine = mine + (gets ? kAhead[a] : 0);
        for (size_t k = 0; k < routines(); k++) {
          routine = kRoutines[k];
          take_times(&ns, &one, gets ? block_here : block_there, &w);
          if (k == 0 || ns < best) fastest = routine;
          if (k == 0 || ns < best) best = ns;
        }
        routine = fastest;
        (void)snprintf(name, sizeof name, "%s.%zu.%d", gets ? "get" : "put", kSizes[s], kAhead[a]);
        compare(name, plan, gets ? get_block : put_block, gets ? block_here : block_there, &w);
      }
    }
  }
}

static void times(const struct plan* plan, struct work w, const shmem_ctx_t* contexts) {
  for (int k = 0; k < kRowsInAll; k++) {
    w.context = contexts[kRows[k].context];
    w.bytes = kStrideOnes * sizeof(long);
    compare(kRows[k].name, plan, kRows[k].ours, kRows[k].beside, &w);
  }
  blocks(plan, w);
}

/* A program's first copies of a size find out, or read, which routine is best; once only, so one figure a program. */
static void first(struct work w) {
  static const size_t kSizes[] = {4096, 16384, 65536};
  for (size_t s = 0; s < sizeof kSizes / sizeof *kSizes; s++) {
    double begin, ns, later;
    w.bytes = kSizes[s];
    memcpy(w.mapped, w.mine, w.bytes); /* both are in the caches, and mapped */
    begin = now_ns();
    put_block(&w, kFirst);
    ns = (now_ns() - begin) / kFirst;
    put_block(&w, 10 * kFirst);
    begin = now_ns();
    put_block(&w, kFirst);
    later = (now_ns() - begin) / kFirst;
    printf("{\"name\": \"first.%zu\", \"pes\": %d, \"ns\": [%.4f], \"beside\": [%.4f]}\n", kSizes[s], n_pes, ns, later);
  }
}

/* Calls on active sets: of all PEs, and of every other one. At least two arrays by turns, as OpenSHMEM has it. */
static long pbroadcast[kMostSets][SHMEM_BCAST_SYNC_SIZE], preduce[kMostSets][SHMEM_REDUCE_SYNC_SIZE];
static long to[kRow], from[kRow], work[kMostSets][SHMEM_REDUCE_MIN_WRKDATA_SIZE + kRow];
static int log_stride, members, arrays = 2;
static void broadcasts(const void* what, long count) {
  (void)what;
  if (me % (1 << log_stride) != 0) return;
  for (long i = 0; i < count; i++) shmem_broadcast64(to, from, 1, 0, 0, log_stride, members, pbroadcast[i % arrays]);
}
static void sums(const void* what, long count) {
  (void)what;
  if (me % (1 << log_stride) != 0) return;
  for (long i = 0; i < count; i++) {
    shmem_long_sum_to_all(to, from, 1, 0, log_stride, members, work[i % arrays], preduce[i % arrays]);
  }
}
static void sets(const struct plan* plan) {
  for (int k = 0; k < arrays; k++) {
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++) pbroadcast[k][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; i++) preduce[k][i] = SHMEM_SYNC_VALUE;
  }
  shmem_barrier_all();
  for (log_stride = 0; log_stride < 2; log_stride++) {
    members = (n_pes + log_stride) >> log_stride;
    if (log_stride && members < 2) break;
    measure_together(log_stride ? "broadcast.half" : "broadcast.all", "weft", plan, broadcasts, NULL);
    measure_together(log_stride ? "sum.half" : "sum.all", "weft", plan, sums, NULL);
  }
}

static int usage(void) {
  fprintf(stderr,
          "usage: bars [--repetitions N] [--ms T] times | first | sets single [N] | sets multiple [N]; bars run ROW "
          "SIDE COUNT\n");
  return 2;
}

int main(int argc, char** argv) {
  struct plan plan;
  const int at = read_plan(argc, argv, &plan);
  const char* const what = at < argc ? argv[at] : "";
  const int threads = at + 1 < argc && !strcmp(argv[at + 1], "multiple");
  int given, done = 0;
  if (shmem_init_thread(threads ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE, &given) != 0) return 1;
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  pin(me);
  find(&far_p, sizeof far_p, "shmem_long_p");
  find(&far_put, sizeof far_put, "shmem_putmem");
  find(&far_fetch_add, sizeof far_fetch_add, "shmem_long_atomic_fetch_add");
  if (!strcmp(what, "sets") && at + 1 < argc) {
    if (at + 2 < argc) arrays = atoi(argv[at + 2]);
    done = arrays >= 2 && arrays <= kMostSets;
    if (done) sets(&plan);
  } else if (*what) {
    shmem_ctx_t contexts[kOfTeam + 1] = {SHMEM_CTX_DEFAULT};
    shmem_team_t team;
    const int other = n_pes - 1; /* of the last PE; of itself where there is one */
    char* const memory = shmem_align(4096, kRoom);
    char* const own = aligned_alloc(4096, kRoom);
    uint64_t* const signal = shmem_calloc(1, 128);
    struct work w = {SHMEM_CTX_DEFAULT, memory, own, NULL, signal, 8, other, 64};
    if (!memory || !own || !signal) missing("memory");
    w.mapped = shmem_ptr(memory, other);
    if (!w.mapped) missing("way to the other PE's memory");
    memset(memory, 0, kRoom);
    memset(own, 1, kRoom);
    make_contexts(contexts, &team);
    shmem_barrier_all();
    if (!strcmp(what, "run") && at + 3 < argc) {
      for (int k = 0; k < kRowsInAll; k++) {
        if (strcmp(kRows[k].name, argv[at + 1]) != 0) continue;
        w.context = contexts[kRows[k].context];
        w.bytes = kStrideOnes * sizeof(long);
        (atoi(argv[at + 2]) ? kRows[k].beside : kRows[k].ours)(&w, atol(argv[at + 3]));
        done = 1;
      }
    } else if (!strcmp(what, "times") || !strcmp(what, "first")) {
      if (me == 0 && *what == 't') times(&plan, w, contexts);
      if (me == 0 && *what == 'f') first(w);
      done = 1;
    }
    shmem_barrier_all();
    for (int k = kPrivate; k <= kOfTeam; k++) shmem_ctx_destroy(contexts[k]);
    shmem_team_destroy(team);
    shmem_free(signal);
    shmem_free(memory);
    free(own);
  }
  shmem_finalize();
  return done ? 0 : usage();
}
