/* 2.1 Data of a shared library and thread-local data are not symmetric: each PE keeps its own, remote traffic of the
 * program never shows in them, and the library says 0 for them. (Using them as a target is undefined: see c02_07.) */
#include "../check.h"

#include <pthread.h>

extern long* dso_counter(void);
extern long* dso_table(void);

static __thread long per_thread = 17;
static __thread long per_thread_bss[2000];
static long shared_word;

static void* in_thread(void* result) {
  *(int*)result = per_thread == 17 && per_thread_bss[1999] == 0 && shmem_addr_accessible(&per_thread, 0) == 0 &&
                  shmem_addr_accessible(&per_thread_bss[1000], 0) == 0;
  per_thread = 99;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int fine = 0, provided, pe;
  check_watch();
  if (shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) != 0) return 1;
  check_identify();
  *dso_counter() += check_me;
  dso_table()[4095] = 40 + check_me;
  per_thread += check_me;
  shmem_barrier_all();
  for (pe = 0; pe < check_n; ++pe) {
    CHECK_EQ(shmem_addr_accessible(dso_counter(), pe), 0, "data of a shared library");
    CHECK_EQ(shmem_addr_accessible(&dso_table()[100], pe), 0, "data of a shared library");
    CHECK_EQ(shmem_addr_accessible(&per_thread, pe), 0, "thread-local data");
    CHECK_EQ(shmem_addr_accessible(&per_thread_bss[1999], pe), 0, "thread-local data");
    CHECK(pe == check_me || shmem_ptr(dso_counter(), pe) == NULL, "shmem_ptr of a shared library's data");
    CHECK(pe == check_me || shmem_ptr(&per_thread, pe) == NULL, "shmem_ptr of thread-local data");
  }
  pthread_create(&thread, NULL, in_thread, &fine);
  pthread_join(thread, NULL);
  CHECK(fine, "another thread's own copy");
  shmem_long_p(&shared_word, 1, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(*dso_counter(), 100 + check_me, "data of a shared library");
  CHECK_EQ(dso_table()[4095], 40 + check_me, "data of a shared library");
  CHECK_EQ(per_thread, 17 + check_me, "thread-local data");
  CHECK_EQ(shared_word, 1, "the symmetric one");
  shmem_barrier_all();

  /* They may be the private side of a transfer (2.6). */
  shmem_long_put(&shared_word, &dso_table()[4095], 1, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(shared_word, 40 + check_right(-1), "source in a shared library");
  shmem_long_get(&per_thread, &shared_word, 1, check_right(1));
  CHECK_EQ(per_thread, 40 + check_me, "destination in thread-local memory");
  shmem_long_get(dso_counter(), &shared_word, 1, check_right(1));
  CHECK_EQ(*dso_counter(), 40 + check_me, "destination in a shared library");
  return check_end();
}
