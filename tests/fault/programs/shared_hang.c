/* Shared pages that hang, each in its own way: the marked lines are looked for in what is told. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <weft/shared.h>

static void sleep_on(void) {
  for (;;) pause();
}

/* PE 1 is stopped once all have seen what it wrote before. */
static void stop(int me) {
  weft_shared_barrier();
  if (me == 1) {
    raise(SIGSTOP);
  }
  sleep(1);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  weft_shared_init();
  const int me = weft_shared_my_pe();
  /* At home at PE 1. */
  int* words = weft_shared_from(1, me == 1 ? weft_shared_calloc(100000, sizeof *words) : NULL);
  weft_shared_lock_t* locks = weft_shared_from(1, me == 1 ? weft_shared_calloc(2, sizeof *locks) : NULL);
  if (me == 1) {
    memset(words, 7, 100000 * sizeof *words);
  }
  weft_shared_barrier();
  int seen = 0;
  if (strcmp(what, "held") == 0) {
    if (me == 1) weft_shared_lock(&locks[0]);
    weft_shared_barrier();
    if (me == 1) sleep_on();
    weft_shared_lock(&locks[0]); /* held */
  } else if (strcmp(what, "circle") == 0) {
    if (me < 2) weft_shared_lock(&locks[me]);
    weft_shared_barrier();
    if (me < 2) weft_shared_lock(&locks[1 - me]); /* circle */
    sleep_on();
  } else if (strcmp(what, "again") == 0) {
    weft_shared_request_t request;
    if (me == 0) {
      weft_shared_lock_begin(&locks[0], &request);
      weft_shared_lock_wait(&request);
      weft_shared_lock(&locks[0]); /* again */
    }
  } else if (strcmp(what, "contents") == 0) {
    stop(me);
    seen = *(volatile int*)&words[5000]; /* contents */
  } else if (strcmp(what, "changes") == 0) {
    weft_shared_barrier();
    if (me == 1) {
      usleep(300000); /* the other one is at it */
      raise(SIGSTOP);
    }
    for (;;) {
      ++words[5000];
      weft_shared_release(); /* changes */
    }
  } else if (strcmp(what, "word") == 0) {
    stop(me);
    weft_shared_uint32_fetch_add((uint32_t*)&words[5000], 1); /* word */
  } else if (strcmp(what, "lock") == 0) {
    stop(me);
    weft_shared_lock(&locks[0]); /* lock */
  } else if (strcmp(what, "book") == 0) {
    weft_shared_barrier();
    if (me == 0) raise(SIGSTOP);
    sleep(1);
    seen = weft_shared_malloc(64) != NULL; /* book */
  }
  weft_shared_barrier();
  weft_shared_finalize();
  return seen == 12345;
}
