/* Parts of the ordering litmus tests: one kind of write after another, so that every pair is tried. */
#ifndef WEFT_TESTS_SPEC_LITMUS_H
#define WEFT_TESTS_SPEC_LITMUS_H

#include "check.h"

enum { kLitmusWords = 256, kLitmusWrites = 11 };

/* What a PE writes on another: `data` through one kind of operation. Beyond word 0, data[i] = value + i where the kind
 * writes more than one word. */
struct LitmusSource {
  long word[kLitmusWords];
};

static const char* const kLitmusNames[kLitmusWrites] = {"p",
                                                        "put",
                                                        "putmem",
                                                        "iput",
                                                        "ibput",
                                                        "put_nbi",
                                                        "atomic_set",
                                                        "atomic_swap_nbi",
                                                        "put_signal",
                                                        "put_signal_nbi",
                                                        "store through shmem_ptr"};

/* How many words of `data` kind `way` writes. */
CHECK_UNUSED static int litmus_words(int way) { return way == 0 || way == 6 || way == 7 ? 1 : kLitmusWords; }

/* One write of value.. on `pe` by operation `way`, through ctx (all kinds have a context form except the store). */
CHECK_UNUSED static void litmus_write(int way, shmem_ctx_t ctx, long* data, uint64_t* signal,
                                      struct LitmusSource* source, long value, int pe) {
  static long fetched; /* nobody reads it before quiet */
  long* direct;
  for (int i = 0; i < litmus_words(way); ++i) source->word[i] = value + i;
  switch (way) {
    case 0: shmem_ctx_long_p(ctx, data, value, pe); break;
    case 1: shmem_ctx_long_put(ctx, data, source->word, kLitmusWords, pe); break;
    case 2: shmem_ctx_putmem(ctx, data, source->word, sizeof source->word, pe); break;
    case 3: shmem_ctx_long_iput(ctx, data, source->word, 1, 1, kLitmusWords, pe); break;
    case 4: shmem_ctx_long_ibput(ctx, data, source->word, 16, 16, 16, kLitmusWords / 16, pe); break;
    case 5: shmem_ctx_long_put_nbi(ctx, data, source->word, kLitmusWords, pe); break;
    case 6: shmem_ctx_long_atomic_set(ctx, data, value, pe); break;
    case 7: shmem_ctx_long_atomic_swap_nbi(ctx, &fetched, data, value, pe); break;
    case 8:
      shmem_ctx_long_put_signal(ctx, data, source->word, kLitmusWords, signal, (uint64_t)value, SHMEM_SIGNAL_SET, pe);
      break;
    case 9:
      shmem_ctx_long_put_signal_nbi(ctx, data, source->word, kLitmusWords, signal, (uint64_t)value, SHMEM_SIGNAL_SET,
                                    pe);
      break;
    default:
      direct = (long*)shmem_ptr(data, pe);
      REQUIRE(direct != NULL, "shmem_ptr of a heap object on one machine");
      memcpy(direct, source->word, sizeof source->word);
  }
}

CHECK_UNUSED static void litmus_expect(const volatile long* data, int way, long value, const char* told_by) {
  for (int i = litmus_words(way) - 1; i >= 0; --i)
    if (data[i] != value + i) {
      CHECK_EQ(data[i], value + i, "%s, then %s: word %d", kLitmusNames[way], told_by, i);
      return;
    }
}

#endif
