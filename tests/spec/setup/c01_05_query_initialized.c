/* 1.5 shmem_query_initialized: 0 before the first init and after the last finalize, nonzero between, at any time and
 * from any thread, also while another thread is inside init or finalize. */
#include "../check.h"

#include <pthread.h>

static int asked;     /* how often the watcher asked */
static int went_up;   /* it saw nonzero */
static int went_down; /* it saw 0 after nonzero */
static int flickered; /* it saw nonzero after that */
static int stop;

static int is_initialised(void) {
  int initialized = -1;
  shmem_query_initialized(&initialized);
  return initialized != 0;
}

/* Both threads look at these. */
static int get(const int* what) { return __atomic_load_n(what, __ATOMIC_ACQUIRE); }
static void set(int* what) { __atomic_store_n(what, 1, __ATOMIC_RELEASE); }

static void* watcher(void* unused) {
  (void)unused;
  while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
    int provided = -1;
    if (is_initialised()) {
      if (get(&went_down)) set(&flickered);
      set(&went_up);
    } else if (get(&went_up)) {
      set(&went_down);
    }
    shmem_query_thread(&provided);
    __atomic_add_fetch(&asked, 1, __ATOMIC_RELEASE);
    check_sleep_ms(1);
  }
  return NULL;
}

static void wait_asked(int more) {
  const int until = __atomic_load_n(&asked, __ATOMIC_ACQUIRE) + more;
  while (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) < until) check_sleep_ms(1);
}

int main(void) {
  pthread_t thread;
  int provided = -1;
  check_watch();
  CHECK(!is_initialised(), "before init, main thread");
  if (pthread_create(&thread, NULL, watcher, NULL)) return 1;
  STEP("the watcher asks before init");
  wait_asked(3);
  CHECK(!get(&went_up), "another thread saw nonzero before init");
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) return 1;
  check_identify();
  CHECK(is_initialised(), "after init");
  STEP("the watcher asks between");
  wait_asked(3);
  CHECK(get(&went_up) && !get(&went_down), "the watcher: up %d, down %d", get(&went_up), get(&went_down));
  shmem_init();
  shmem_finalize();
  CHECK(is_initialised(), "after an inner finalize");
  wait_asked(3);
  CHECK(!get(&went_down), "an inner finalize showed as the end");
  if (check_failures) check_give_up();
  shmem_finalize();
  CHECK(!is_initialised(), "after the last finalize");
  STEP("the watcher asks after finalize");
  wait_asked(3);
  CHECK(get(&went_down) && !get(&flickered), "the watcher: down %d, flickered %d", get(&went_down), get(&flickered));
  __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  return check_result();
}
