/* Atomic operations of all PEs on the same words. */
#include "check.h"

enum { kTimes = 500 };

int main(void) {
  weft_shared_init();
  const int me = weft_shared_my_pe(), n = weft_shared_n_pes();
  struct {
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f;
    double d;
    uint64_t bits, turned, all, most;
    uint32_t seen[64 * kTimes];
  }* w = zeros(sizeof *w);
  for (int k = 0; k < kTimes; ++k) {
    weft_shared_uint8_fetch_add(&w->u8, 1);
    weft_shared_uint16_fetch_add(&w->u16, 3);
    const uint32_t place = weft_shared_uint32_fetch_add(&w->u32, 1);
    CHECK(place < (uint32_t)(n * kTimes));
    if (place < 64 * kTimes) {
      CHECK(weft_shared_uint32_swap(&w->seen[place], 1) == 0);
    }
    weft_shared_uint64_fetch_add(&w->u64, (uint64_t)1 << 40);
    weft_shared_float_fetch_add(&w->f, 0.5f);
    weft_shared_double_fetch_add(&w->d, 0.25);
    weft_shared_uint64_fetch_xor(&w->turned, (uint64_t)1 << me % 64);
    uint64_t seen = weft_shared_uint64_load(&w->most);
    const uint64_t wanted = (uint64_t)k * 100 + (uint64_t)me;
    while (seen < wanted) {
      const uint64_t before = weft_shared_uint64_compare_swap(&w->most, seen, wanted);
      if (before == seen) {
        break;
      }
      seen = before;
    }
  }
  weft_shared_uint64_fetch_or(&w->bits, (uint64_t)1 << me % 64);
  weft_shared_barrier();
  if (me == 0) {
    weft_shared_uint64_store(&w->all, ~(uint64_t)0);
  }
  weft_shared_barrier();
  weft_shared_uint64_fetch_and(&w->all, ~((uint64_t)1 << me % 64));
  weft_shared_barrier();
  /* What was carried out atomically is there for plain loads behind a barrier. */
  CHECK(w->u8 == (uint8_t)(n * kTimes) && w->u16 == (uint16_t)(3 * n * kTimes));
  CHECK(w->u32 == (uint32_t)(n * kTimes) && w->u64 == (uint64_t)(n * kTimes) << 40);
  CHECK(w->f == 0.5f * (float)(n * kTimes) && w->d == 0.25 * n * kTimes);
  CHECK(w->turned == 0 && w->bits == ~w->all && w->most == (uint64_t)(kTimes - 1) * 100 + (uint64_t)n - 1);
  weft_shared_finalize();
  return 0;
}
