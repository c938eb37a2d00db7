// What a program has is the same in all processes: static data, what malloc and the like give, main's variables, its
// arguments; the rest of a process's own is what process 0 has.
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"

enum { kMost = 64, kTimes = 200 };

static int data[3] = {7, 8, 9};
static long zeros[5000];
static int constructed;
static char* made;

__attribute__((constructor)) static void construct(void) { constructed++; }

struct seen {
  long* heap;
  long on_stack[kMost];
  char** argv;
  int argc;
  pthread_mutex_t mutex;
};

static void look(void* argument) {
  struct seen* seen = argument;
  const int me = image()->process;
  CHECK(constructed == 1);
  CHECK(data[0] == 70 && data[2] == 9);
  CHECK(zeros[4999] == 5);
  CHECK(image()->is_shared(zeros) && image()->is_shared(seen->heap) && image()->is_shared(seen));
  CHECK(strcmp(seen->argv[seen->argc - 1], "last one") == 0);
  CHECK(strcmp(made, "made of 12") == 0);
  for (int k = 0; k < kTimes; k++) {
    __atomic_fetch_add(&seen->heap[0], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&zeros[1], 1, __ATOMIC_SEQ_CST);
  }
  // What this process makes, process 0 reads and gives back.
  char* text = NULL;
  CHECK(asprintf(&text, "from %d", me) > 0);
  ((char**)seen->heap)[1 + me] = text;
  seen->on_stack[me] = me + 1;
}

static void modes(void* argument) {
  CHECK(fegetround() == FE_UPWARD);
  CHECK(strcmp(getenv("IMAGE_TEST"), "one") == 0 && getenv("HOME") == NULL);
  char folder[4096];
  CHECK(getcwd(folder, sizeof folder) != NULL && strcmp(folder, "/") == 0);
  const mode_t mask = umask(027);
  CHECK(mask == 027);
  (void)argument;
}

static void blocks(void* argument) {
  const unsigned me = (unsigned)image()->process;
  unsigned char* kept[100] = {0};
  for (unsigned k = 0; k < 3000; k++) {
    unsigned char** at = &kept[(k * 7 + me) % 100];
    if (*at != NULL) {
      CHECK((*at)[0] == (unsigned char)me && (*at)[9] == (unsigned char)me);
      free(*at);
    }
    const size_t bytes = 10 + k * 37 % 9000;
    *at = k % 3 == 0 ? calloc(1, bytes) : malloc(bytes);
    CHECK(*at != NULL && image()->is_shared(*at));
    CHECK(k % 3 != 0 || ((*at)[0] == 0 && (*at)[bytes - 1] == 0));
    memset(*at, (int)me, bytes);
    if (k % 5 == 0) {
      *at = realloc(*at, bytes * 2);
      CHECK(*at != NULL && (*at)[bytes - 1] == (unsigned char)me);
    }
  }
  for (int k = 0; k < 100; k++) free(kept[k]);
  (void)argument;
}

int main(int argc, char** argv) {
  struct seen seen = {.argv = argv, .argc = argc};
  CHECK(image()->process == 0 && image()->processes <= kMost);
  data[0] = 70;
  zeros[4999] = 5;
  CHECK(asprintf(&made, "made of %d", 12) == 10);
  seen.heap = calloc(1 + kMost, sizeof(long));
  for (int round = 1; round <= 100; round++) {
    all(look, &seen);
    CHECK(seen.heap[0] == (long)round * kTimes * image()->processes && zeros[1] == seen.heap[0]);
    for (int p = 0; p < image()->processes; p++) {
      char expected[32];
      snprintf(expected, sizeof expected, "from %d", p);
      CHECK(strcmp(((char**)seen.heap)[1 + p], expected) == 0 && seen.on_stack[p] == p + 1);
      free(((char**)seen.heap)[1 + p]);
      seen.on_stack[p] = 0;
    }
  }
  fesetround(FE_UPWARD);
  setenv("IMAGE_TEST", "one", 1);
  unsetenv("HOME");
  CHECK(chdir("/") == 0);
  umask(027);
  all(modes, NULL);
  fesetround(FE_TONEAREST);
  all(blocks, NULL);
  void* aligned = NULL;
  CHECK(posix_memalign(&aligned, 4096, 100) == 0 && (uintptr_t)aligned % 4096 == 0 && image()->is_shared(aligned));
  free(aligned);
  printf("shared by %d\n", image()->processes);
  return 0;
}
