/* 0.4 Library handles stand in initialisers of static objects: also members, arrays, const and thread-local ones.
 * 0.5 Constants are compile-time: array bounds, case labels, enumerators, bit fields, _Thread_local initialisers.
 * 0.6 Handles are assigned and compared with == like any scalar. Plain C: C++ is c00_04_handles.cpp. */
#include "../check.h"

static shmem_team_t world = SHMEM_TEAM_WORLD;
static shmem_team_t shared = SHMEM_TEAM_SHARED;
static shmem_ctx_t usual = SHMEM_CTX_DEFAULT;
static const shmem_team_t teams[3] = {SHMEM_TEAM_WORLD, SHMEM_TEAM_INVALID, SHMEM_TEAM_SHARED};
shmem_ctx_t exported_default = SHMEM_CTX_DEFAULT;

struct Channel {
  int tag;
  shmem_ctx_t ctx;
  shmem_team_t team;
};
static struct Channel channels[2] = {{1, SHMEM_CTX_DEFAULT, SHMEM_TEAM_WORLD},
                                     {2, SHMEM_CTX_INVALID, SHMEM_TEAM_INVALID}};

static __thread shmem_ctx_t own_ctx = SHMEM_CTX_INVALID;
static __thread shmem_ctx_t own_default = SHMEM_CTX_DEFAULT;
static __thread shmem_team_t own_team = SHMEM_TEAM_INVALID;

enum Levels {
  kSingle = SHMEM_THREAD_SINGLE,
  kFunneled = SHMEM_THREAD_FUNNELED,
  kSerialized = SHMEM_THREAD_SERIALIZED,
  kMultiple = SHMEM_THREAD_MULTIPLE,
  kHints = SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE,
  kOptions = SHMEM_CTX_SERIALIZED | SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE
};

static long all_syncs[SHMEM_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_REDUCE_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE +
                      SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_ALLTOALLS_SYNC_SIZE];
static long first_sync[2] = {SHMEM_SYNC_VALUE, SHMEM_SYNC_VALUE};
static const char vendor[] = SHMEM_VENDOR_STRING; /* only a string literal can do this */

#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
_Static_assert(SHMEM_THREAD_SINGLE < SHMEM_THREAD_FUNNELED, "levels grow");
_Static_assert(SHMEM_THREAD_FUNNELED < SHMEM_THREAD_SERIALIZED, "levels grow");
_Static_assert(SHMEM_THREAD_SERIALIZED < SHMEM_THREAD_MULTIPLE, "levels grow");
_Static_assert(SHMEM_MAJOR_VERSION == 1, "1.x");
#endif

static int opposite(int cmp) {
  switch (cmp) {
    case SHMEM_CMP_EQ: return SHMEM_CMP_NE;
    case SHMEM_CMP_NE: return SHMEM_CMP_EQ;
    case SHMEM_CMP_LT: return SHMEM_CMP_GE;
    case SHMEM_CMP_GE: return SHMEM_CMP_LT;
    case SHMEM_CMP_GT: return SHMEM_CMP_LE;
    case SHMEM_CMP_LE: return SHMEM_CMP_GT;
  }
  return -1;
}

static const char* signal_name(int op) {
  switch (op) {
    case SHMEM_SIGNAL_SET: return "set";
    case SHMEM_SIGNAL_ADD: return "add";
  }
  return "none";
}

static long word;

int main(void) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  int to;
  check_begin();
  to = check_right(1);

  CHECK(world == SHMEM_TEAM_WORLD && teams[0] == world, "world");
  CHECK(shared == SHMEM_TEAM_SHARED && teams[2] == shared, "shared");
  CHECK(world != SHMEM_TEAM_INVALID && shared != SHMEM_TEAM_INVALID && world != shared, "handles differ");
  CHECK(usual == SHMEM_CTX_DEFAULT && exported_default == usual && usual != SHMEM_CTX_INVALID, "default context");
  CHECK(channels[0].ctx == usual && channels[0].team == world, "members");
  CHECK(channels[1].ctx == SHMEM_CTX_INVALID && channels[1].team == SHMEM_TEAM_INVALID, "members");
  CHECK(own_ctx == SHMEM_CTX_INVALID && own_team == SHMEM_TEAM_INVALID && own_default == usual, "thread-local");

  /* a handle from an initialiser works like the name itself */
  shmem_ctx_long_p(usual, &word, 40 + check_me, to);
  shmem_ctx_long_atomic_add(channels[0].ctx, &word, 100, to);
  shmem_ctx_quiet(exported_default);
  shmem_barrier_all();
  CHECK(word == 140 + check_right(-1) || word == 40 + check_right(-1) + 100, "word is %ld", word);

  /* 0.6: equal handles for the same thing */
  CHECK_EQ(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team), 0, "get_team of the default context");
  CHECK(team == SHMEM_TEAM_WORLD, "the default context belongs to WORLD");
  team = SHMEM_TEAM_INVALID;
  CHECK_EQ(shmem_ctx_create(0, &ctx), 0, "ctx_create");
  CHECK(ctx != SHMEM_CTX_INVALID && ctx != SHMEM_CTX_DEFAULT, "a created context is a new one");
  CHECK_EQ(shmem_ctx_get_team(ctx, &team), 0, "get_team of a created context");
  CHECK(team == world, "a created context belongs to WORLD");
  own_ctx = ctx;
  CHECK(own_ctx == ctx, "assigned handles compare equal");
  shmem_ctx_destroy(own_ctx);

  CHECK_EQ(opposite(SHMEM_CMP_LT), SHMEM_CMP_GE, "case labels are distinct");
  CHECK_EQ(opposite(SHMEM_CMP_EQ), SHMEM_CMP_NE, "case labels are distinct");
  CHECK(strcmp(signal_name(SHMEM_SIGNAL_ADD), "add") == 0, "SHMEM_SIGNAL_ADD");
  CHECK(strcmp(signal_name(SHMEM_SIGNAL_SET), "set") == 0, "SHMEM_SIGNAL_SET");
  CHECK(kSingle < kFunneled && kFunneled < kSerialized && kSerialized < kMultiple, "levels grow");
  CHECK(SHMEM_MALLOC_ATOMICS_REMOTE != 0 && SHMEM_MALLOC_SIGNAL_REMOTE != 0 &&
            (SHMEM_MALLOC_ATOMICS_REMOTE & SHMEM_MALLOC_SIGNAL_REMOTE) == 0,
        "hints combine with OR");
  CHECK((SHMEM_CTX_PRIVATE & SHMEM_CTX_SERIALIZED) == 0 && (SHMEM_CTX_PRIVATE & SHMEM_CTX_NOSTORE) == 0 &&
            (SHMEM_CTX_SERIALIZED & SHMEM_CTX_NOSTORE) == 0 && SHMEM_CTX_PRIVATE != 0 && SHMEM_CTX_SERIALIZED != 0 &&
            SHMEM_CTX_NOSTORE != 0,
        "context options combine with OR");
  CHECK(kHints != 0 && kOptions != 0, "enumerators");
  CHECK_EQ(first_sync[1], SHMEM_SYNC_VALUE, "SHMEM_SYNC_VALUE in an initialiser");
  CHECK(sizeof all_syncs >= 7 * sizeof(long) && all_syncs[0] == 0, "SYNC sizes are positive");
  CHECK(sizeof vendor > 1 && vendor[0] != 0, "SHMEM_VENDOR_STRING");
  return check_end();
}
