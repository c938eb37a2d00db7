// Times of messages and collectives, with calls of MPI only: it builds with any library's compiler wrapper.
// usage: messages GROUP...      groups: on off exchange_on exchange_off small rate collectives calls combining vector
// threads
// Each line: name, bytes, microseconds (of rates: of one message; of calls: the mean of all ranks' calls). compare.py
// runs several libraries by turns.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostRepetitions = 20000, kWindow = 64, kBuffer = 32 << 20 };

static int rank, size;
static char *out_buffer, *in_buffer;
static double times[kMostRepetitions];
static int tells_mean;

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void report_mean(const char* name, int bytes, int repetitions, double parts) {
  double own = 0, all = 0;
  for (int k = 0; k < repetitions; ++k) {
    own += times[k] / repetitions;
  }
  MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%s %d %.4f\n", name, bytes, all * 1e6 / parts / size);
    fflush(stdout);
  }
}

static void report(const char* name, int bytes, int repetitions, double parts) {
  if (tells_mean) {
    report_mean(name, bytes, repetitions, parts);
    return;
  }
  qsort(times, (size_t)repetitions, sizeof *times, by_value);
  if (rank == 0) {
    printf("%s %d %.4f\n", name, bytes, times[repetitions / 2] * 1e6 / parts);
    fflush(stdout);
  }
}

// Few enough that a round of all sizes takes a second or two, also where ranks share processors.
static int repetitions_of(int bytes) {
  const int shared = size > 2 ? 4 : 1;
  return (bytes <= 1024 ? 8000 : bytes <= 16384 ? 3000 : bytes <= 262144 ? 400 : 40) / shared;
}

typedef void (*Once)(char* out, char* in, int bytes, void* what);

// Off the cache, each repetition has another part of a buffer that no cache holds.
static void repeat(const char* name, int bytes, int off, double parts, Once once, void* what) {
  const int repetitions = repetitions_of(bytes);
  const int warm = repetitions / 8 + 20;  // choices by first messages are made in these
  const size_t step = off ? (size_t)(bytes < 64 ? 64 : bytes) : 0;
  size_t at = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int k = -warm; k < repetitions; ++k) {
    const double begin = MPI_Wtime();
    once(out_buffer + at, in_buffer + at, bytes, what);
    if (k >= 0) {
      times[k] = MPI_Wtime() - begin;
    }
    at = at + step + (size_t)bytes <= kBuffer - step ? at + step : 0;
  }
  report(name, bytes, repetitions, parts);
}

static void ping_pong(char* out, char* in, int bytes, void* what) {
  MPI_Datatype type = what == NULL ? MPI_BYTE : *(MPI_Datatype*)what;
  const int count = what == NULL ? bytes : 1;
  if (rank == 0) {
    MPI_Send(out, count, type, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(in, count, type, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(in, count, type, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, count, type, 0, 1, MPI_COMM_WORLD);
  }
}

static void exchange(char* out, char* in, int bytes, void* what) {
  (void)what;
  MPI_Sendrecv(out, bytes, MPI_BYTE, rank ^ 1, 1, in, bytes, MPI_BYTE, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void by_size(const char* name, int off, double parts, Once once) {
  static const int kSizes[] = {0,     8,     64,    256,   1024,   2048,   4096,    8192,
                               12288, 16384, 32768, 65536, 131072, 262144, 1048576, 4194304};
  for (size_t k = 0; k < sizeof kSizes / sizeof *kSizes; ++k) {
    repeat(name, kSizes[k], off, parts, once, NULL);
  }
}

static void window(char* out, char* in, int bytes, void* what) {
  const int both = *(const int*)what;
  MPI_Request requests[2 * kWindow];
  int begun = 0;
  for (int k = 0; k < kWindow && (both || rank == 1); ++k) {
    MPI_Irecv(in + 64 * k, bytes, MPI_BYTE, rank ^ 1, 2, MPI_COMM_WORLD, &requests[begun++]);
  }
  for (int k = 0; k < kWindow && (both || rank == 0); ++k) {
    MPI_Isend(out + 64 * k, bytes, MPI_BYTE, rank ^ 1, 2, MPI_COMM_WORLD, &requests[begun++]);
  }
  MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
  if (rank == 0) {
    MPI_Recv(in, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(out, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
  }
}

static void rates(void) {
  int both = 0;
  repeat("rate_one", 8, 0, kWindow, window, &both);
  both = 1;
  repeat("rate_both", 8, 0, 2 * kWindow, window, &both);
}

static void barrier(char* out, char* in, int bytes, void* what) {
  (void)out, (void)in, (void)bytes, (void)what;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void bcast(char* out, char* in, int bytes, void* what) {
  (void)in, (void)what;
  MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
/* Each rank is the root by turns, so that nobody can be ahead: the time until a broadcast is there. */
static void bcast_turns(char* out, char* in, int bytes, void* what) {
  static int turn;
  (void)in, (void)what;
  MPI_Bcast(out, bytes, MPI_BYTE, turn, MPI_COMM_WORLD);
  turn = (turn + 1) % size;
}
static void allreduce(char* out, char* in, int bytes, void* what) {
  (void)what;
  MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void allgather(char* out, char* in, int bytes, void* what) {
  (void)what;
  MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(char* out, char* in, int bytes, void* what) {
  (void)what;
  MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void collectives(void) {
  static const int kSizes[] = {8, 64, 1024, 8192, 65536, 1048576};
  repeat("barrier", 0, 0, 1, barrier, NULL);
  for (size_t k = 0; k < sizeof kSizes / sizeof *kSizes; ++k) {
    repeat("bcast", kSizes[k], 0, 1, bcast, NULL);
    repeat("bcast_turns", kSizes[k], 0, 1, bcast_turns, NULL);
    repeat("allreduce", kSizes[k], 0, 1, allreduce, NULL);
    repeat("allgather", kSizes[k], 0, 1, allgather, NULL);
    repeat("alltoall", kSizes[k], 0, 1, alltoall, NULL);
  }
}

/* Where ranks share processors a call is short or long by turns, as a rank that gets the processor back often makes two
   of them at once. The middle one is one of the two kinds and says nothing of the other. */
static void calls(void) {
  tells_mean = 1;
  repeat("barrier_calls", 0, 0, 1, barrier, NULL);
  repeat("allreduce_calls", 8, 0, 1, allreduce, NULL);
  tells_mean = 0;
}

/* Of these two the bytes are those of the whole vector, of which each rank gets its part, or the sum up to its own. */
static void reduce_scatter(char* out, char* in, int bytes, void* what) {
  (void)what;
  MPI_Reduce_scatter_block(out, in, bytes / 8 / size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(char* out, char* in, int bytes, void* what) {
  (void)what;
  MPI_Scan(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void combining(void) {
  static const int kSizes[] = {64, 1024, 8192, 65536, 262144, 1048576};
  for (size_t k = 0; k < sizeof kSizes / sizeof *kSizes; ++k) {
    repeat("reduce_scatter", kSizes[k], 0, 1, reduce_scatter, NULL);
    repeat("scan", kSizes[k], 0, 1, scan, NULL);
  }
}

static void pack_by_hand(char* out, char* in, int bytes, void* what) {
  static int64_t packed[8192];
  (void)what;
  int64_t* const from = (int64_t*)out;
  int64_t* const to = (int64_t*)in;
  const int blocks = bytes / 8;
  for (int half = 0; half < 2 && rank < 2; ++half) {
    if (rank == half) {
      for (int k = 0; k < blocks; ++k) {
        packed[k] = from[2 * k];
      }
      MPI_Send(packed, bytes, MPI_BYTE, rank ^ 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(packed, bytes, MPI_BYTE, rank ^ 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int k = 0; k < blocks; ++k) {
        to[2 * k] = packed[k];
      }
    }
  }
}

static void vector(void) {
  const int bytes = 65536;
  MPI_Datatype type;
  MPI_Type_vector(bytes / 8, 8, 16, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  repeat("vector", bytes, 0, 2, ping_pong, &type);
  repeat("vector_by_hand", bytes, 0, 2, pack_by_hand, NULL);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  int multiple = 0;
  for (int k = 1; k < argc; ++k) {
    multiple |= strcmp(argv[k], "threads") == 0;
  }
  int provided = 0;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t room = (size_t)kBuffer + ((size_t)size << 20);
  out_buffer = malloc(room);
  in_buffer = malloc(room);
  if (size % 2 != 0 || out_buffer == NULL || in_buffer == NULL) {
    fprintf(stderr, "messages: needs an even number of ranks, and %zu bytes\n", 2 * room);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(out_buffer, 0, room);
  memset(in_buffer, 0, room);
  for (int k = 1; k < argc; ++k) {
    const char* const group = argv[k];
    if (strcmp(group, "on") == 0) {
      by_size("on", 0, 2, ping_pong);
    } else if (strcmp(group, "off") == 0) {
      by_size("off", 1, 2, ping_pong);
    } else if (strcmp(group, "exchange_on") == 0) {
      by_size("exchange_on", 0, 1, exchange);
    } else if (strcmp(group, "exchange_off") == 0) {
      by_size("exchange_off", 1, 1, exchange);
    } else if (strcmp(group, "small") == 0) {
      repeat("small", 8, 0, 2, ping_pong, NULL);
    } else if (strcmp(group, "threads") == 0) {
      repeat("threads", 8, 0, 2, ping_pong, NULL);
    } else if (strcmp(group, "rate") == 0) {
      rates();
    } else if (strcmp(group, "collectives") == 0) {
      collectives();
    } else if (strcmp(group, "calls") == 0) {
      calls();
    } else if (strcmp(group, "combining") == 0) {
      combining();
    } else if (strcmp(group, "vector") == 0) {
      vector();
    } else if (rank == 0) {
      fprintf(stderr, "messages: there is no group %s\n", group);
    }
  }
  free(out_buffer);
  free(in_buffer);
  MPI_Finalize();
  return 0;
}
