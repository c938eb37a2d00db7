/* 3.10 Hints combine with OR, never make an allocation fail, and the memory serves every use, the hinted one or not. */
#include "../check.h"

int main(void) {
  const long hints[] = {0,
                        SHMEM_MALLOC_ATOMICS_REMOTE,
                        SHMEM_MALLOC_SIGNAL_REMOTE,
                        SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE,
                        1L << 40, /* a hint nobody knows */
                        ~0L};
  size_t k;
  check_begin();
  for (k = 0; k < sizeof hints / sizeof hints[0]; ++k) {
    const int to = check_right(1), from = check_right(-1);
    const long data[4] = {check_me, 2, 3, 4};
    uint64_t* p = (uint64_t*)shmem_malloc_with_hints(100 * sizeof(uint64_t), hints[k]);
    REQUIRE(p != NULL, "hints 0x%lx", (unsigned long)hints[k]);
    CHECK_EQ((uintptr_t)p % 16, 0, "alignment with hints");
    memset(p, 0, 100 * sizeof(uint64_t));
    shmem_barrier_all();
    shmem_uint64_atomic_add(&p[0], 5, to);
    shmem_long_put_signal((long*)&p[10], data, 4, &p[1], 9, SHMEM_SIGNAL_SET, to);
    STEP("signal in hinted memory");
    shmem_signal_wait_until(&p[1], SHMEM_CMP_EQ, 9);
    CHECK_EQ(p[10], from, "data with the signal");
    shmem_putmem(&p[50], data, sizeof data, to);
    shmem_barrier_all();
    CHECK_EQ(p[0], 5, "AMO");
    CHECK_EQ(p[53], 4, "put");
    shmem_free(p);
  }
  return check_end();
}
