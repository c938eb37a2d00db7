// Times of one-sided operations on windows, with calls of MPI only: it builds with any library's compiler wrapper.
// usage: windows KIND GROUP...      kinds: allocated shared created
//                                   groups: idle sizes computing resting neighbours contention active many
// Each line: name, a number (bytes, or milliseconds that the target computes or the origin sleeps), microseconds.
// compare.py runs several libraries by turns. Rank 0 measures, but in `neighbours`, `contention` and `active`, where
// all ranks do.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 4096, kBatch = 32, kBytes = 4 << 20 };

static int rank, size;
static const char* kind;
static MPI_Win window;
static int64_t* part;  // this rank's
static char* buffer;
static double times[kMost];

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void report(const char* name, int number, int repetitions, double parts) {
  qsort(times, (size_t)repetitions, sizeof *times, by_value);
  printf("%s %d %.4f\n", name, number, times[repetitions / 2] * 1e6 / parts);
  fflush(stdout);
}

static void open_window(void) {
  if (strcmp(kind, "allocated") == 0) {
    MPI_Win_allocate(kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  } else if (strcmp(kind, "shared") == 0) {
    MPI_Win_allocate_shared(kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  } else if (strcmp(kind, "created") == 0) {
    part = malloc(kBytes);
    MPI_Win_create(part, kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  } else {
    fprintf(stderr, "windows: there is no kind %s\n", kind);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(part, 0, kBytes);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void close_window(void) {
  MPI_Win_free(&window);
  if (strcmp(kind, "created") == 0) {
    free(part);
  }
}

typedef void (*Operation)(int target, int bytes);

static void nothing(int target, int bytes) { (void)target, (void)bytes; }
static void put(int target, int bytes) { MPI_Put(buffer, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window); }
static void get(int target, int bytes) { MPI_Get(buffer, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window); }
static void fetch_and_op(int target, int bytes) {
  static int64_t one = 1, before;
  (void)bytes;
  MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, 64, MPI_SUM, window);
}
static void compare_and_swap(int target, int bytes) {
  static int64_t one = 1, zero, before;
  (void)bytes;
  MPI_Compare_and_swap(&one, &zero, &before, MPI_INT64_T, target, 128, window);
}

static const struct {
  const char* name;
  Operation operation;
} kOperations[] = {{"nothing", nothing},
                   {"put", put},
                   {"get", get},
                   {"fetch_and_op", fetch_and_op},
                   {"compare_and_swap", compare_and_swap}};
enum { kOperationCount = sizeof kOperations / sizeof *kOperations };
static const struct {
  const char* name;
  int type;
} kLocks[] = {{"exclusive", MPI_LOCK_EXCLUSIVE}, {"shared", MPI_LOCK_SHARED}};

static const char* named(const char* first, const char* second) {
  static char name[96];
  snprintf(name, sizeof name, "%s_%s_%s", kind, first, second);
  return name;
}

static void under_lock(int type, int target, Operation operation, int bytes) {
  MPI_Win_lock(type, target, 0, window);
  operation(target, bytes);
  MPI_Win_unlock(target, window);
}
static void flushed(int target, Operation operation, int bytes) {
  operation(target, bytes);
  MPI_Win_flush(target, window);
}

// The others are in a barrier.
static void idle(void) {
  const int repetitions = 400;
  for (int k = 0; k < kOperationCount && rank == 0; ++k) {
    for (int lock = 0; lock < 2; ++lock) {
      for (int r = -20; r < repetitions; ++r) {
        const double begin = MPI_Wtime();
        for (int b = 0; b < kBatch; ++b) {
          under_lock(kLocks[lock].type, 1, kOperations[k].operation, 8);
        }
        times[r < 0 ? 0 : r] = MPI_Wtime() - begin;
      }
      report(named(kLocks[lock].name, kOperations[k].name), 8, repetitions, kBatch);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (int k = 1; k < kOperationCount && rank == 0; ++k) {
    for (int r = -20; r < repetitions; ++r) {
      const double begin = MPI_Wtime();
      for (int b = 0; b < kBatch; ++b) {
        flushed(1, kOperations[k].operation, 8);
      }
      times[r < 0 ? 0 : r] = MPI_Wtime() - begin;
    }
    report(named("flush", kOperations[k].name), 8, repetitions, kBatch);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void sizes(void) {
  MPI_Win_lock_all(0, window);
  for (int bytes = 64; bytes <= kBytes && rank == 0; bytes *= 4) {
    const int repetitions = bytes <= 16384 ? 1000 : bytes <= 262144 ? 200 : 40;
    for (int k = 1; k <= 2; ++k) {
      for (int r = -10; r < repetitions; ++r) {
        const double begin = MPI_Wtime();
        flushed(1, kOperations[k].operation, bytes);
        times[r < 0 ? 0 : r] = MPI_Wtime() - begin;
      }
      report(named("flush", kOperations[k].name), bytes, repetitions, 1);
    }
    for (int there = 0; there < 2; ++there) {  // what memory takes, as for a get and as for a put
      for (int r = -10; r < repetitions; ++r) {
        const double begin = MPI_Wtime();
        memcpy(there ? (void*)part : buffer, there ? (void*)buffer : part, (size_t)bytes);
        __asm__ volatile("" ::: "memory");
        times[r < 0 ? 0 : r] = MPI_Wtime() - begin;
      }
      report(named("copy", there ? "there" : "here"), bytes, repetitions, 1);
    }
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void compute(double seconds) {
  const double begin = MPI_Wtime();
  volatile double x = 1;
  while (MPI_Wtime() - begin < seconds) {
    for (int k = 0; k < 50; ++k) {
      x = x * 1.0000001 + 1e-9;
    }
  }
}

// Single operations, `busy`: while the target computes for so long, and makes no call of MPI; else it waits in a
// barrier. Where the target computes the origin has waited for it as long, and has come back to caches that others have
// used: so it sleeps as long where the target does not.
static void single(const char* name, int busy) {
  static const int kMilliseconds[] = {0, 1, 2, 5, 10};
  const int repetitions = 21;
  for (size_t m = 0; m < sizeof kMilliseconds / sizeof *kMilliseconds; ++m) {
    for (int k = 0; k < kOperationCount; ++k) {
      for (int lock = 0; lock < 2; ++lock) {
        for (int r = 0; r < repetitions; ++r) {
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank == 0) {
            if (!busy) {
              usleep((useconds_t)(1000 * kMilliseconds[m]));
            }
            compute(1e-4);
            const double begin = MPI_Wtime();
            under_lock(kLocks[lock].type, 1, kOperations[k].operation, 8);
            times[r] = MPI_Wtime() - begin;
          } else if (rank == 1 && busy) {
            compute(1e-3 * kMilliseconds[m]);
          }
        }
        if (rank == 0) {
          char lock_and_operation[48];
          snprintf(lock_and_operation, sizeof lock_and_operation, "%s_%s", kLocks[lock].name, kOperations[k].name);
          report(named(name, lock_and_operation), kMilliseconds[m], repetitions, 1);
        }
      }
    }
  }
}

// All ranks for a while; the time of one operation of one rank.
static void all_ranks(const char* name, int type, Operation operation, int contend) {
  const int target = contend ? 0 : (rank + 1) % size;
  const double seconds = 0.25;
  long done = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  double now = begin;
  while (now - begin < seconds) {
    for (int b = 0; b < kBatch; ++b) {
      under_lock(type, target, operation, 8);
    }
    done += kBatch;
    now = MPI_Wtime();
  }
  const double mine = (now - begin) / (double)done;
  double sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    times[0] = sum / size;
    report(name, 8, 1, 1);
  }
}

static void everybody(const char* name, int contend) {
  for (int k = 0; k < 2; ++k) {
    for (int lock = 0; lock < 2; ++lock) {
      char whole[128];
      snprintf(whole, sizeof whole, "%s_%s", named(name, kLocks[lock].name), kOperations[k].name);
      all_ranks(whole, kLocks[lock].type, kOperations[k].operation, contend);
    }
  }
}

static void active(void) {
  const int repetitions = 400;
  MPI_Group world, before, after;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &left, &before);
  MPI_Group_incl(world, 1, &right, &after);
  MPI_Win_fence(0, window);
  for (int r = -20; r < repetitions; ++r) {
    const double begin = MPI_Wtime();
    put(right, 8);
    MPI_Win_fence(0, window);
    times[r < 0 ? 0 : r] = MPI_Wtime() - begin;
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  if (rank == 0) {
    report(named("active", "fence"), 8, repetitions, 1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = -20; r < repetitions; ++r) {
    const double begin = MPI_Wtime();
    MPI_Win_post(before, 0, window);
    MPI_Win_start(after, 0, window);
    put(right, 8);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    times[r < 0 ? 0 : r] = MPI_Wtime() - begin;
  }
  if (rank == 0) {
    report(named("active", "post_start_complete_wait"), 8, repetitions, 1);
  }
  MPI_Group_free(&before);
  MPI_Group_free(&after);
  MPI_Group_free(&world);
}

// Windows are made, all at once, and freed.
static void many(void) {
  enum { kWindows = 500 };
  static MPI_Win windows[kWindows];
  static int64_t memory[kWindows];
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int k = 0; k < kWindows; ++k) {
    void* base;
    if (strcmp(kind, "allocated") == 0) {
      MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &windows[k]);
    } else if (strcmp(kind, "shared") == 0) {
      MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &windows[k]);
    } else {
      MPI_Win_create(&memory[k], 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[k]);
    }
  }
  times[0] = MPI_Wtime() - begin;
  for (int k = 0; k < kWindows; ++k) {
    MPI_Win_free(&windows[k]);
  }
  if (rank == 0) {
    report(named("many", "creation"), size, 1, kWindows);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  buffer = calloc(1, kBytes);
  if (size < 2 || argc < 3 || buffer == NULL) {
    fprintf(stderr, "windows: needs two ranks or more, a kind, groups, and %d bytes\n", kBytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  kind = argv[1];
  open_window();
  for (int k = 2; k < argc; ++k) {
    const char* const group = argv[k];
    if (strcmp(group, "idle") == 0) {
      idle();
    } else if (strcmp(group, "sizes") == 0) {
      sizes();
    } else if (strcmp(group, "computing") == 0) {
      single(group, 1);
    } else if (strcmp(group, "resting") == 0) {
      single(group, 0);
    } else if (strcmp(group, "neighbours") == 0) {
      everybody("neighbours", 0);
    } else if (strcmp(group, "contention") == 0) {
      everybody("contention", 1);
    } else if (strcmp(group, "active") == 0) {
      active();
    } else if (strcmp(group, "many") == 0) {
      many();
    } else if (rank == 0) {
      fprintf(stderr, "windows: there is no group %s\n", group);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  close_window();
  free(buffer);
  MPI_Finalize();
  return 0;
}
