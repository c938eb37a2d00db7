/* WEFT_NUMA=... sets the policy named by the argument on this PE's heap, and, as all PEs map the same file, everybody
 * sees it there. "default" is what a heap has that nobody placed, and then hwloc was not even loaded. */
#define _GNU_SOURCE
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kTouched = 8 << 20, kAlign = 2 << 20 };

/* A container may forbid it, and a kernel may lack it. */
static int possible(void) {
  void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int interleave = 3;
  unsigned long nodes = 1;
  long result = syscall(SYS_mbind, page, 4096UL, interleave, &nodes, 8 * sizeof nodes, 0U);
  munmap(page, 4096);
  return result == 0 && access("/proc/self/numa_maps", R_OK) == 0;
}

/* What the kernel says of the mapping that holds an address: the last that begins at or before it. */
static void describe(const void* address, char* policy, char* rest) {
  FILE* maps = fopen("/proc/self/numa_maps", "r");
  char line[8192];
  unsigned long at;
  strcpy(policy, "none");
  rest[0] = 0;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%lx", &at) == 1 && at <= (unsigned long)address) sscanf(line, "%*x %63s %511[^\n]", policy, rest);
  if (maps != NULL) fclose(maps);
}

static int has_loaded(const char* name) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[8192];
  int found = 0;
  while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  fclose(maps);
  return found;
}

static int check(const char* expected, const void* address, int pe) {
  char policy[64], rest[512];
  describe(address, policy, rest);
  /* Only the owner has a policy on reserved huge pages; for that it has taken them all. */
  if (strstr(rest, " huge ") != NULL && strcmp(expected, "default") != 0) {
    if (pe != shmem_my_pe()) return 0;
    if (strstr(rest, " N") == NULL) {
      printf("PE %d has not taken its huge pages: %s\n", pe, rest);
      return 1;
    }
  }
  if (strncmp(policy, expected, strlen(expected)) == 0) return 0;
  printf("PE %d sees the policy %s on the heap of PE %d, not %s\n", shmem_my_pe(), policy, pe, expected);
  return 1;
}

static int live(const char* expected) {
  int wrong = 0;
  shmem_init();
  int me = shmem_my_pe(), n = shmem_n_pes();
  char* mine = shmem_align(kAlign, kTouched);
  wrong += check(expected, mine, me);
  shmem_barrier_all();
  /* Each touches its neighbour's first, which afterwards touches the whole itself. */
  shmem_putmem(mine, expected, 4, (me + 1) % n);
  shmem_barrier_all();
  wrong += memcmp(mine, expected, 4) != 0;
  memset(mine, me + 1, kTouched);
  for (int pe = 0; pe < n; ++pe) wrong += check(expected, shmem_ptr(mine, pe), pe);
  shmem_barrier_all();
  shmem_free(mine);
  shmem_finalize();
  return wrong;
}

int main(int argc, char** argv) {
  const char* expected = argc > 1 ? argv[1] : "default";
  int placed = strcmp(expected, "default") != 0;
  if (placed && !possible()) {
    printf("numa: this kernel places no memory\n");
    return 0;
  }
  /* The policy of a second life is a new one. */
  if (live(expected) + live(expected) != 0) return 1;
  if (has_loaded("libhwloc") != placed) {
    printf("hwloc was %s\n", placed ? "not loaded" : "loaded");
    return 1;
  }
  printf("numa: all is right\n");
  return 0;
}
