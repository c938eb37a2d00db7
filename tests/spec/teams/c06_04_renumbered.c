/* Points 6.4, 6.7, 8.6 and 1.10: PE numbers on a context of a team that renumbers (backwards, strided, nested, a row
 * and a column of a grid) count in that team, in every kind of call. Each member visits each member, itself too, and
 * what arrives where is compared with lists of members. Also shmem_ctx_get_team and shmem_team_ptr. */
#include "teams.h"

/* One for each PE that may send, so nothing of two PEs mixes. */
typedef struct {
  long put, p, stride[6], block[6], nbi, mem, put64, signalled, signalled_nbi;
  long set, swapped, cas, added, inced, fadded, finced, swapped_nbi, cas_nbi, fadded_nbi, finced_nbi;
  uint64_t a, o, x, fa, fo, fx, fan, fon, fxn;
  uint64_t signal, signal_nbi, signal_set, signal_add;
  double real;
  int32_t narrow;
} Box;
static Box box[kMostPes];
static long board[kMostPes]; /* what others get: the PE's own number and a round */

static void expect_gets(shmem_ctx_t ctx, int k, int pe, long round) {
  const long expected = round * 1000 + pe;
  long got[3] = {-1, -1, -1};
  long nbi = -1, mem = -1, amo = -1;
  CHECK_EQ(shmem_ctx_long_g(ctx, &board[1], k), expected, "g from member %d", k);
  shmem_ctx_long_get(ctx, got, &board[1], 1, k);
  CHECK_EQ(got[0], expected, "get from member %d", k);
  got[0] = got[2] = -1;
  shmem_ctx_long_iget(ctx, got, &board[1], 2, 1, 2, k);
  CHECK(got[0] == expected && got[2] == expected && got[1] == -1, "iget from member %d", k);
  shmem_ctx_long_ibget(ctx, got, &board[1], 2, 2, 2, 1, k);
  CHECK(got[0] == expected && got[1] == expected, "ibget from member %d", k);
  shmem_ctx_long_get_nbi(ctx, &nbi, &board[1], 1, k);
  shmem_ctx_getmem(ctx, &mem, &board[1], sizeof mem, k);
  shmem_ctx_long_atomic_fetch_nbi(ctx, &amo, &board[1], k);
  CHECK_EQ(shmem_ctx_long_atomic_fetch(ctx, &board[1], k), expected, "atomic_fetch from member %d", k);
  shmem_ctx_quiet(ctx);
  CHECK_EQ(nbi, expected, "get_nbi from member %d", k);
  CHECK_EQ(mem, expected, "getmem from member %d", k);
  CHECK_EQ(amo, expected, "atomic_fetch_nbi from member %d", k);
}

/* v is never 0. Old values of fetching operations are looked at here, the new ones by their owner. */
static void send(shmem_ctx_t ctx, int k, long v) {
  Box* const b = &box[check_me];
  const long two[2] = {v, v + 1};
  const long next = v + 1;
  const uint64_t bits = (uint64_t)v, ones = ~UINT64_C(0);
  long o1 = -1, o2 = -1, o3 = -1, o4 = -1;
  uint64_t u1 = 1, u2 = 1, u3 = 1;
  const int pes[2] = {k, 0};
  shmem_ctx_long_put(ctx, &b->put, &v, 1, k);
  shmem_ctx_long_p(ctx, &b->p, v, k);
  shmem_ctx_long_iput(ctx, b->stride, two, 3, 1, 2, k);
  shmem_ctx_long_ibput(ctx, b->block, two, 4, 1, 1, 2, k);
  shmem_ctx_long_put_nbi(ctx, &b->nbi, &next, 1, k);
  shmem_ctx_putmem(ctx, &b->mem, &v, sizeof v, k);
  shmem_ctx_put64(ctx, &b->put64, &v, 1, k);
  shmem_ctx_double_p(ctx, &b->real, (double)v, k);
  shmem_ctx_int32_atomic_add(ctx, &b->narrow, (int32_t)v, k);
  shmem_ctx_fence(ctx);
  shmem_ctx_long_put_signal(ctx, &b->signalled, &v, 1, &b->signal, bits, SHMEM_SIGNAL_SET, k);
  shmem_ctx_long_put_signal_nbi(ctx, &b->signalled_nbi, &next, 1, &b->signal_nbi, bits, SHMEM_SIGNAL_ADD, k);
  shmem_ctx_signal_set(ctx, &b->signal_set, bits, k);
  shmem_ctx_signal_add(ctx, &b->signal_add, bits, k);
  shmem_ctx_long_atomic_set(ctx, &b->set, v, k);
  CHECK_EQ(shmem_ctx_long_atomic_swap(ctx, &b->swapped, v, k), 0, "swap on member %d", k);
  CHECK_EQ(shmem_ctx_long_atomic_compare_swap(ctx, &b->cas, 0, v, k), 0, "compare_swap on member %d", k);
  shmem_ctx_long_atomic_add(ctx, &b->added, v, k);
  shmem_ctx_long_atomic_inc(ctx, &b->inced, k);
  CHECK_EQ(shmem_ctx_long_atomic_fetch_add(ctx, &b->fadded, v, k), 0, "fetch_add on member %d", k);
  CHECK_EQ(shmem_ctx_long_atomic_fetch_inc(ctx, &b->finced, k), 0, "fetch_inc on member %d", k);
  shmem_ctx_long_atomic_swap_nbi(ctx, &o1, &b->swapped_nbi, v, k);
  shmem_ctx_long_atomic_compare_swap_nbi(ctx, &o2, &b->cas_nbi, 0, v, k);
  shmem_ctx_long_atomic_fetch_add_nbi(ctx, &o3, &b->fadded_nbi, v, k);
  shmem_ctx_long_atomic_fetch_inc_nbi(ctx, &o4, &b->finced_nbi, k);
  shmem_ctx_uint64_atomic_and(ctx, &b->a, bits, k);
  shmem_ctx_uint64_atomic_or(ctx, &b->o, bits, k);
  shmem_ctx_uint64_atomic_xor(ctx, &b->x, bits, k);
  CHECK(shmem_ctx_uint64_atomic_fetch_and(ctx, &b->fa, bits, k) == ones, "fetch_and on member %d", k);
  CHECK(shmem_ctx_uint64_atomic_fetch_or(ctx, &b->fo, bits, k) == 0, "fetch_or on member %d", k);
  CHECK(shmem_ctx_uint64_atomic_fetch_xor(ctx, &b->fx, bits, k) == ones, "fetch_xor on member %d", k);
  shmem_ctx_uint64_atomic_fetch_and_nbi(ctx, &u1, &b->fan, bits, k);
  shmem_ctx_uint64_atomic_fetch_or_nbi(ctx, &u2, &b->fon, bits, k);
  shmem_ctx_uint64_atomic_fetch_xor_nbi(ctx, &u3, &b->fxn, bits, k);
  shmem_ctx_pe_quiet(ctx, pes, 2);
  CHECK(o1 == 0 && o2 == 0 && o3 == 0 && o4 == 0, "old values on member %d: %ld %ld %ld %ld", k, o1, o2, o3, o4);
  CHECK(u1 == ones && u2 == 0 && u3 == ones, "old bits on member %d", k);
}

static void expect_received(int from, long v, const char* what) {
  const Box* const b = &box[from];
  const uint64_t bits = (uint64_t)v;
#define IS(FIELD, EXPECTED) CHECK_EQ(b->FIELD, EXPECTED, "%s: " #FIELD " from PE %d", what, from)
  IS(put, v);
  IS(p, v);
  IS(nbi, v ? v + 1 : 0);
  IS(mem, v);
  IS(put64, v);
  IS(stride[0], v);
  IS(stride[3], v ? v + 1 : 0);
  IS(stride[1], 0);
  IS(block[0], v);
  IS(block[4], v ? v + 1 : 0);
  IS(block[1], 0);
  IS(signalled, v);
  IS(signalled_nbi, v ? v + 1 : 0);
  IS(signal, bits);
  IS(signal_nbi, bits);
  IS(signal_set, bits);
  IS(signal_add, bits);
  IS(set, v);
  IS(swapped, v);
  IS(cas, v);
  IS(added, v);
  IS(fadded, v);
  IS(inced, v != 0);
  IS(finced, v != 0);
  IS(swapped_nbi, v);
  IS(cas_nbi, v);
  IS(fadded_nbi, v);
  IS(finced_nbi, v != 0);
  IS(o, bits);
  IS(fo, bits);
  IS(fon, bits);
  IS(narrow, v);
  IS(a, v ? bits : ~UINT64_C(0));
  IS(fa, v ? bits : ~UINT64_C(0));
  IS(fan, v ? bits : ~UINT64_C(0));
  IS(x, ~bits);
  IS(fx, ~bits);
  IS(fxn, ~bits);
  CHECK(b->real == (double)v, "%s: real from PE %d: %g", what, from, b->real);
}

static void clear(void) {
  memset(box, 0, sizeof box);
  for (int pe = 0; pe < kMostPes; ++pe)
    box[pe].a = box[pe].fa = box[pe].fan = box[pe].x = box[pe].fx = box[pe].fxn = ~UINT64_C(0);
}

/* All PEs of the job call, members or not. Round after round, each member sends to the one `by` places on in the team;
 * who is no member sees that nothing arrives. */
static void visit_all(shmem_team_t team, const Members* m, long options, const char* what) {
  static long round = 0;
  const int me = number_in(m, check_me);
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  shmem_team_t of = SHMEM_TEAM_INVALID;
  STEP(what);
  CHECK((team != SHMEM_TEAM_INVALID) == (me >= 0), "%s: a handle", what);
  if (me >= 0) {
    REQUIRE(shmem_team_create_ctx(team, options, &ctx) == 0, "%s: a context", what);
    CHECK_EQ(shmem_ctx_get_team(ctx, &of), 0, "%s: get_team", what);
    CHECK(of == team, "%s: the context's team", what);
  }
  for (int by = 0; by < check_n; ++by) {
    ++round;
    clear();
    for (int k = 0; k < kMostPes; ++k) board[k] = round * 1000 + check_me;
    shmem_barrier_all();
    if (me >= 0 && by < m->n) {
      const int to = (me + by) % m->n;
      send(ctx, to, round * 100 + check_me + 1);
      expect_gets(ctx, to, m->pe[to], round);
      CHECK(shmem_team_ptr(team, &board[1], to) == shmem_ptr(&board[1], m->pe[to]), "%s: team_ptr %d", what, to);
      CHECK(shmem_team_ptr(team, &board[1], m->n) == NULL && shmem_team_ptr(team, &board[1], -1) == NULL,
            "%s: team_ptr beyond", what);
      CHECK(shmem_team_ptr(team, &to, to) == NULL, "%s: team_ptr of the stack", what);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < check_n; ++pe) {
      const int from = number_in(m, pe);
      const int mine = me >= 0 && from >= 0 && by < m->n && (from + by) % m->n == me;
      expect_received(pe, mine ? round * 100 + pe + 1 : 0, what);
    }
    shmem_barrier_all();
  }
  if (ctx != SHMEM_CTX_INVALID) shmem_ctx_destroy(ctx);
}

int main(void) {
  check_begin();
  REQUIRE(check_n <= kMostPes, "too many PEs");
  const int n = check_n, half = (n + 1) / 2;
  const Members world = all_pes();
  const Members back = part_of(&world, n - 1, -1, n);
  const Members second = part_of(&back, 0, 2, half);
  const Members again = part_of(&second, half - 1, -1, half);
  shmem_team_t none = SHMEM_TEAM_INVALID;
  shmem_team_t backwards = need_part(SHMEM_TEAM_WORLD, n - 1, -1, n);
  shmem_team_t every_second = need_part(backwards, 0, 2, half);
  shmem_team_t turned = every_second == none ? none : need_part(every_second, half - 1, -1, half);
  shmem_team_t row = none, column = none;
  Members r, c;
  visit_all(backwards, &back, 0, "backwards");
  visit_all(every_second, &second, SHMEM_CTX_SERIALIZED, "every second of those");
  visit_all(turned, &again, SHMEM_CTX_PRIVATE, "those turned round");
  REQUIRE(shmem_team_split_2d(backwards, 2, NULL, 0, &row, NULL, 0, &column) == 0, "split_2d");
  r.n = c.n = 0;
  for (int k = 0; k < n; ++k) {
    if (k / 2 == (n - 1 - check_me) / 2) r.pe[r.n++] = back.pe[k];
    if (k % 2 == (n - 1 - check_me) % 2) c.pe[c.n++] = back.pe[k];
  }
  visit_all(column, &c, SHMEM_CTX_NOSTORE, "columns");
  visit_all(row, &r, 0, "rows");
  shmem_team_destroy(row);
  shmem_team_destroy(column);
  shmem_team_destroy(turned);
  shmem_team_destroy(every_second);
  shmem_team_destroy(backwards);
  return check_end();
}
