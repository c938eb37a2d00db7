/* What it costs to bring a page that another process of the machine has, in the ways that the kernel offers, by a fault
 * each and in runs: a copy in private memory; a copy in a memfd, through a second mapping of it; the same with the
 * memory made beforehand; a page of a memfd that is made of what it is to hold, by pwrite or by userfaultfd; and the
 * other process's page itself, mapped in place. Microseconds a page.
 *
 * usage: bring [pages] [pages of a run] */
#define _GNU_SOURCE 1 /* memfd_create */
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

enum { kRounds = 5 };

static size_t g_pages = 4096, g_run = 64;
static char *g_view, *g_contents,
    *g_theirs;                 /* of the program; the same memory, which may always be written; the home's */
static int g_file, g_own_file; /* the home's, and that of this process */
static int g_maker = -1;       /* of userfaultfd, and of which mapping */
static char* g_made;

static void open_pages(size_t at, size_t pages) {
  need(mprotect(g_view + at, pages * kPage, PROT_READ) == 0, "mprotect");
}
static void to_private(size_t at, size_t pages) {
  need(mprotect(g_view + at, pages * kPage, PROT_READ | PROT_WRITE) == 0, "mprotect");
  memcpy(g_view + at, g_theirs + at, pages * kPage);
}
static void to_file(size_t at, size_t pages) {
  memcpy(g_contents + at, g_theirs + at, pages * kPage);
  open_pages(at, pages);
}
static void to_file_mapped(size_t at, size_t pages) {
  to_file(at, pages);
  need(madvise(g_view + at, pages * kPage, MADV_POPULATE_READ) == 0, "MADV_POPULATE_READ");
}
static void to_made_file(size_t at, size_t pages) {
  need(madvise(g_contents + at, pages * kPage, MADV_POPULATE_WRITE) == 0, "MADV_POPULATE_WRITE");
  to_file_mapped(at, pages);
}
/* By the kernel, which makes memory of what it is given, and clears none. */
static void written_to_file(size_t at, size_t pages) {
  need(pwrite(g_own_file, g_theirs + at, pages * kPage, (off_t)at) == (ssize_t)(pages * kPage), "pwrite");
  open_pages(at, pages);
}
static void make(size_t at, size_t pages) {
  struct uffdio_copy copy = {.dst = (uintptr_t)(g_made + at),
                             .src = (uintptr_t)(g_theirs + at),
                             .len = pages * kPage,
                             .mode = UFFDIO_COPY_MODE_DONTWAKE};
  need(ioctl(g_maker, UFFDIO_COPY, &copy) == 0, "UFFDIO_COPY");
}
static void made_in_file(size_t at, size_t pages) {
  make(at, pages);
  open_pages(at, pages);
}
static void made_in_view(size_t at, size_t pages) {
  open_pages(at, pages);
  make(at, pages);
}
/* Of the whole mapping. */
static void begin_making(char* made) {
  enum { kUserModeOnly = 1 }; /* which older headers do not have */
  struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_MISSING_SHMEM};
  struct uffdio_register all = {.range = {(uintptr_t)made, g_pages * kPage}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  g_made = made;
  g_maker = (int)syscall(SYS_userfaultfd, O_CLOEXEC | kUserModeOnly);
  need(g_maker >= 0 && ioctl(g_maker, UFFDIO_API, &api) == 0 && ioctl(g_maker, UFFDIO_REGISTER, &all) == 0,
       "userfaultfd");
}
static void in_place(size_t at, size_t pages) {
  need(mmap(g_view + at, pages * kPage, PROT_READ, MAP_SHARED | MAP_FIXED, g_file, (off_t)at) != MAP_FAILED, "mmap");
}
static void in_place_mapped(size_t at, size_t pages) {
  need(mmap(g_view + at, pages * kPage, PROT_READ, MAP_SHARED | MAP_FIXED | MAP_POPULATE, g_file, (off_t)at) !=
           MAP_FAILED,
       "mmap");
}

static void (*g_bring)(size_t at, size_t pages);
static size_t g_now; /* of a run */
static void on_fault(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)context;
  g_bring((size_t)((char*)info->si_addr - g_view) / kPage * kPage, g_now);
}

static char* map(int file) {
  char* const at = mmap(NULL, g_pages * kPage, file < 0 ? PROT_NONE : PROT_READ | PROT_WRITE,
                        file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, file, 0);
  need(at != MAP_FAILED, "mmap");
  return at;
}
static int file_of_pages(void) {
  const int file = memfd_create("pages", MFD_CLOEXEC);
  need(file >= 0 && ftruncate(file, (off_t)(g_pages * kPage)) == 0, "memfd_create");
  return file;
}

/* Each time in memory that is new. One page of eight by itself, or all of them in runs. */
static double once(int is_private, size_t run) {
  const int file = is_private ? -1 : file_of_pages();
  g_now = run;
  g_own_file = file;
  g_view = map(file);
  g_contents = is_private ? NULL : map(file);
  need(mprotect(g_view, g_pages * kPage, PROT_NONE) == 0, "mprotect");
  if (g_bring == made_in_file || g_bring == made_in_view) {
    begin_making(g_bring == made_in_view ? g_view : g_contents);
  }
  const size_t step = run == 1 ? (size_t)8 * kPage : 64;
  volatile long sum = 0;
  const double begin = now();
  for (size_t at = 0; at < g_pages * kPage; at += step) {
    sum += g_view[at];
  }
  const double took = now() - begin;
  munmap(g_view, g_pages * kPage);
  if (g_maker >= 0) {
    close(g_maker);
    g_maker = -1;
  }
  if (!is_private) {
    munmap(g_contents, g_pages * kPage);
    close(file);
  }
  return took / (double)(run == 1 ? g_pages / 8 : g_pages);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*bring)(size_t at, size_t pages);
    int is_private;
  } ways[] = {{"a copy, private", to_private, 1},
              {"a copy, memfd", to_file, 0},
              {"a copy, memfd, mapped at once", to_file_mapped, 0},
              {"a copy, memfd, made and mapped at once", to_made_file, 0},
              {"a copy, memfd, by pwrite", written_to_file, 0},
              {"a copy, memfd, by userfaultfd", made_in_file, 0},
              {"a copy, memfd, by userfaultfd, mapped", made_in_view, 0},
              {"in place", in_place, 0},
              {"in place, mapped at once", in_place_mapped, 0}};
  enum { kWays = sizeof ways / sizeof ways[0] };
  g_pages = argc > 1 ? (size_t)atol(argv[1]) : g_pages;
  g_run = argc > 2 ? (size_t)atol(argv[2]) : g_run;
  need(g_pages > 0 && g_run > 1 && g_pages % g_run == 0, "pages are whole runs of more than one");
  g_file = file_of_pages();
  g_theirs = map(g_file);
  memset(g_theirs, 1, g_pages * kPage);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
  need(sigaction(SIGSEGV, &action, NULL) == 0, "sigaction");
  static double took[kWays][2][kRounds];
  for (int round = 0; round < kRounds; ++round) {
    for (int way = 0; way < kWays; ++way) {
      g_bring = ways[way].bring;
      took[way][0][round] = once(ways[way].is_private, 1);
      took[way][1][round] = once(ways[way].is_private, g_run);
    }
  }
  for (int way = 0; way < kWays; ++way) {
    const double alone = median(took[way][0], kRounds);
    const double runs = median(took[way][1], kRounds); /* they are in order then */
    printf("%-40s by a fault each %6.2f (%.2f to %.2f)  in runs %6.3f (%.3f to %.3f) us a page\n", ways[way].name,
           alone, took[way][0][0], took[way][0][kRounds - 1], runs, took[way][1][0], took[way][1][kRounds - 1]);
  }
  return 0;
}
