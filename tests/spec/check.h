/* What every program of tests/spec shares: checks that count, a watchdog, and an end that never leaves peers waiting.
 *
 *   int main(void) {
 *     check_begin();                          // watchdog, shmem_init, check_me and check_n are valid from here
 *     CHECK(x == 3, "x is %d", x);            // a failed check is printed and counted, the program goes on
 *     CHECK_EQ(g, 42, "value got from PE 0"); // the same, with both numbers in the message (whole numbers only)
 *     REQUIRE(p != NULL, "no memory");        // a failed one ends the job: for what the rest stands on
 *     return check_end();                     // finalize, or shmem_global_exit(1) when a check failed here
 *   }
 *
 * Include it first: it asks the C library for POSIX and GNU names, also under -std=c99. Plain C99 and C++11. Nothing
 * here asserts an upper time: the watchdog (50 s, times WEFT_TEST_SLOW for sanitizers and valgrind) only keeps a hang
 * from outliving its test. */
#ifndef WEFT_TESTS_SPEC_CHECK_H
#define WEFT_TESTS_SPEC_CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <shmem.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__GNUC__)
#define CHECK_PRINTF(fmt, args) __attribute__((unused, format(printf, fmt, args)))
#define CHECK_UNUSED __attribute__((unused))
#else
#define CHECK_PRINTF(fmt, args)
#define CHECK_UNUSED
#endif

/* One of each in a program, also of several files; C programs have one file each. */
#if defined(__cplusplus) && __cplusplus >= 201703L
#define CHECK_VARIABLE inline
#else
#define CHECK_VARIABLE static
#endif

enum { kCheckMostLines = 20, kCheckWatchdogSeconds = 50, kCheckWatchdogExit = 97 };

CHECK_VARIABLE int check_me CHECK_UNUSED = -1; /* own PE number, -1 before check_begin or check_identify */
CHECK_VARIABLE int check_n CHECK_UNUSED = 0;
CHECK_VARIABLE int check_failures CHECK_UNUSED = 0;
CHECK_VARIABLE const char* volatile check_step CHECK_UNUSED = "the beginning";

/* One write per line, so that lines of several PEs do not mix. */
CHECK_UNUSED static void check_line(const char* text) {
  char line[1024];
  int n = snprintf(line, sizeof line, "PE %d: %s\n", check_me, text);
  if (n > (int)sizeof line - 1) n = (int)sizeof line - 1;
  if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0) return;
}

CHECK_PRINTF(4, 5)
static void check_fail(const char* file, int line, const char* what, const char* fmt, ...) {
  char detail[512];
  char text[900];
  const char* base = strrchr(file, '/');
  va_list args;
  if (__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED) > kCheckMostLines) return;
  va_start(args, fmt);
  vsnprintf(detail, sizeof detail, fmt, args);
  va_end(args);
  snprintf(text, sizeof text, "%s:%d: FAILED %s: %s", base ? base + 1 : file, line, what, detail);
  check_line(text);
}

/* cond, then a printf format (always: what was seen) and its arguments. */
#define CHECK(cond, ...)                                             \
  do {                                                               \
    if (!(cond)) check_fail(__FILE__, __LINE__, #cond, __VA_ARGS__); \
  } while (0)

#define CHECK_EQ(actual, expected, ...)                                                                         \
  do {                                                                                                          \
    const long long check_a_ = (long long)(actual), check_e_ = (long long)(expected);                           \
    if (check_a_ != check_e_) {                                                                                 \
      char check_t_[300];                                                                                       \
      snprintf(check_t_, sizeof check_t_, __VA_ARGS__);                                                         \
      check_fail(__FILE__, __LINE__, #actual " == " #expected, "%s: got %lld (0x%llx), expected %lld (0x%llx)", \
                 check_t_, check_a_, (unsigned long long)check_a_, check_e_, (unsigned long long)check_e_);     \
    }                                                                                                           \
  } while (0)

#define REQUIRE(cond, ...)                                \
  do {                                                    \
    if (!(cond)) {                                        \
      check_fail(__FILE__, __LINE__, #cond, __VA_ARGS__); \
      check_give_up();                                    \
    }                                                     \
  } while (0)

/* Names what comes next; the watchdog prints it. */
#define STEP(text) (check_step = (text))

CHECK_UNUSED static void check_watchdog_rang(int sig) {
  /* async-signal-safe: no stdio */
  char n[16];
  int i = (int)sizeof n, pe = check_me;
  const char* at = check_step;
  const char head[] = "watchdog: PE ", mid[] = " hangs at: ";
  ssize_t ignored = 0;
  (void)sig;
  if (pe < 0) pe = 0;
  do n[--i] = (char)('0' + pe % 10);
  while ((pe /= 10) > 0 && i > 0);
  ignored += write(STDERR_FILENO, head, sizeof head - 1);
  ignored += write(STDERR_FILENO, n + i, sizeof n - (size_t)i);
  ignored += write(STDERR_FILENO, mid, sizeof mid - 1);
  ignored += write(STDERR_FILENO, at, strlen(at));
  ignored += write(STDERR_FILENO, "\n", 1);
  (void)ignored;
  _exit(kCheckWatchdogExit);
}

/* How much slower than usual this run may be: WEFT_TEST_SLOW, at least 1. */
CHECK_UNUSED static unsigned check_slow(void) {
  const char* slow = getenv("WEFT_TEST_SLOW");
  const int factor = slow ? atoi(slow) : 1;
  return factor > 1 ? (unsigned)factor : 1u;
}

/* Starts the watchdog. check_begin does it; programs that call shmem_init themselves call this first. */
CHECK_UNUSED static void check_watch(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = check_watchdog_rang;
  sigaction(SIGALRM, &act, NULL);
  alarm((unsigned)kCheckWatchdogSeconds * check_slow());
}

/* After an initialisation the program did itself. */
CHECK_UNUSED static void check_identify(void) {
  check_me = shmem_my_pe();
  check_n = shmem_n_pes();
}

CHECK_UNUSED static void check_begin(void) {
  check_watch();
  shmem_init();
  check_identify();
}

CHECK_UNUSED static void check_summary(void) {
  char text[80];
  if (check_failures == 0) return;
  snprintf(text, sizeof text, "%d check(s) failed", check_failures);
  check_line(text);
}

/* Ends the whole job at once; legal only while the library is initialised. */
CHECK_UNUSED static void check_give_up(void) {
  check_summary();
  shmem_global_exit(1);
  _exit(1); /* only for readers and compilers: the line above does not return */
}

/* Last statement of main: `return check_end();`. A PE that saw a failure takes the others along. */
CHECK_UNUSED static int check_end(void) {
  STEP("check_end");
  if (check_failures) check_give_up();
  shmem_finalize();
  return 0;
}

/* For programs that have finalized (or never initialised) already: `return check_result();`. */
CHECK_UNUSED static int check_result(void) {
  check_summary();
  return check_failures ? 1 : 0;
}

CHECK_UNUSED static void check_sleep_ms(long ms) {
  struct timespec t;
  t.tv_sec = ms / 1000;
  t.tv_nsec = (ms % 1000) * 1000000L;
  nanosleep(&t, NULL);
}

/* The PE `by` places to the right, in a ring. */
CHECK_UNUSED static int check_right(int by) { return (check_me + by % check_n + check_n) % check_n; }

/* A team of all PEs, another one than SHMEM_TEAM_WORLD where they all share memory. */
#define check_team_of_all() (shmem_team_n_pes(SHMEM_TEAM_SHARED) == check_n ? SHMEM_TEAM_SHARED : SHMEM_TEAM_WORLD)

/* A value that depends on who wrote it and where, so that nothing passes by luck. Never 0. */
CHECK_UNUSED static unsigned char check_byte(int pe, size_t i) {
  const unsigned v = (unsigned)pe * 131u + (unsigned)i * 7u + (unsigned)(i >> 8) * 13u + 1u;
  return (unsigned char)(v % 255u + 1u);
}
CHECK_UNUSED static void check_fill(void* at, int pe, size_t n) {
  unsigned char* b = (unsigned char*)at;
  size_t i;
  for (i = 0; i < n; ++i) b[i] = check_byte(pe, i);
}
/* Index of the first byte that differs from check_fill(.., pe, n), or n when all are right. */
CHECK_UNUSED static size_t check_find_wrong(const void* at, int pe, size_t n) {
  const unsigned char* b = (const unsigned char*)at;
  size_t i;
  for (i = 0; i < n; ++i)
    if (b[i] != check_byte(pe, i)) return i;
  return n;
}

#endif
