/* Point 13.1: after any wait or test has succeeded, everything that the initiator ordered before the flag is visible to
 * plain loads: by fence, by quiet, by put_signal; the flag written by p, put, AMO, signal. Every wait and test routine
 * takes its turn as the receiver's. */
#include "check.h"

enum { kWords = 400, kWriters = 6, kReaders = 15, kFlags = 3 };

static long g_data[kWords];
static long g_flags[kFlags];
static uint64_t g_signal;

static void write_flag(int way, long r, const long* source, int to) {
  switch (way) {
    case 0:
      shmem_fence();
      shmem_long_p(g_flags, r, to);
      break;
    case 1:
      shmem_quiet();
      shmem_long_put(g_flags, &r, 1, to);
      break;
    case 2:
      shmem_fence();
      shmem_long_atomic_set(g_flags, r, to);
      break;
    case 3:
      shmem_fence();
      shmem_long_atomic_inc(g_flags, to);
      break;
    case 4:
      shmem_quiet();
      (void)shmem_long_atomic_swap(g_flags, r, to);
      break;
    default:
      shmem_fence();
      shmem_long_put_nbi(g_flags, &source[kWords], 1, to);
      break;
  }
}

/* Waits until g_flags[0] is r with routine number `way`. */
static void read_flag(int way, long r) {
  const long values[kFlags] = {r, -1, -1};
  size_t indices[kFlags];
  switch (way) {
    case 0: shmem_long_wait_until(g_flags, SHMEM_CMP_EQ, r); break;
    case 1:
      while (!shmem_long_test(g_flags, SHMEM_CMP_EQ, r)) {
      }
      break;
    case 2: shmem_long_wait_until_all(g_flags, 1, NULL, SHMEM_CMP_EQ, r); break;
    case 3: shmem_long_wait_until_any(g_flags, kFlags, NULL, SHMEM_CMP_EQ, r); break;
    case 4: shmem_long_wait_until_some(g_flags, kFlags, indices, NULL, SHMEM_CMP_EQ, r); break;
    case 5: shmem_long_wait_until_all_vector(g_flags, 1, NULL, SHMEM_CMP_EQ, values); break;
    case 6: shmem_long_wait_until_any_vector(g_flags, kFlags, NULL, SHMEM_CMP_EQ, values); break;
    case 7: shmem_long_wait_until_some_vector(g_flags, kFlags, indices, NULL, SHMEM_CMP_EQ, values); break;
    case 8:
      while (!shmem_long_test_all(g_flags, 1, NULL, SHMEM_CMP_EQ, r)) {
      }
      break;
    case 9:
      while (shmem_long_test_any(g_flags, kFlags, NULL, SHMEM_CMP_EQ, r) != 0) {
      }
      break;
    case 10:
      while (shmem_long_test_some(g_flags, kFlags, indices, NULL, SHMEM_CMP_EQ, r) == 0) {
      }
      break;
    case 11:
      while (!shmem_long_test_all_vector(g_flags, 1, NULL, SHMEM_CMP_EQ, values)) {
      }
      break;
    case 12:
      while (shmem_long_test_any_vector(g_flags, kFlags, NULL, SHMEM_CMP_EQ, values) != 0) {
      }
      break;
    case 13:
      while (shmem_long_test_some_vector(g_flags, kFlags, indices, NULL, SHMEM_CMP_EQ, values) == 0) {
      }
      break;
    default:
      while (shmem_long_atomic_fetch(g_flags, check_me) != r) {
      }
      shmem_long_wait_until(g_flags, SHMEM_CMP_EQ, r);
  }
}

static void check_data(long r, int writer, int reader) {
  const int from = check_right(-1);
  /* from the end: the words written last are the ones that would be missing */
  for (int i = kWords - 1; i >= 0; --i)
    if (g_data[i] != from * 100000000L + r * 1000 + i) {
      CHECK_EQ(g_data[i], from * 100000000L + r * 1000 + i, "element %d, writer %d, reader %d", i, writer, reader);
      break;
    }
}

int main(void) {
  static long source[kWords + 1];
  long r = 0;
  check_begin();
  g_flags[1] = g_flags[2] = -5;
  STEP("flags");
  for (int writer = 0; writer < kWriters; ++writer)
    for (int reader = 0; reader < kReaders; ++reader) {
      ++r;
      for (int i = 0; i < kWords; ++i) source[i] = check_me * 100000000L + r * 1000 + i;
      source[kWords] = r;
      if (r % 2)
        shmem_long_put(g_data, source, kWords, check_right(1));
      else
        shmem_long_put_nbi(g_data, source, kWords, check_right(1));
      write_flag(writer, r, source, check_right(1));
      read_flag(reader, r);
      check_data(r, writer, reader);
      shmem_barrier_all();
    }
  STEP("signals");
  for (int k = 0; k < 40; ++k) {
    ++r;
    for (int i = 0; i < kWords; ++i) source[i] = check_me * 100000000L + r * 1000 + i;
    shmem_long_put_signal(g_data, source, kWords, &g_signal, (uint64_t)r, SHMEM_SIGNAL_SET, check_right(1));
    if (k % 3 == 0)
      shmem_signal_wait_until(&g_signal, SHMEM_CMP_EQ, (uint64_t)r);
    else if (k % 3 == 1)
      shmem_uint64_wait_until(&g_signal, SHMEM_CMP_GE, (uint64_t)r);
    else
      while (shmem_signal_fetch(&g_signal) != (uint64_t)r) {
      }
    check_data(r, kWriters, k % 3);
    shmem_barrier_all();
  }
  return check_end();
}
