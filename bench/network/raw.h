/* A plain TCP connection of two PEs of a job, which is what operations between hosts are measured against. */
#ifndef WEFT_BENCH_RAW_H
#define WEFT_BENCH_RAW_H

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long where[2]; /* the address and port of who listens */
static int spins;     /* who waits on the connection */

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void give_up(const char* what) {
  perror(what);
  shmem_global_exit(1);
}

static void all(int fd, char* data, size_t bytes, int writes) {
  while (bytes > 0) {
    const ssize_t done = writes ? send(fd, data, bytes, 0) : recv(fd, data, bytes, spins ? MSG_DONTWAIT : 0);
    if (done < 0 && !writes && errno == EAGAIN) continue;
    if (done <= 0) give_up("the raw connection");
    data += done;
    bytes -= (size_t)done;
  }
}

/* The first address that is not this machine's own; another host cannot reach 127.0.0.1. */
static long own_address(void) {
  struct ifaddrs *list, *at;
  long found = htonl(INADDR_LOOPBACK);
  if (getifaddrs(&list) != 0) give_up("getifaddrs");
  for (at = list; at; at = at->ifa_next)
    if (at->ifa_addr && at->ifa_addr->sa_family == AF_INET && !(at->ifa_flags & IFF_LOOPBACK)) {
      found = (long)((struct sockaddr_in*)at->ifa_addr)->sin_addr.s_addr;
      break;
    }
  freeifaddrs(list);
  return found;
}

/* Of PE 0 and another one; all others call it too. -1: this PE has none. */
static int connect_raw(int me, int other) {
  struct sockaddr_in at = {0};
  const int one = 1;
  long here[2];
  int fd = -1;
  at.sin_family = AF_INET;
  if (me == other) {
    socklen_t room = sizeof at;
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = INADDR_ANY;
    if (bind(listening, (struct sockaddr*)&at, sizeof at) != 0 || listen(listening, 1) != 0 ||
        getsockname(listening, (struct sockaddr*)&at, &room) != 0)
      give_up("a listening socket");
    here[0] = own_address();
    here[1] = at.sin_port;
    shmem_long_put(where, here, 2, 0); /* PE 0 need not ask: a PE in accept answers nobody in some libraries */
    shmem_barrier_all();
    fd = accept(listening, NULL, NULL);
    close(listening);
  } else if (me != 0) {
    shmem_barrier_all();
    return -1;
  } else {
    shmem_barrier_all();
    at.sin_addr.s_addr = (in_addr_t)where[0];
    at.sin_port = (in_port_t)where[1];
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr*)&at, sizeof at) != 0) fd = -1;
  }
  if (fd < 0) give_up("connecting the two PEs");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static int by_size(const void* a, const void* b) {
  return *(const double*)a < *(const double*)b ? -1 : *(const double*)a > *(const double*)b;
}

#endif
