/* Memory that the program brings to windows, and which becomes shared memory while they are there: what is in it stays,
 * what lies beside it too, and children, threads and early frees find what they would without. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kinds.h"

enum { kWords = 200, kLarge = 100000 };

static int rank, size;
static long kept[kWords];

/* Is the address in a shared mapping? */
static int is_shared(const void* at) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4500], access[8] = "";
  int found = 0;
  CHECK(maps != NULL);
  while (!found && fgets(line, sizeof line, maps) != NULL) {
    uintptr_t lo = 0, hi = 0;
    found = sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &lo, &hi, access) == 3 && (uintptr_t)at >= lo &&
            (uintptr_t)at < hi;
  }
  fclose(maps);
  return found && access[3] == 's';
}

static MPI_Win make(void* at, MPI_Aint bytes) {
  MPI_Win win = MPI_WIN_NULL;
  GOOD(MPI_Win_create(at, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  return win;
}

static void fill(long* at, int words) {
  for (int k = 0; k < words; ++k) at[k] = rank * 1000000L + k;
}

static void expect(const long* at, int words) {
  for (int k = 2; k < words; ++k) CHECK(at[k] == rank * 1000000L + k);
}

/* All ranks add to the first word of each, and give the right one their rank in its second. */
static void use(long* at, int words) {
  MPI_Win win = MPI_WIN_NULL;
  const long one = 1, mine = rank;
  long got = -1;
  fill(at, words);
  at[0] = 0;
  win = make(at, words * (MPI_Aint)sizeof *at);
  expect(at, words);
  GOOD(MPI_Win_lock_all(0, win));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  for (int target = 0; target < size; ++target) {
    for (int k = 0; k < 100; ++k) {
      GOOD(MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win));
    }
  }
  GOOD(MPI_Put(&mine, 1, MPI_LONG, (rank + 1) % size, sizeof mine, 1, MPI_LONG, win));
  GOOD(MPI_Get(&got, 1, MPI_LONG, (rank + 1) % size, 5 * sizeof got, 1, MPI_LONG, win));
  GOOD(MPI_Win_unlock_all(win));
  CHECK(got == (rank + 1) % size * 1000000L + 5);
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  CHECK(at[0] == 100L * size && at[1] == (rank + size - 1) % size);
  GOOD(MPI_Win_free(&win));
  CHECK(at[0] == 100L * size && at[1] == (rank + size - 1) % size);
  expect(at, words);
  CHECK(!is_shared(at));
}

static void fork_within(void) {
  long* const at = malloc(kLarge * sizeof *at);
  MPI_Win win = MPI_WIN_NULL;
  int status = -1;
  CHECK(at != NULL);
  fill(at, kLarge);
  win = make(at, kLarge * (MPI_Aint)sizeof *at);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    expect(at, kLarge);
    memset(at, 1, kLarge * sizeof *at);
    free(at);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  expect(at, kLarge);
  GOOD(MPI_Win_free(&win));
  expect(at, kLarge);
  free(at);
}

/* A mistake that programs make. */
static void free_early(void) {
  long* const at = malloc(kLarge * sizeof *at);
  long* other = NULL;
  MPI_Win win = MPI_WIN_NULL;
  CHECK(at != NULL);
  win = make(at, kLarge * (MPI_Aint)sizeof *at);
  free(at);
  CHECK((other = malloc(kLarge * sizeof *other)) != NULL); /* likely at the same addresses */
  fill(other, kLarge);
  GOOD(MPI_Win_free(&win));
  expect(other, kLarge);
  free(other);
}

static atomic_int is_over;
static void* count(void* at) {
  atomic_long* const word = at;
  long counted = 0;
  do {
    ++counted;
    atomic_fetch_add(word, 1);
  } while (!atomic_load(&is_over));
  return (void*)counted;
}

static void beside_threads(void) {
  long* const at = malloc(kLarge * sizeof *at);
  MPI_Win win = MPI_WIN_NULL, second = MPI_WIN_NULL;
  pthread_t thread;
  void* counted = NULL;
  CHECK(at != NULL);
  fill(at, kLarge);
  win = make(at, 1000 * (MPI_Aint)sizeof *at);
  at[500] = 0;
  CHECK(pthread_create(&thread, NULL, count, at + 500) == 0);
  second = make(at + kLarge / 2, 100);
  CHECK(!is_shared(at + kLarge / 2)); /* a thread may store meanwhile */
  GOOD(MPI_Win_free(&win));
  GOOD(MPI_Win_free(&second));
  atomic_store(&is_over, 1);
  CHECK(pthread_join(thread, &counted) == 0);
  CHECK(at[500] == (long)counted);
  at[500] = rank * 1000000L + 500;
  expect(at, kLarge);
  CHECK(!is_shared(at));
  free(at);
}

int main(int argc, char** argv) {
  long* small = NULL;
  long* large = NULL;
  MPI_Win win = MPI_WIN_NULL;
  int all_near = 1;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  CHECK((small = malloc(kWords * sizeof *small)) != NULL && (large = malloc(kLarge * sizeof *large)) != NULL);
  for (int k = 0; k < size; ++k) all_near = is_near(k) && all_near;
  use(kept, kWords);
  use(small, kWords);
  use(large, kLarge);
  fork_within();
  free_early();
  fill(large, kLarge);
  win = make(large, kLarge * (MPI_Aint)sizeof *large);
  CHECK(win != MPI_WIN_NULL);
  if (all_near) CHECK(is_shared(large) == (argc > 1 && strcmp(argv[1], "shared") == 0));
  beside_threads();
  printf("rank %d is done\n", rank);
  GOOD(MPI_Finalize()); /* with that window */
  expect(large, kLarge);
  CHECK(!is_shared(large));
  free(small);
  free(large);
  return 0;
}
