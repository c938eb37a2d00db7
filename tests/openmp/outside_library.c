// A library whose constructor makes a thread, which does for callers what they ask for.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static void (*asked)(void*);
static void* argument;
static int constructed;

static void* serve(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (asked == NULL) pthread_cond_wait(&changed, &mutex);
    void (*const what)(void*) = asked;
    pthread_mutex_unlock(&mutex);
    what(argument);
    pthread_mutex_lock(&mutex);
    asked = NULL;
    pthread_cond_broadcast(&changed);
  }
}

__attribute__((constructor)) static void begin(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, NULL) != 0) abort();
  pthread_detach(thread);
  constructed++;
}

int outside_constructed(void) { return constructed; }

// Of the thread, one after the other; returns when it is done.
void outside_run(void (*what)(void*), void* with) {
  pthread_mutex_lock(&mutex);
  while (asked != NULL) pthread_cond_wait(&changed, &mutex);
  asked = what;
  argument = with;
  pthread_cond_broadcast(&changed);
  while (asked == what && argument == with) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}
