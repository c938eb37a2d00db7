/* Messages between two hosts against a TCP connection of the same two ranks in the same run; any library's mpicc.
 *
 *   hosts [ROUNDS]        with 2 ranks on two hosts
 *
 * Each round measures everything once, one after the other, so that what moves the machine moves both. Printed are
 * names, bytes, and the medians of all rounds in microseconds one way, and then the medians of the ratios to the
 * connection within each round, with the smallest and the largest. */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Who waits on the connection polls it, as who waits for a message does, and gives its processor to who wants it. */
static void all(int fd, size_t bytes, int writes) {
  char* at = data;
  while (bytes > 0) {
    const ssize_t done = writes ? send(fd, at, bytes, 0) : recv(fd, at, bytes, MSG_DONTWAIT);
    if (done < 0 && !writes && errno == EAGAIN) {
      sched_yield();
      continue;
    }
    if (done <= 0) give_up("the raw connection");
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

int main(int argc, char** argv) {
  static double raw[kSizes][kMostRounds], message[kSizes][kMostRounds], ratio[kSizes][kMostRounds];
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
  const int fd = connect_raw();
  for (int r = 0; r < rounds; ++r) {
    for (int s = 0; s < kSizes; ++s) {
      raw[s][r] = measure(fd, kBytes[s], kTimes[s]);
      message[s][r] = measure(-1, kBytes[s], kTimes[s]);
      ratio[s][r] = message[s][r] / raw[s][r];
    }
  }
  for (int s = 0; rank == 0 && s < kSizes; ++s) {
    qsort(raw[s], (size_t)rounds, sizeof(double), by_value);
    qsort(message[s], (size_t)rounds, sizeof(double), by_value);
    qsort(ratio[s], (size_t)rounds, sizeof(double), by_value);
    printf("raw %d %.2f\n", kBytes[s], raw[s][rounds / 2]);
    printf("message %d %.2f %.2f (%.2f to %.2f)\n", kBytes[s], message[s][rounds / 2], ratio[s][rounds / 2],
           ratio[s][0], ratio[s][rounds - 1]);
  }
  close(fd);
  free(data);
  MPI_Finalize();
  return 0;
}
