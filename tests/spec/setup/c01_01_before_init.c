/* 1.1 Before shmem_init only the two queries are legal, and they work; shmem_init is collective: when it returns here,
 * the memory of every other PE may be used, however late that PE came. */
#include "../check.h"

enum { kMost = 64 };
static long from[kMost];        /* from[i] of PE p is written by PE i */
static long kept = 12345;       /* initialised data */
static long stored_before_init; /* plain memory of the process before init */

int main(void) {
  int initialized = -1, provided = -1, i;
  check_watch();
  shmem_query_initialized(&initialized);
  if (initialized != 0) check_fail(__FILE__, __LINE__, "initialized == 0", "got %d before init", initialized);
  shmem_query_thread(&provided); /* legal; the value means nothing yet */
  stored_before_init = 77;

  /* The last PE comes late, by its number when the launcher gives it, else by chance of its process id. */
  {
    const char* number = getenv("WEFT_PE");
    if (number ? atoi(number) == 0 : getpid() % 2 == 0) check_sleep_ms(300);
  }
  shmem_init();
  check_identify();
  REQUIRE(check_n <= kMost, "at most %d PEs", kMost);
  shmem_query_initialized(&initialized);
  CHECK(initialized != 0, "query_initialized after init gives 0");
  CHECK_EQ(stored_before_init, 77, "a store before init");

  /* at once, without any other synchronisation */
  for (i = 0; i < check_n; ++i) {
    shmem_long_p(&from[check_me], 1000 + check_me, i);
    CHECK_EQ(shmem_long_g(&kept, i), 12345, "initialised data of PE %d right after init", i);
    CHECK_EQ(shmem_long_g(&stored_before_init, i), 77, "PE %d stored this before its init", i);
  }
  STEP("values of all PEs");
  for (i = 0; i < check_n; ++i) shmem_long_wait_until(&from[i], SHMEM_CMP_EQ, 1000 + i);
  shmem_barrier_all();
  for (i = 0; i < check_n; ++i) CHECK_EQ(from[i], 1000 + i, "value of PE %d", i);
  return check_end();
}
