/* Messages between two hosts against a TCP connection of the same two ranks in the same run; any library's mpicc.
 *
 *   mpicc -std=gnu11 -O2 -pthread hosts.c -o hosts
 *   hosts [ROUNDS] [windows]        with 2 ranks on two hosts
 *
 * Each round measures everything once, one after the other, so that what moves the machine moves both. Printed are
 * names, bytes, and the medians of all rounds in microseconds one way, and then the medians of the ratios to the
 * connection within each round, with the smallest and the largest.
 *
 * With `windows` it is operations of 8 bytes on an allocated window of the other rank, in microseconds there and back,
 * beside a round trip on the connection: at a rank that waits for a message, and at one that computes. What the machine
 * takes for that is beside it: a round trip on the connection that a thread answers which sleeps in recv(), while the
 * program of its rank computes. "single" is of the operation in the middle, where the others are means. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kMostRounds = 100, kSizes = 4, kLargest = 1 << 20 };
static const int kBytes[kSizes] = {8, 4096, 65536, kLargest};
static const int kTimes[kSizes] = {500, 300, 100, 20};

static int rank;
static char* data;

static void give_up(const char* what) {
  perror(what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What a call gave; 0: the other end is closed, and errno is of another call. */
static void connection_lost(ssize_t done) {
  if (done == 0) errno = ECONNRESET;
  give_up("the raw connection");
}

/* Who waits on the connection polls it, as who waits for a message does, and gives its processor to who wants it. */
static void all(int fd, size_t bytes, int writes) {
  char* at = data;
  while (bytes > 0) {
    const ssize_t done = writes ? send(fd, at, bytes, 0) : recv(fd, at, bytes, MSG_DONTWAIT);
    if (done < 0 && !writes && errno == EAGAIN) {
      sched_yield();
      continue;
    }
    if (done <= 0) connection_lost(done);
    at += done;
    bytes -= (size_t)done;
  }
}

/* The first address that is not this machine's own; another host cannot reach 127.0.0.1. */
static in_addr_t own_address(void) {
  struct ifaddrs *list, *at;
  in_addr_t found = htonl(INADDR_LOOPBACK);
  if (getifaddrs(&list) != 0) give_up("getifaddrs");
  for (at = list; at; at = at->ifa_next)
    if (at->ifa_addr && at->ifa_addr->sa_family == AF_INET && !(at->ifa_flags & IFF_LOOPBACK)) {
      found = ((struct sockaddr_in*)(void*)at->ifa_addr)->sin_addr.s_addr;
      break;
    }
  freeifaddrs(list);
  return found;
}

static int connect_raw(void) {
  struct sockaddr_in at = {0};
  const int one = 1;
  int fd = -1;
  if (rank == 1) {
    socklen_t room = sizeof at;
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = INADDR_ANY;
    if (bind(listening, (struct sockaddr*)&at, sizeof at) != 0 || listen(listening, 1) != 0 ||
        getsockname(listening, (struct sockaddr*)&at, &room) != 0)
      give_up("a listening socket");
    at.sin_addr.s_addr = own_address();
    MPI_Send(&at, sizeof at, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    fd = accept(listening, NULL, NULL);
    close(listening);
  } else {
    MPI_Recv(&at, sizeof at, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr*)&at, sizeof at) != 0) fd = -1;
  }
  if (fd < 0) give_up("connecting the two ranks");
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

/* Microseconds one way. */
static double measure(int fd, int bytes, int times) {
  double begin = 0;
  for (int k = -times / 4; k < times; ++k) {
    if (k == 0) begin = MPI_Wtime();
    for (int half = 0; half < 2; ++half) {
      const int sends = rank == half;
      if (fd >= 0)
        all(fd, (size_t)bytes, sends);
      else if (sends)
        MPI_Send(data, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
      else
        MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return (MPI_Wtime() - begin) * 1e6 / times / 2;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void tell(const char* name, int bytes, double* each, double* beside, int rounds) {
  qsort(each, (size_t)rounds, sizeof(double), by_value);
  qsort(beside, (size_t)rounds, sizeof(double), by_value);
  printf("%s %d %.2f %.2f (%.2f to %.2f)\n", name, bytes, each[rounds / 2], beside[rounds / 2], beside[0],
         beside[rounds - 1]);
}

static void messages(int fd, int rounds) {
  static double raw[kSizes][kMostRounds], message[kSizes][kMostRounds], ratio[kSizes][kMostRounds];
  for (int r = 0; r < rounds; ++r) {
    for (int s = 0; s < kSizes; ++s) {
      raw[s][r] = measure(fd, kBytes[s], kTimes[s]);
      message[s][r] = measure(-1, kBytes[s], kTimes[s]);
      ratio[s][r] = message[s][r] / raw[s][r];
    }
  }
  for (int s = 0; rank == 0 && s < kSizes; ++s) {
    qsort(raw[s], (size_t)rounds, sizeof(double), by_value);
    printf("raw %d %.2f\n", kBytes[s], raw[s][rounds / 2]);
    tell("message", kBytes[s], message[s], ratio[s], rounds);
  }
}

enum { kPutFlush, kFetchFlush, kExclusive, kShared, kWays };
static const char* const kNames[kWays] = {"put_and_flush", "fetch_and_op_and_flush", "exclusive_lock_put_unlock",
                                          "shared_lock_put_unlock"};
enum { kOperations = 300 };

static void operate(MPI_Win window, int way) {
  static int64_t value, before;
  ++value;
  if (way == kExclusive || way == kShared)
    MPI_Win_lock(way == kShared ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1, 0, window);
  if (way == kFetchFlush)
    MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 1, 0, MPI_SUM, window);
  else
    MPI_Put(&value, 1, MPI_INT64_T, 1, 0, 1, MPI_INT64_T, window);
  if (way == kExclusive || way == kShared)
    MPI_Win_unlock(1, window);
  else
    MPI_Win_flush(1, window);
}

/* Microseconds of one, and of the one in the middle. The other rank waits meanwhile, or computes without a call of MPI
 * until the connection says that it is enough: one look in 20 us. */
static double measure_window(int fd, MPI_Win window, int way, int computes, double* middle) {
  static double single[kOperations];
  double begin = 0, before = 0, spent = 0;
  const int in_epoch = way == kPutFlush || way == kFetchFlush;
  char done = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    if (in_epoch) MPI_Win_lock_all(0, window);
    for (int k = -kOperations / 4; k < kOperations; ++k) {
      before = MPI_Wtime();
      if (k == 0) begin = before;
      operate(window, way);
      if (k >= 0) single[k] = MPI_Wtime() - before;
    }
    spent = MPI_Wtime() - begin;
    qsort(single, kOperations, sizeof(double), by_value);
    *middle = single[kOperations / 2] * 1e6;
    if (in_epoch) MPI_Win_unlock_all(window);
    if (computes && send(fd, &done, 1, 0) != 1) give_up("the raw connection");
  } else if (computes) {
    ssize_t got;
    do {
      begin = MPI_Wtime();
      while (MPI_Wtime() - begin < 20e-6) {
      }
      got = recv(fd, &done, 1, MSG_DONTWAIT);
    } while (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
    if (got != 1) connection_lost(got);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return spent * 1e6 / kOperations;
}

static int answered_fd;
static atomic_bool is_over;
/* How that thread ended, for the program's own thread: MPI_Init() lets no other one call MPI. */
static ssize_t answered_last;
static int answered_errno;

/* What the last call gave: above 0, or the connection is lost. */
static ssize_t all_of_word(int64_t* word, int writes) {
  char* const at = (char*)word;
  size_t done = 0;
  ssize_t got = 0;
  while (done < sizeof *word) {
    got = writes ? send(answered_fd, at + done, sizeof *word - done, MSG_NOSIGNAL)
                 : recv(answered_fd, at + done, sizeof *word - done, 0);
    if (got > 0)
      done += (size_t)got;
    else if (got == 0 || errno != EINTR)
      return got;
  }
  return got;
}

static void* answer(void* none) {
  int64_t word = 0;
  do {
    answered_last = all_of_word(&word, 0);
    if (answered_last > 0 && word >= 0) answered_last = all_of_word(&word, 1);
  } while (answered_last > 0 && word >= 0);
  answered_errno = errno;
  atomic_store(&is_over, 1);
  return none;
}

/* Microseconds there and back, answered by a thread beside a program that computes as in measure_window(). */
static double measure_thread(int fd) {
  double begin = 0, spent = 0;
  pthread_t thread;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int k = -kOperations / 4; k < kOperations; ++k) {
      int64_t word = 1;
      if (k == 0) begin = MPI_Wtime();
      memcpy(data, &word, sizeof word);
      all(fd, sizeof word, 1);
      all(fd, sizeof word, 0);
    }
    spent = MPI_Wtime() - begin;
    memset(data, 0xff, sizeof(int64_t)); /* -1: it is over */
    all(fd, sizeof(int64_t), 1);
  } else {
    answered_fd = fd;
    atomic_store(&is_over, 0);
    if (pthread_create(&thread, NULL, answer, NULL) != 0) give_up("a thread");
    do {
      begin = MPI_Wtime();
      while (MPI_Wtime() - begin < 20e-6) {
      }
    } while (!atomic_load(&is_over));
    pthread_join(thread, NULL);
    errno = answered_errno;
    if (answered_last <= 0) connection_lost(answered_last);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return spent * 1e6 / kOperations;
}

static void windows(int fd, int rounds) {
  static double raw[kMostRounds], each[2][kWays][kMostRounds], to_raw[2][kWays][kMostRounds];
  static double to_put[kWays][kMostRounds], to_idle[kWays][kMostRounds];
  static double middle[2][kWays][kMostRounds], middle_to_idle[kWays][kMostRounds];
  static double by_thread[kMostRounds], thread_to_raw[kMostRounds];
  int64_t* part = NULL;
  MPI_Win window;
  MPI_Win_allocate(sizeof *part, sizeof *part, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &window);
  *part = 0;
  for (int r = 0; r < rounds; ++r) {
    raw[r] = 2 * measure(fd, 8, kOperations);
    by_thread[r] = measure_thread(fd);
    thread_to_raw[r] = by_thread[r] / raw[r];
    for (int computes = 0; computes < 2; ++computes)
      for (int way = 0; way < kWays; ++way) {
        each[computes][way][r] = measure_window(fd, window, way, computes, &middle[computes][way][r]);
        to_raw[computes][way][r] = each[computes][way][r] / raw[r];
      }
    for (int way = 0; way < kWays; ++way) {
      to_put[way][r] = each[0][way][r] / each[0][kPutFlush][r];
      to_idle[way][r] = each[1][way][r] / each[0][way][r];
      middle_to_idle[way][r] = middle[1][way][r] / middle[0][way][r];
    }
  }
  if (rank == 0) {
    static double again[kMostRounds];
    char name[64];
    qsort(raw, (size_t)rounds, sizeof(double), by_value);
    printf("raw_round_trip 8 %.2f (%.2f to %.2f)\n", raw[rounds / 2], raw[0], raw[rounds - 1]);
    tell("raw_by_a_thread_computing_of_raw", 8, by_thread, thread_to_raw, rounds);
    for (int way = 0; way < kWays; ++way) {
      memcpy(again, each[0][way], sizeof again);
      snprintf(name, sizeof name, "%s_in_puts_and_flushes", kNames[way]);
      tell(name, 8, again, to_put[way], rounds);
      snprintf(name, sizeof name, "%s_of_raw", kNames[way]);
      tell(name, 8, each[0][way], to_raw[0][way], rounds);
      memcpy(again, each[1][way], sizeof again);
      snprintf(name, sizeof name, "%s_computing_of_idle", kNames[way]);
      tell(name, 8, again, to_idle[way], rounds);
      snprintf(name, sizeof name, "%s_computing_of_idle_single", kNames[way]);
      tell(name, 8, middle[1][way], middle_to_idle[way], rounds);
    }
  }
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  int size = 0;
  int rounds = argc > 1 ? atoi(argv[1]) : 9;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rounds = rounds < 1 ? 1 : rounds > kMostRounds ? kMostRounds : rounds;
  data = calloc(1, kLargest);
  if (size != 2 || data == NULL) {
    fprintf(stderr, "hosts: needs 2 ranks, and %d bytes\n", kLargest);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (argc > 3 || (argc > 2 && strcmp(argv[2], "windows") != 0)) {
    fprintf(stderr, "hosts: %s is no argument of it; usage: hosts [ROUNDS] [windows]\n", argv[argc > 3 ? 3 : 2]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int fd = connect_raw();
  if (argc > 2)
    windows(fd, rounds);
  else
    messages(fd, rounds);
  close(fd);
  free(data);
  MPI_Finalize();
  return 0;
}
