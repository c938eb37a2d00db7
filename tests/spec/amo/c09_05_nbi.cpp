// Point 9.5: the non-blocking fetching AMOs of every type set and form. Many are pending at once, each with its own
// place for the result; after quiet every result and every target is right. Only this PE works on its cell, so the old
// values are known.
#include "amo_ops.hpp"

using namespace spec;

namespace {

// Private results with guard bytes between them.
template <class T>
struct Results {
  static constexpr std::size_t kMost = 8;
  struct Slot {
    unsigned char before[16];
    alignas(8) unsigned char value[sizeof(T)];
    unsigned char after[16];
  };
  Slot slot[kMost];
  Results() { std::memset(static_cast<void*>(this), kGuard, sizeof *this); }
  T* at(std::size_t i) { return reinterpret_cast<T*>(slot[i].value); }
  void expect(std::size_t i, T value, const char* name, const char* op) {
    CHECK(std::memcmp(slot[i].value, &value, sizeof(T)) == 0, "%s: %s fetched a wrong value", name, op);
    bool clean = true;
    for (std::size_t k = 0; k < 16; ++k) clean = clean && slot[i].before[k] == kGuard && slot[i].after[k] == kGuard;
    CHECK(clean, "%s: %s wrote beside its result", name, op);
  }
};

// A fence between pending operations must not hurt; it does not make their results valid.
void order(Plain) { shmem_fence(); }
void order(shmem_ctx_t ctx) { shmem_ctx_fence(ctx); }

template <class Ops, class Form>
void extended(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  Results<T> r;
  const T a = value_of<T>(11, 1), b = value_of<T>(12, 2), c = value_of<T>(13, 3);
  Ops::set(form, word, a, pe);
  complete(form);
  Ops::fetch_nbi(form, r.at(0), word, pe);
  complete(form);
  Ops::swap_nbi(form, r.at(1), word, b, pe);
  complete(form);
  Ops::swap_nbi(form, r.at(2), word, c, pe);
  complete(form);
  r.expect(0, a, Ops::kName, "fetch_nbi");
  r.expect(1, a, Ops::kName, "swap_nbi");
  r.expect(2, b, Ops::kName, "swap_nbi");
  expect_cell(cell, pe, c, Ops::kName, "swap_nbi");
}

template <class Ops, class Form>
void standard(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  Results<T> r;
  const T a = static_cast<T>(value_of<T>(14, 1) / 4), step = static_cast<T>(a / 5 + 1);
  Ops::set(form, word, a, pe);
  complete(form);
  Ops::compare_swap_nbi(form, r.at(0), word, static_cast<T>(a + 1), step, pe);
  complete(form);
  Ops::compare_swap_nbi(form, r.at(1), word, a, static_cast<T>(a + 3), pe);
  complete(form);
  Ops::fetch_inc_nbi(form, r.at(2), word, pe);
  complete(form);
  Ops::fetch_add_nbi(form, r.at(3), word, step, pe);
  complete(form);
  r.expect(0, a, Ops::kName, "a failing compare_swap_nbi");
  r.expect(1, a, Ops::kName, "compare_swap_nbi");
  r.expect(2, static_cast<T>(a + 3), Ops::kName, "fetch_inc_nbi");
  r.expect(3, static_cast<T>(a + 4), Ops::kName, "fetch_add_nbi");
  expect_cell(cell, pe, static_cast<T>(a + 4 + step), Ops::kName, "the nbi operations");
}

template <class Ops, class Form>
void bitwise(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  Results<T> r;
  const T a = static_cast<T>(0xF0F0A5A5C3C31234u), b = static_cast<T>(0x9999FF0012348421u);
  Ops::set(form, word, a, pe);
  complete(form);
  Ops::fetch_and_nbi(form, r.at(0), word, b, pe);
  complete(form);
  Ops::fetch_or_nbi(form, r.at(1), word, static_cast<T>(~b), pe);
  complete(form);
  Ops::fetch_xor_nbi(form, r.at(2), word, a, pe);
  complete(form);
  r.expect(0, a, Ops::kName, "fetch_and_nbi");
  r.expect(1, static_cast<T>(a & b), Ops::kName, "fetch_or_nbi");
  r.expect(2, static_cast<T>((a & b) | ~b), Ops::kName, "fetch_xor_nbi");
  expect_cell(cell, pe, static_cast<T>(((a & b) | ~b) ^ a), Ops::kName, "the nbi operations");
}

// Many pending at once on one word: the fetched values are some permutation.
template <class Ops, class Form>
void many(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  constexpr std::size_t kMany = 100;
  T* const word = cell.as<T>();
  T fetched[kMany];
  bool seen[kMany] = {};
  Ops::set(form, word, T{7}, pe);
  complete(form);
  for (T& f : fetched) f = T{};
  for (std::size_t i = 0; i < kMany; ++i) {
    Ops::fetch_inc_nbi(form, &fetched[i], word, pe);
    if (i % 10 == 9) order(form);
  }
  complete(form);
  for (const T f : fetched) {
    const auto at = static_cast<std::size_t>(f - 7);
    CHECK(at < kMany && !seen[at], "%s: fetch_inc_nbi fetched %zu twice or out of range", Ops::kName, at);
    if (at < kMany) seen[at] = true;
  }
  expect_cell(cell, pe, static_cast<T>(7 + kMany), Ops::kName, "100 pending fetch_inc_nbi");
}

}  // namespace

int main() {
  check_begin();
  for_all_cells([](Cell* cells, Peer kind, auto form) {
    const int pe = peer_of(kind, check_me);
    Cell& cell = cells[check_me];
    auto clean = [&] {
      Cell fresh;
      std::memset(static_cast<void*>(&fresh), kGuard, sizeof fresh);
      shmem_putmem(&cell, &fresh, sizeof fresh, pe);
      shmem_quiet();
    };
    STEP("extended types");
    for_all_extended([&](auto ops) { clean(), extended<decltype(ops)>(cell, pe, form); });
    STEP("standard types");
    for_all_standard([&](auto ops) {
      clean(), standard<decltype(ops)>(cell, pe, form);
      many<decltype(ops)>(cell, pe, form);
    });
    STEP("bitwise types");
    for_all_bitwise([&](auto ops) { clean(), bitwise<decltype(ops)>(cell, pe, form); });
  });
  return check_end();
}
