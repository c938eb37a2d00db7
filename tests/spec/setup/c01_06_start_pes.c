/* 1.6 start_pes: the argument is ignored, a second call does nothing, and a program that never finalizes ends with an
 * implicit collective finalize, whether it returns from main or calls exit(). MODE (argument): return, exit, finalize,
 * late-finalize. */
#include "../check.h"

enum { kMost = 64 };
static long from[kMost];
static long pids[kMost];
static long bye[kMost];

/* A process that has ended, even one nobody has waited for yet, cannot take part in a collective finalize. */
static int is_alive(long pid) {
  char path[64], text[512];
  const char* state;
  FILE* f;
  size_t n;
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  f = fopen(path, "r");
  if (!f) return 0;
  n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = 0;
  state = strrchr(text, ')');
  return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "return";
  int i;
  long* block;
  check_watch();
  start_pes(12345);
  check_identify();
  REQUIRE(check_n <= kMost, "at most %d PEs", kMost);
  CHECK(check_me >= 0 && check_me < check_n, "PE %d of %d", check_me, check_n);
  block = (long*)shmem_malloc(sizeof(long));
  REQUIRE(block != NULL, "shmem_malloc");
  *block = 9;
  start_pes(0);
  start_pes(-3);
  CHECK_EQ(*block, 9, "a second start_pes changed the heap");
  CHECK_EQ(shmem_my_pe(), check_me, "my_pe after a second start_pes");
  for (i = 0; i < check_n; ++i) {
    shmem_long_p(&from[check_me], 50 + check_me, i);
    shmem_long_p(&pids[check_me], (long)getpid(), i);
  }
  shmem_barrier_all();
  for (i = 0; i < check_n; ++i) CHECK_EQ(from[i], 50 + i, "from PE %d", i);
  if (check_failures) check_give_up();

  if (check_me == check_n - 1) {
    /* The others are on their way out. They may not be gone: this PE has not come to the finalize yet. */
    check_sleep_ms(300);
    for (i = 0; i < check_n - 1; ++i) {
      CHECK(is_alive(pids[i]), "PE %d ended without waiting for PE %d", i, check_me);
      shmem_long_p(&bye[check_me], 3, i);
      CHECK_EQ(shmem_long_g(&from[0], i), 50, "memory of PE %d, which is in the implicit finalize", i);
    }
    if (check_failures) check_give_up();
  }
  if (strcmp(mode, "finalize") == 0) {
    shmem_finalize();
    printf("PE %d of %d ends\n", check_me, check_n);
    return 0;
  }
  printf("PE %d of %d ends\n", check_me, check_n);
  if (strcmp(mode, "exit") == 0) exit(0);
  return 0;
}
