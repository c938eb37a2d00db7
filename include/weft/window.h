/* Weft: the window of this PE and how an address in it becomes a peer's.
 *
 * A PE's symmetric heap and its executable's static data lie in one range of addresses, its window. The windows of
 * all PEs of this node are mapped once more, one after another and each laid out like this PE's own. So a symmetric
 * address becomes the same object of another PE by one range check, one multiplication and one addition.
 *
 * Not for direct use by programs: shmem_ptr is the standard's name for it.
 */
#ifndef WEFT_WINDOW_H
#define WEFT_WINDOW_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One cache line. Written when the library starts and ends, read by every operation. Before shmem_init and after the
 * last shmem_finalize span is 0, so that every address takes the library's slow path, which says what is wrong. */
struct weft_window {
  uintptr_t lo;    /* first byte of the window */
  size_t span;     /* bytes from there to its last; the part between heap and static data faults when touched */
  size_t to_peers; /* what to add to an address to reach this node's first PE's copy (may wrap) */
  size_t stride;   /* bytes from one PE's copy to the next */
  unsigned n_pes;  /* PEs 0 and up that are reached so; of a job of several nodes those of the first one, on itself */
  unsigned first;  /* this node's first PE; set before main and never again */
  const unsigned* sleepers; /* how many PEs sleep in a wait for a value: news wakes them */
  void (*copy)(void* to, const void* from, size_t bytes); /* the library's, for WEFT_LARGE_COPY bytes and more */
  unsigned none;                                          /* 0, for programs that look for more PEs here */
  unsigned n_here;                                        /* PEs first and up that are reached so */
} __attribute__((__aligned__(64)));

/* From this size on a copy of unknown length is worth a call of the library. */
#define WEFT_LARGE_COPY 2048

/* Constant to programs: the compiler may read it once for many operations, and translate addresses before a loop. What
 * it has read stays right: in a job all but span is set before main and never again, and span is 0 or what it always
 * is. A program that has kept a span beyond shmem_finalize finds that the peers' addresses fault. Without a launcher,
 * where the values come with shmem_init, those before (0) take the slow path or mean the only PE there is. */
#ifndef WEFT_WINDOW_OWNER
extern const struct weft_window weft_window;
#endif

/* Which PE this is, between shmem_init and shmem_finalize; outside them, and where a tool is to see the calls, me is -1
 * and n_pes 0, and the library is asked. Constant to programs as above: who has kept such a value asks the library. */
struct weft_self {
  int me;
  int n_pes;
} __attribute__((__aligned__(64)));
#ifndef WEFT_WINDOW_OWNER
extern const struct weft_self weft_self;
#endif

#ifdef __cplusplus
}
#endif

#endif
