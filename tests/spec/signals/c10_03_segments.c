/* Point 10.3: data and signal may lie in different segments, in every combination, and the source anywhere. */
#include "check.h"

enum { kWords = 300 };

static long g_data[kWords], g_source[kWords];
static uint64_t g_signal;

int main(void) {
  long* heap_data;
  long* heap_source;
  uint64_t* heap_signal;
  long stack_source[kWords];
  check_begin();
  heap_data = shmem_malloc(sizeof g_data);
  heap_source = shmem_malloc(sizeof g_source);
  heap_signal = shmem_calloc(1, sizeof *heap_signal);
  REQUIRE(heap_data && heap_source && heap_signal, "no memory");
  for (int way = 0; way < 24; ++way) {
    long* const data = way % 2 ? heap_data : g_data;
    uint64_t* const signal = way / 2 % 2 ? heap_signal : &g_signal;
    long* const source = way / 4 % 3 == 0 ? stack_source : way / 4 % 3 == 1 ? heap_source : g_source;
    const int nbi = way / 12;
    const int to = check_right(1), from = check_right(-1);
    for (int i = 0; i < kWords; ++i) source[i] = check_me * 10000L + way * 300 + i;
    memset(data, 0, sizeof g_data);
    *signal = 0;
    shmem_barrier_all();
    if (nbi)
      shmem_long_put_signal_nbi(data, source, kWords, signal, 9, SHMEM_SIGNAL_SET, to);
    else
      shmem_long_put_signal(data, source, kWords, signal, 9, SHMEM_SIGNAL_SET, to);
    shmem_signal_wait_until(signal, SHMEM_CMP_EQ, 9);
    for (int i = kWords - 1; i >= 0; --i)
      if (data[i] != from * 10000L + way * 300 + i) {
        CHECK_EQ(data[i], from * 10000L + way * 300 + i, "combination %d, element %d", way, i);
        break;
      }
    shmem_barrier_all();
  }
  shmem_free(heap_signal);
  shmem_free(heap_source);
  shmem_free(heap_data);
  return check_end();
}
