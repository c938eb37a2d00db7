// Atomics as compilers make them, all on words of one structure. COUNT is the name of this copy.
#include <stdatomic.h>

#include "counts.h"

void COUNT(struct counts* all, int times) {
  for (int k = 0; k < times; ++k) {
    __atomic_fetch_add(&all->wide, 3, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&all->word, 1, __ATOMIC_RELAXED);
    __sync_fetch_and_add(&all->half, 1);
    __sync_sub_and_fetch(&all->byte, 1);
    atomic_fetch_xor(&all->flips, 1u << (k & 31));
    long seen = __atomic_load_n(&all->compared, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all->compared, &seen, seen + 2, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
    }
    int was = __atomic_load_n(&all->compared_word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all->compared_word, &was, was + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    union {
      unsigned long bits;
      double value;
    } before, after;
    before.bits = __atomic_load_n(&all->real, __ATOMIC_RELAXED);
    do {
      after.value = before.value + 0.5;
    } while (!__atomic_compare_exchange_n(&all->real, &before.bits, after.bits, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    // A lock: what it protects are plain words.
    while (atomic_flag_test_and_set(&all->lock)) {
      __builtin_ia32_pause();
    }
    ++all->protected_word;
    atomic_flag_clear(&all->lock);
    if (__atomic_or_fetch(&all->bits, 1u << (k & 7), __ATOMIC_SEQ_CST) == 0) {
      __atomic_fetch_add(&all->wrong, 1, __ATOMIC_SEQ_CST);
    }
    atomic_thread_fence(memory_order_seq_cst);
  }
}
