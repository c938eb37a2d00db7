/* 1.10 shmem_ptr: on one node every heap object of every PE (itself included) is within load and store; never a
 * wrong pointer for anything else. 1.11 SHMEM_TEAM_SHARED is exactly the PEs for which that holds. */
#include "../check.h"

static long in_static[8];
enum { kWords = 3000 };

static int is_near(int pe) { return shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED) >= 0; }

static void heap_by_pointer(long* block) {
  int pe, i;
  for (i = 0; i < kWords; ++i) block[i] = check_me * 100000L + i;
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) {
    long* theirs = (long*)shmem_ptr(block, pe);
    long* inner = (long*)shmem_ptr(block + 777, pe);
    if (!is_near(pe)) {
      CHECK(theirs == NULL && inner == NULL, "shmem_ptr of PE %d, which shares no memory", pe);
      continue;
    }
    REQUIRE(theirs != NULL && inner != NULL, "shmem_ptr of the heap of PE %d is NULL", pe);
    CHECK(inner == theirs + 777, "pointers into one object keep their distance");
    CHECK_EQ(theirs[0], pe * 100000L, "first word of PE %d", pe);
    CHECK_EQ(theirs[kWords - 1], pe * 100000L + kWords - 1, "last word of PE %d", pe);
    CHECK_EQ(*inner, pe * 100000L + 777, "inner word of PE %d", pe);
    CHECK(shmem_team_ptr(SHMEM_TEAM_WORLD, block, pe) == (void*)theirs, "team_ptr of WORLD is not shmem_ptr");
    CHECK(pe != check_me || theirs == block || theirs[1] == block[1], "own block");
  }
  shmem_barrier_all();
  /* stores: each PE writes its own place of every PE, then all look at home */
  for (pe = 0; pe < check_n; ++pe) {
    if (is_near(pe))
      ((long*)shmem_ptr(block, pe))[check_me] = -(check_me + 1L);
    else
      shmem_long_p(&block[check_me], -(check_me + 1L), pe);
  }
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) CHECK_EQ(block[pe], -(pe + 1L), "store of PE %d", pe);
  for (pe = 0; pe < check_n; ++pe) CHECK_EQ(shmem_long_g(&block[check_me], pe), -(check_me + 1L), "put path agrees");
  /* and the other way round: what a put wrote, a load through the pointer sees */
  shmem_barrier_all();
  shmem_long_p(&block[kWords - 1 - check_me], 4711 + check_me, check_right(1));
  shmem_quiet();
  if (is_near(check_right(1)))
    CHECK_EQ(((volatile long*)shmem_ptr(block, check_right(1)))[kWords - 1 - check_me], 4711 + check_me, "load");
  shmem_barrier_all();
}

static void other_addresses(void) {
  long on_stack = 0, *private_heap = (long*)malloc(sizeof(long));
  int pe;
  in_static[3] = check_me + 70;
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) {
    long* theirs = (long*)shmem_ptr(&in_static[3], pe);
    if (theirs) CHECK_EQ(*theirs, pe + 70, "shmem_ptr of a static of PE %d", pe); /* NULL is allowed */
    if (pe != check_me) {
      CHECK(shmem_ptr(&on_stack, pe) == NULL, "shmem_ptr of a stack address");
      CHECK(shmem_ptr(private_heap, pe) == NULL, "shmem_ptr of malloc memory");
      CHECK(shmem_ptr(NULL, pe) == NULL, "shmem_ptr of NULL");
    }
  }
  free(private_heap);
}

static void teams(long* block) {
  int pe, found;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  shmem_team_t team = SHMEM_TEAM_INVALID;
  CHECK(shmem_team_ptr(SHMEM_TEAM_INVALID, block, 0) == NULL, "team_ptr of the invalid team");
  /* The PEs for which shmem_ptr gives a pointer are found in SHARED under some number, each exactly once. */
  block[0] = 5000 + check_me;
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) {
    int k;
    found = 0;
    for (k = 0; k < shmem_team_n_pes(SHMEM_TEAM_SHARED); ++k) {
      long* theirs = (long*)shmem_team_ptr(SHMEM_TEAM_SHARED, block, k);
      REQUIRE(theirs != NULL, "team_ptr of SHARED, PE %d", k);
      found += *theirs == 5000 + pe;
    }
    CHECK_EQ(found, is_near(pe), "how often PE %d is in SHARED", pe);
  }
  CHECK_EQ(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx), 0, "team_create_ctx on SHARED");
  CHECK_EQ(shmem_ctx_get_team(ctx, &team), 0, "ctx_get_team");
  CHECK(team == SHMEM_TEAM_SHARED, "a context on SHARED says so");
  shmem_ctx_destroy(ctx);
  shmem_barrier_all();
}

int main(void) {
  long* block;
  check_begin();
  block = (long*)shmem_malloc(kWords * sizeof(long));
  REQUIRE(block != NULL, "shmem_malloc");
  heap_by_pointer(block);
  other_addresses();
  teams(block);
  shmem_free(block);
  return check_end();
}
