/* Point 6.4: on a context of a team, PE numbers count in the team, in every kind of call: put, get, p, g, strided, nbi,
 * AMO, signal, pe_quiet. The two predefined teams have the world's numbers on one machine; each call reaches the PE
 * whose number in the team it names. (Teams that renumber come with the teams themselves.) */
#include "check.h"

enum { kMaxPes = 32 };

struct Box {
  long put, p, strided, blocked, nbi, added, swapped, with_signal;
  uint64_t signal, plain_signal;
};
static struct Box g_box[kMaxPes]; /* by sender */

static void send_to(shmem_ctx_t ctx, int pe, long v) {
  struct Box* const b = &g_box[check_me];
  long old = -1;
  const long w = v + 1;
  shmem_ctx_long_put(ctx, &b->put, &v, 1, pe);
  shmem_ctx_long_p(ctx, &b->p, v, pe);
  shmem_ctx_long_iput(ctx, &b->strided, &v, 1, 1, 1, pe);
  shmem_ctx_long_ibput(ctx, &b->blocked, &v, 1, 1, 1, 1, pe);
  shmem_ctx_long_put_nbi(ctx, &b->nbi, &w, 1, pe);
  shmem_ctx_long_atomic_set(ctx, &b->added, 5, pe);
  shmem_ctx_pe_quiet(ctx, &pe, 1);
  shmem_ctx_long_atomic_add(ctx, &b->added, v, pe);
  CHECK_EQ(shmem_ctx_long_atomic_swap(ctx, &b->swapped, v, pe), 0, "swap on PE %d", pe);
  shmem_ctx_long_atomic_fetch_add_nbi(ctx, &old, &b->swapped, 1, pe);
  shmem_ctx_long_put_signal(ctx, &b->with_signal, &v, 1, &b->signal, (uint64_t)v, SHMEM_SIGNAL_SET, pe);
  shmem_ctx_signal_set(ctx, &b->plain_signal, (uint64_t)v, pe);
  shmem_ctx_quiet(ctx);
  CHECK_EQ(old, v, "fetch_add_nbi on PE %d", pe);
  CHECK_EQ(shmem_ctx_long_g(ctx, &b->put, pe), v, "g from PE %d", pe);
  CHECK_EQ(shmem_ctx_long_atomic_fetch(ctx, &b->added, pe), v + 5, "fetch from PE %d", pe);
}

static void expect_from(int pe, long v, int which) {
  const struct Box* const b = &g_box[pe];
  CHECK_EQ(b->put, v, "put from PE %d, context %d", pe, which);
  CHECK_EQ(b->p, v, "p from PE %d, context %d", pe, which);
  CHECK_EQ(b->strided, v, "iput from PE %d, context %d", pe, which);
  CHECK_EQ(b->blocked, v, "ibput from PE %d, context %d", pe, which);
  CHECK_EQ(b->nbi, v + 1, "put_nbi from PE %d, context %d", pe, which);
  CHECK_EQ(b->added, v + 5, "add from PE %d, context %d", pe, which);
  CHECK_EQ(b->swapped, v + 1, "swap from PE %d, context %d", pe, which);
  CHECK_EQ(b->with_signal, v, "put_signal from PE %d, context %d", pe, which);
  CHECK_EQ(b->signal, v, "the signal from PE %d, context %d", pe, which);
  CHECK_EQ(b->plain_signal, v, "signal_set from PE %d, context %d", pe, which);
}

int main(void) {
  shmem_ctx_t ctx[3];
  check_begin();
  REQUIRE(check_n <= kMaxPes, "too many PEs");
  REQUIRE(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx[0]) == 0, "a context of the world");
  REQUIRE(shmem_team_create_ctx(check_team_of_all(), SHMEM_CTX_SERIALIZED, &ctx[1]) == 0,
          "a context of the shared team");
  REQUIRE(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx[2]) == 0, "a plain context");
  for (int which = 0; which < 3; ++which) {
    memset(g_box, 0, sizeof g_box);
    shmem_barrier_all();
    for (int step = 0; step < check_n; ++step) {
      const int pe = check_right(step);
      send_to(ctx[which], pe, 10000 * (which + 1) + check_me * 100 + pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < check_n; ++pe) expect_from(pe, 10000 * (which + 1) + pe * 100 + check_me, which);
    shmem_barrier_all();
  }
  for (int which = 0; which < 3; ++which) shmem_ctx_destroy(ctx[which]);
  return check_end();
}
