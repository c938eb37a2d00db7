/* What it costs to take write access to pages away and to give it back: by mprotect and SIGSEGV, as Weft does, and by
 * userfaultfd in its three forms. Pages of a memfd, as the program sees them; each way is told in microseconds a page.
 *
 * usage: protect [pages] [1: neighbours, 2: every other page, ...] */
#define _GNU_SOURCE 1 /* memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"

#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_HUGETLBFS_SHMEM
#define UFFD_FEATURE_WP_HUGETLBFS_SHMEM (1 << 12)
#endif
#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED (1 << 13)
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC (1 << 15)
#endif

enum { kRounds = 9 };

static char* g_at;
static size_t g_pages = 4096, g_apart = 1;
static int g_uffd = -1;

static void by_mprotect(char* page, size_t pages, int write) {
  need(mprotect(page, pages * kPage, write ? PROT_READ | PROT_WRITE : PROT_READ) == 0, "mprotect");
}
static void by_uffd(char* page, size_t pages, int write) {
  struct uffdio_writeprotect asked = {.range = {(uintptr_t)page, pages * kPage},
                                      .mode = write ? 0 : UFFDIO_WRITEPROTECT_MODE_WP};
  need(ioctl(g_uffd, UFFDIO_WRITEPROTECT, &asked) == 0, "UFFDIO_WRITEPROTECT");
}

static void (*g_give)(char* page, size_t pages, int write);
static void on_fault(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)context;
  g_give((char*)((uintptr_t)info->si_addr / kPage * kPage), 1, 1);
}

static double of_a_page(double* times) { return median(times, kRounds) / (double)(g_pages / g_apart); }

/* All pages of a run together where they are neighbours. */
static void each(int write) {
  const size_t run = g_apart == 1 ? g_pages : 1;
  for (size_t k = 0; k < g_pages; k += g_apart * run) {
    g_give(g_at + k * kPage, run, write);
  }
}
static void touch(void) {
  for (size_t k = 0; k < g_pages; k += g_apart) {
    ((volatile char*)g_at)[k * kPage]++;
  }
}

static void measure(const char* name, void (*give)(char*, size_t, int), int faults) {
  double taken[kRounds], given[kRounds], written[kRounds];
  g_give = give;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = now();
    each(0);
    taken[round] = now() - begin;
    touch();
    written[round] = now() - begin - taken[round];
    if (faults) {
      each(0);
      const double then = now();
      each(1);
      given[round] = now() - then;
      touch();
    }
  }
  printf("%-34s taken away %6.3f", name, of_a_page(taken));
  if (faults) {
    printf("  given back %6.3f", of_a_page(given));
  }
  printf("  written by a fault each %6.3f us a page\n", of_a_page(written));
}

/* 0: it is there. */
static int open_uffd(int flags, uint64_t features) {
  g_uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | flags);
  if (g_uffd < 0) {
    return errno;
  }
  struct uffdio_api api = {.api = UFFD_API, .features = features};
  struct uffdio_register all = {.range = {(uintptr_t)g_at, g_pages * kPage}, .mode = UFFDIO_REGISTER_MODE_WP};
  return ioctl(g_uffd, UFFDIO_API, &api) != 0 || ioctl(g_uffd, UFFDIO_REGISTER, &all) != 0 ? errno : 0;
}

int main(int argc, char** argv) {
  g_pages = argc > 1 ? (size_t)atol(argv[1]) : g_pages;
  g_apart = argc > 2 ? (size_t)atol(argv[2]) : g_apart;
  const int file = memfd_create("pages", MFD_CLOEXEC);
  need(file >= 0 && ftruncate(file, (off_t)(g_pages * kPage)) == 0, "memfd_create");
  g_at = mmap(NULL, g_pages * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  need(g_at != MAP_FAILED, "mmap");
  memset(g_at, 1, g_pages * kPage);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  need(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGBUS, &action, NULL) == 0, "sigaction");
  measure("mprotect, SIGSEGV", by_mprotect, 1);
  by_mprotect(g_at, g_pages, 1);
  const uint64_t wp = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
  printf("userfaultfd without flags: %s\n", strerror(open_uffd(0, wp)));
  if (g_uffd >= 0) {
    close(g_uffd);
  }
  int error = open_uffd(UFFD_USER_MODE_ONLY, wp | UFFD_FEATURE_SIGBUS);
  printf("UFFD_USER_MODE_ONLY: %s\n", strerror(error));
  if (error == 0) {
    measure("userfaultfd, SIGBUS", by_uffd, 1);
    close(g_uffd);
    error = open_uffd(UFFD_USER_MODE_ONLY, wp | UFFD_FEATURE_WP_UNPOPULATED | UFFD_FEATURE_WP_ASYNC);
    printf("WP_ASYNC: %s\n", strerror(error));
    if (error == 0) {
      measure("userfaultfd, by the kernel itself", by_uffd, 0);
    }
  }
  return 0;
}
