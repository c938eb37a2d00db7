/* 1.7 shmem_global_exit: one PE ends all, whatever they do, and its status is the job's.
 * Arguments: WHAT STATUS [WHO]. WHAT is what the other PEs are doing; WHO calls: first (default), last, thread.
 * WHAT "all" lets every PE call with STATUS + its number, "flush" looks at what normal termination does here. */
#include "../check.h"

#include <pthread.h>

static long never, lock, flag = 0;
static long ready;
static int status;
static void* block;

static void said_at_exit(void) {
  /* runs in the caller: normal C termination */
  printf("atexit ran\n");
}

static void* call_it(void* unused) {
  (void)unused;
  check_sleep_ms(50);
  shmem_global_exit(status);
  return NULL;
}

static void be_blocked(const char* what) {
  STEP(what);
  if (!strcmp(what, "barrier")) {
    shmem_barrier_all();
  } else if (!strcmp(what, "sync")) {
    shmem_sync_all();
  } else if (!strcmp(what, "wait")) {
    shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "wait_any")) {
    shmem_long_wait_until_any(&never, 1, NULL, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "signal")) {
    static uint64_t sig;
    shmem_signal_wait_until(&sig, SHMEM_CMP_NE, 0);
  } else if (!strcmp(what, "lock")) {
    shmem_set_lock(&lock); /* held by the caller of global_exit */
  } else if (!strcmp(what, "malloc")) {
    shmem_malloc(64);
  } else if (!strcmp(what, "free")) {
    shmem_free(block); /* waits on entry */
  } else if (!strcmp(what, "finalize")) {
    shmem_finalize();
  } else if (!strcmp(what, "test")) {
    while (!shmem_long_test(&never, SHMEM_CMP_NE, 0)) {
    }
  } else if (!strcmp(what, "compute")) {
    volatile unsigned long spin = 1;
    for (;;) spin = spin * 3 + 1; /* never calls the library */
  } else if (!strcmp(what, "sleep")) {
    for (;;) pause();
  } else if (!strcmp(what, "exitwait")) {
    exit(0); /* without a finalize after start_pes: the implicit finalize blocks */
  } else if (!strcmp(what, "traffic")) {
    for (;;) shmem_long_atomic_inc(&flag, check_right(1));
  } else if (!strcmp(what, "masked")) {
    /* every signal that can be blocked is */
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    for (;;) pause();
  } else if (!strcmp(what, "stdin")) {
    int fds[2];
    char c;
    if (pipe(fds) == 0 && read(fds[0], &c, 1) >= 0) return;
    for (;;) pause();
  } else {
    fprintf(stderr, "what is '%s'?\n", what);
    _exit(96);
  }
  /* Nobody may come here: what they wait for never happens. */
  fprintf(stderr, "PE %d: '%s' ended although PE 0 never came\n", check_me, what);
  _exit(95);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "barrier";
  const char* who = argc > 3 ? argv[3] : "first";
  int caller, provided = 0;
  status = argc > 2 ? atoi(argv[2]) : 99;
  check_watch();
  if (!strcmp(what, "exitwait")) {
    start_pes(0);
  } else if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) {
    return 94;
  }
  check_identify();
  caller = strcmp(who, "last") ? 0 : check_n - 1;
  if (!strcmp(what, "all")) {
    shmem_barrier_all();
    shmem_global_exit(status + check_me);
  }
  if (!strcmp(what, "flush")) {
    if (check_me == 0) {
      atexit(said_at_exit);
      printf("no newline at the end of this line");
      shmem_global_exit(status);
    }
    shmem_barrier_all();
    return 93;
  }
  if (!strcmp(what, "free")) block = shmem_malloc(64);
  if (!strcmp(what, "lock") && check_me == caller) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (!strcmp(who, "thread") && check_me == caller) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_it, NULL)) return 92;
    shmem_long_wait_until(&never, SHMEM_CMP_NE, 0); /* the main thread of the caller is blocked as well */
  }
  if (check_me != caller) {
    shmem_long_atomic_inc(&ready, caller);
    be_blocked(what);
  }
  shmem_long_wait_until(&ready, SHMEM_CMP_EQ, check_n - 1);
  check_sleep_ms(100); /* let them reach what blocks them; nothing depends on it */
  shmem_global_exit(status);
  return 91; /* it returned */
}
