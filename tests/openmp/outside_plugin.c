// A plugin whose constructor waits for a thread, which makes a timer, and for what that tells: all while the dynamic
// linker holds its lock.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int outside_plugin_was_told;
static sem_t told;

static void tell(union sigval given) {
  outside_plugin_was_told += given.sival_int;
  sem_post(&told);
}

static void* make_timer(void* unused) {
  (void)unused;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = tell;
  event.sigev_value.sival_int = 1;
  timer_t timer;
  const struct itimerspec soon = {{0, 0}, {0, 1000}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &soon, NULL) != 0) abort();
  while (sem_wait(&told) != 0) {
  }
  if (timer_delete(timer) != 0) abort();
  return NULL;
}

__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  if (sem_init(&told, 0, 0) != 0 || pthread_create(&thread, NULL, make_timer, NULL) != 0) abort();
  pthread_join(thread, NULL);
}
