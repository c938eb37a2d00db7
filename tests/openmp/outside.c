// Threads that nobody of the team has made by pthread_create: by thrd_create; by the C library, for a timer, a message
// in a queue, an operation on a file; by constructors of the program and of a library. Each sees what the team has
// written behind a barrier, by pages too; its regions are of threads of its process; and the team sees what it has
// written.
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

int outside_constructed(void);
void outside_run(void (*what)(void*), void* with);

enum { kMost = 16, kPage = 4096 / sizeof(long), kRounds = 5 };
static long written[kMost][kPage];  // by each thread of the team, before a barrier
static long answers[kMost][kPage];  // by each that is outside
static int team;
static omp_lock_t lock;

// The program's own constructor runs once, and so does the thread that it makes.
static int constructed, by_its_thread;
static pthread_t early;
static void* run_early(void* unused) {
  (void)unused;
  by_its_thread++;
  return NULL;
}
__attribute__((constructor)) static void construct(void) {
  constructed++;
  CHECK(pthread_create(&early, NULL, run_early, NULL) == 0);
}

struct Call {
  int me;
  long round;
  pid_t process;
  sem_t done;
};

static void look(void* given) {
  struct Call* const call = given;
  omp_set_lock(&lock);
  for (int k = 0; k < team; k++) CHECK(written[k][call->round] == call->round * 100 + k);
  omp_unset_lock(&lock);
  int threads = 0, strangers = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads, strangers)
  {
    threads++;
    strangers += getpid() != call->process;
  }
  CHECK(threads >= 1 && threads <= 2 && strangers == 0 && getpid() == call->process);
  omp_set_lock(&lock);
  answers[call->me][call->round] = call->round * 1000 + call->me;
  omp_unset_lock(&lock);
  CHECK(sem_post(&call->done) == 0);
}
static void* looks(void* given) {
  look(given);
  return NULL;
}
static int looks_too(void* given) {
  look(given);
  return 7;
}
static void look_by_event(union sigval given) { look(given.sival_ptr); }

static void by_pthread(struct Call* call) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, looks, call) == 0 && pthread_join(thread, NULL) == 0);
}

static void by_thrd(struct Call* call) {
  thrd_t thread;
  int result = 0;
  CHECK(thrd_create(&thread, looks_too, call) == thrd_success && thrd_join(thread, &result) == thrd_success);
  CHECK(result == 7);
}

// Asks each thread of the process, whoever has made it, and waits for all.
static void set_id(void) { CHECK(seteuid(geteuid()) == 0); }

static struct sigevent event_of(struct Call* call) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = look_by_event;
  event.sigev_value.sival_ptr = call;
  return event;
}

static void by_timer(struct Call* call) {
  struct sigevent event = event_of(call);
  timer_t timer;
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
  while (sem_wait(&call->done) != 0) CHECK(errno == EINTR);
  set_id();
  CHECK(timer_delete(timer) == 0 && sem_post(&call->done) == 0);
}

static void by_message(struct Call* call) {
  char name[64];
  snprintf(name, sizeof name, "/weft-outside-%ld-%d", (long)getpid(), call->me);
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 8};
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR | O_EXCL, 0600, &size);
  if (queue == (mqd_t)-1) {  // a kernel, or a container, without
    perror("not tried: mq_open");
    look(call);
    return;
  }
  CHECK(mq_unlink(name) == 0);
  struct sigevent event = event_of(call);
  CHECK(mq_notify(queue, &event) == 0 && mq_send(queue, "hello", 5, 0) == 0);
  while (sem_wait(&call->done) != 0) CHECK(errno == EINTR);
  set_id();
  CHECK(mq_close(queue) == 0 && sem_post(&call->done) == 0);
}

static void by_file(struct Call* call) {
  int ends[2];
  char byte = 'x';
  CHECK(pipe(ends) == 0 && write(ends[1], &byte, 1) == 1);
  struct aiocb operation;
  memset(&operation, 0, sizeof operation);
  operation.aio_fildes = ends[0];
  operation.aio_buf = &byte;
  operation.aio_nbytes = 1;
  operation.aio_sigevent = event_of(call);
  CHECK(aio_write(&operation) == 0 || errno == EAGAIN);  // of the wrong end: it fails, and that is told as well
  while (sem_wait(&call->done) != 0) CHECK(errno == EINTR);
  CHECK(aio_error(&operation) != EINPROGRESS);
  (void)aio_return(&operation);
  CHECK(close(ends[0]) == 0 && close(ends[1]) == 0 && sem_post(&call->done) == 0);
}

static void by_library(struct Call* call) { outside_run(look, call); }

// Its constructor waits for a thread that makes a timer, which is the process's first one, and for what that tells.
static void load_plugin(void) {
  void* const plugin = dlopen(PLUGIN, RTLD_NOW);
  if (plugin == NULL) printf("%s\n", dlerror());
  CHECK(plugin != NULL && dlsym(plugin, "outside_plugin_was_told") != NULL);
  CHECK(*(int*)dlsym(plugin, "outside_plugin_was_told") == 1);
}

// With an argument: without operations on files, whose threads in the C library come to no page that is not there.
int main(int argc, char** argv) {
  (void)argv;
  CHECK(pthread_join(early, NULL) == 0);
  omp_init_lock(&lock);
  load_plugin();
  void (*const ways[])(struct Call*) = {by_library, by_thrd, by_timer, by_message, by_file, by_pthread};
  const char* const names[] = {"library", "thrd", "timer", "message", "file", "pthread"};
  for (unsigned way = 0; way < sizeof ways / sizeof ways[0]; way++) {
    if (argc > 1 && ways[way] == by_file) continue;
    printf("%s\n", names[way]);
    fflush(stdout);
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
#pragma omp master
      team = omp_get_num_threads();
      CHECK(me < kMost && constructed == 1 && by_its_thread == 1 && outside_constructed() == 1);
      for (long round = 1; round <= kRounds; round++) {
        written[me][way * kRounds + round] = (way * kRounds + round) * 100 + me;
#pragma omp barrier
        struct Call* const call = calloc(1, sizeof *call);
        call->me = me;
        call->round = way * kRounds + round;
        call->process = getpid();
        CHECK(sem_init(&call->done, 0, 0) == 0);
        ways[way](call);
        while (sem_wait(&call->done) != 0) CHECK(errno == EINTR);
        const long all = call->round;
        free(call);
#pragma omp barrier
        for (int k = 0; k < team; k++) CHECK(answers[k][all] == all * 1000 + k);
      }
    }
  }
  printf("all is right\n");
  return 0;
}
