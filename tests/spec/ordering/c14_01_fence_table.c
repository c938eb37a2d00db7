/* Points 14.1 and 14.2: message passing. For every kind of write (the rows of the specification's table, plain stores
 * included), data, then fence, then each kind of flag: who sees the flag sees the data. On the default and on a created
 * context; quiet in place of fence for the same. Gets are not covered by fence and not asked about. */
#include "litmus.h"

enum { kFlags = 5 };

static long g_flag;
static const char* const kFlagNames[kFlags] = {"p", "put", "atomic_set", "put_nbi", "put_signal of nothing"};

static void write_flag(int way, shmem_ctx_t ctx, const long* value, int to) {
  switch (way) {
    case 0: shmem_ctx_long_p(ctx, &g_flag, *value, to); break;
    case 1: shmem_ctx_long_put(ctx, &g_flag, value, 1, to); break;
    case 2: shmem_ctx_long_atomic_set(ctx, &g_flag, *value, to); break;
    case 3: shmem_ctx_long_put_nbi(ctx, &g_flag, value, 1, to); break;
    default:
      shmem_ctx_putmem_signal(ctx, &g_flag, value, 0, (uint64_t*)&g_flag, (uint64_t)*value, SHMEM_SIGNAL_SET, to);
  }
}

static void table(shmem_ctx_t ctx, int quiet, long* data, uint64_t* signal, long* round) {
  static struct LitmusSource source;
  static long value;
  char told_by[64];
  for (int way = 0; way < kLitmusWrites; ++way)
    for (int flag = 0; flag < kFlags; ++flag) {
      const long r = ++*round;
      snprintf(told_by, sizeof told_by, "%s, %s", quiet ? "quiet" : "fence", kFlagNames[flag]);
      value = r;
      litmus_write(way, ctx, data, signal, &source, (check_me + 1) * 10000000L + r * 1000, check_right(1));
      if (quiet)
        shmem_ctx_quiet(ctx);
      else
        shmem_ctx_fence(ctx);
      write_flag(flag, ctx, &value, check_right(1));
      shmem_long_wait_until(&g_flag, SHMEM_CMP_EQ, r);
      litmus_expect(data, way, (check_right(-1) + 1) * 10000000L + r * 1000, told_by);
      shmem_ctx_quiet(ctx);
      shmem_barrier_all();
    }
}

int main(void) {
  shmem_ctx_t ctx;
  uint64_t* signal;
  long* data;
  long round = 0;
  check_begin();
  data = shmem_malloc(kLitmusWords * sizeof *data);
  signal = shmem_calloc(1, sizeof *signal);
  REQUIRE(data && signal && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  for (int quiet = 0; quiet < 2; ++quiet) {
    table(SHMEM_CTX_DEFAULT, quiet, data, signal, &round);
    table(ctx, quiet, data, signal, &round);
  }
  shmem_ctx_destroy(ctx);
  shmem_free(signal);
  shmem_free(data);
  return check_end();
}
