/* More is sent than anybody has asked for: by one rank, by all to one, and both ways at once. The memory of the job
   stays below the limit of what is kept and 64 MiB, and all comes in the end, in its order. usage: flood HOW COUNT;
   HOW: blocking, requests, both */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "../local/check.h"

/* AddressSanitizer keeps 256 MiB of what was freed in each process, and what surrounds that, if nobody says less.
   ThreadSanitizer remembers who has used each byte lately. */
#if defined(__SANITIZE_ADDRESS__)
#define KEPT_BY_TOOLS (64L << 20)
const char* __asan_default_options(void) { return "quarantine_size_mb=16"; }
#elif defined(__SANITIZE_THREAD__)
#define KEPT_BY_TOOLS (64L << 20)
#else
#define KEPT_BY_TOOLS 0
#endif

enum { BYTES = 1024, WORDS = BYTES / sizeof(long), WINDOW = 500, LOOKS = 4096 };
static const long limit =
    ((16L + 64) << 20) + KEPT_BY_TOOLS; /* WEFT_MPI_UNEXPECTED when nobody says else, and what is allowed beside it */
static int rank, size;
static long at_start, most;

/* What is this process's, of what it shares its part. Slow: not with each message. */
static long memory(void) {
  char line[128];
  long kib = 0;
  FILE* const file = fopen("/proc/self/smaps_rollup", "r");
  CHECK(file != NULL);
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, "Pss: %ld kB", &kib) == 1) {
      break;
    }
  }
  fclose(file);
  return kib * 1024;
}

static void look(void) {
  const long grown = memory() - at_start;
  most = grown > most ? grown : most;
}

static void send_blocking(int to, long count) {
  long word[WORDS] = {0};
  for (long k = 0; k < count; ++k) {
    word[0] = word[WORDS - 1] = k;
    GOOD(MPI_Send(word, BYTES, MPI_BYTE, to, 1, MPI_COMM_WORLD));
    if (k % LOOKS == 0) {
      look();
    }
  }
}

static void receive_from(int from, long first, long count) {
  long word[WORDS];
  for (long k = first; k < first + count; ++k) {
    GOOD(MPI_Recv(word, BYTES, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(word[0] == k && word[WORDS - 1] == k);
    if (k % LOOKS == 0) {
      look();
    }
  }
}

/* A window of sends, and then, with `both`, as many receives before they are waited for. */
static void send_many(int to, long count, int both) {
  static long words[WINDOW][WORDS];
  MPI_Request requests[WINDOW];
  for (long first = 0; first < count; first += WINDOW) {
    for (int k = 0; k < WINDOW; ++k) {
      words[k][0] = words[k][WORDS - 1] = first + k;
      GOOD(MPI_Isend(words[k], BYTES, MPI_BYTE, to, 1, MPI_COMM_WORLD, &requests[k]));
    }
    if (both) {
      receive_from(to, first, WINDOW);
    }
    GOOD(MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE));
    look();
  }
}

/* Receives nothing for a while, in which it computes, and then one in which it looks for another message. */
static void receive_late(long count) {
  const struct timespec a_while = {0, 50000000};
  long next[64] = {0}, word[WORDS];
  int flag = 0;
  MPI_Status status;
  for (int from = 1; from < size; ++from) {
    GOOD(MPI_Recv(NULL, 0, MPI_BYTE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  nanosleep(&a_while, NULL);
  for (int k = 0; k < 20000; ++k) {
    GOOD(MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
  }
  look();
  for (long k = 0; k < count * (size - 1); ++k) {
    GOOD(MPI_Recv(word, BYTES, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status));
    CHECK(word[0] == next[status.MPI_SOURCE] && word[WORDS - 1] == word[0]);
    ++next[status.MPI_SOURCE];
    if (k % LOOKS == 0) {
      look();
    }
  }
}

int main(int argc, char** argv) {
  CHECK(argc == 3);
  const char* const how = argv[1];
  const long count = atol(argv[2]) / WINDOW * WINDOW;
  long all = 0;
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  GOOD(MPI_Comm_size(MPI_COMM_WORLD, &size));
  GOOD(MPI_Barrier(MPI_COMM_WORLD));
  at_start = memory();
  if (strcmp(how, "both") == 0) {
    const int other = rank ^ 1;
    if (other < size) {
      send_many(other, count, 1);
    }
  } else if (rank == 0) {
    receive_late(count);
  } else {
    GOOD(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
    if (strcmp(how, "blocking") == 0) {
      send_blocking(0, count);
    } else {
      send_many(0, count, 0);
    }
  }
  look();
  GOOD(MPI_Allreduce(&most, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
  if (all >= limit) {
    fprintf(stderr, "rank %d has grown by %ld KiB, all by %ld\n", rank, most / 1024, all / 1024);
    return 1;
  }
  if (rank == 0) {
    printf("the ranks have grown by %ld KiB\n", all / 1024);
  }
  return end();
}
