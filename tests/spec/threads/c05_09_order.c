/* 5.9 Libraries in one process that each bracket their own use with init and finalize (as the parts of a hybrid program
 * do), in any order; finalize from atexit; init after start_pes. The argument is the order. */
#include "../check.h"

static long word;

static void use(long value) {
  shmem_long_p(&word, value, check_right(1));
  shmem_barrier_all();
  CHECK_EQ(word, value, "traffic");
  shmem_barrier_all();
}

static int initialised(void) {
  int is = -1;
  shmem_query_initialized(&is);
  return is != 0;
}

/* Two libraries of which each counts only its own calls. */
static void a_begins(void) {
  shmem_init();
  check_identify();
}
static void a_ends(void) { shmem_finalize(); }
static void b_begins(void) {
  int provided = -1;
  CHECK_EQ(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided), 0, "init_thread");
  check_identify();
}
static void b_ends(void) { shmem_finalize(); }

static void at_exit(void) {
  use(8);
  if (check_failures) check_give_up();
  shmem_finalize();
  if (initialised()) _exit(3);
}

int main(int argc, char** argv) {
  const char* order = argc > 1 ? argv[1] : "nested";
  check_watch();
  if (!strcmp(order, "nested")) {
    a_begins();
    b_begins();
    use(1);
    b_ends();
    use(2);
    a_ends();
  } else if (!strcmp(order, "crossed")) {
    a_begins();
    b_begins();
    use(1);
    a_ends();
    use(2);
    b_ends();
  } else if (!strcmp(order, "apart")) {
    a_begins();
    use(1);
    a_ends();
    CHECK(!initialised(), "between two phases");
    b_begins();
    use(2);
    b_ends();
    CHECK(!initialised(), "between two phases");
    a_begins();
    use(3);
    a_ends();
  } else if (!strcmp(order, "atexit")) {
    atexit(at_exit);
    a_begins();
    use(1);
    b_begins();
    b_ends();
    use(2);
    exit(0); /* main ends with the library initialised; the program's own handler finalizes */
  } else if (!strcmp(order, "start_pes")) {
    start_pes(0);
    check_identify();
    use(1);
    b_begins();
    use(2);
    b_ends();
    use(3);
    if (check_failures) check_give_up();
    return 0; /* implicit finalize */
  }
  if (check_failures && initialised()) check_give_up();
  CHECK(!initialised(), "at the end");
  return check_result();
}
