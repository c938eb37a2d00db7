// Point 9.1: every AMO of the standard (12), extended (14) and bitwise (7) type sets, in both forms: the value it
// returns, the value it leaves, and not a byte beside the word. Heap and static; to self, to next, all to the last PE.
#include "amo_ops.hpp"

using namespace spec;

namespace {

template <class Ops, class Form>
void extended(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  const T a = value_of<T>(1, 1), b = value_of<T>(2, 2), c = value_of<T>(3, 3);
  Ops::set(form, word, a, pe);
  complete(form);
  expect_cell(cell, pe, a, Ops::kName, "set");
  CHECK(Ops::fetch(form, word, pe) == a, "%s: fetch after set", Ops::kName);
  CHECK(Ops::swap(form, word, b, pe) == a, "%s: swap returns the old value", Ops::kName);
  expect_cell(cell, pe, b, Ops::kName, "swap");
  CHECK(Ops::swap(form, word, c, pe) == b, "%s: swap returns the old value", Ops::kName);
  CHECK(Ops::fetch(form, word, pe) == c, "%s: fetch after swap", Ops::kName);
  expect_cell(cell, pe, c, Ops::kName, "fetch");
  Ops::set(form, word, T{}, pe);
  complete(form);
  expect_cell(cell, pe, T{}, Ops::kName, "set to zero");
}

template <class Ops, class Form>
void standard(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  const T start = static_cast<T>(std::numeric_limits<T>::max() / 3 + 5), step = static_cast<T>(start / 7 + 1);
  Ops::set(form, word, start, pe);
  complete(form);
  CHECK(Ops::fetch_inc(form, word, pe) == start, "%s: fetch_inc returns the old value", Ops::kName);
  expect_cell(cell, pe, static_cast<T>(start + 1), Ops::kName, "fetch_inc");
  Ops::inc(form, word, pe);
  complete(form);
  expect_cell(cell, pe, static_cast<T>(start + 2), Ops::kName, "inc");
  CHECK(Ops::fetch_add(form, word, step, pe) == static_cast<T>(start + 2), "%s: fetch_add", Ops::kName);
  expect_cell(cell, pe, static_cast<T>(start + 2 + step), Ops::kName, "fetch_add");
  Ops::add(form, word, static_cast<T>(0) - step, pe);
  complete(form);
  expect_cell(cell, pe, static_cast<T>(start + 2), Ops::kName, "add of a negative value");
  Ops::add(form, word, static_cast<T>(0), pe);
  Ops::add(form, word, step, pe);
  complete(form);
  expect_cell(cell, pe, static_cast<T>(start + 2 + step), Ops::kName, "add");
  const T now = static_cast<T>(start + 2 + step);
  CHECK(Ops::compare_swap(form, word, start, step, pe) == now, "%s: failing compare_swap", Ops::kName);
  expect_cell(cell, pe, now, Ops::kName, "a failing compare_swap");
  CHECK(Ops::compare_swap(form, word, now, step, pe) == now, "%s: compare_swap", Ops::kName);
  expect_cell(cell, pe, step, Ops::kName, "compare_swap");
}

template <class Ops, class Form>
void bitwise(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  const T a = static_cast<T>(0xF0F0A5A5C3C31234u), b = static_cast<T>(0x9999FF0012348421u);
  const T high = static_cast<T>(T{1} << (sizeof(T) * 8 - 2));
  Ops::set(form, word, a, pe);
  complete(form);
  CHECK(Ops::fetch_and(form, word, b, pe) == a, "%s: fetch_and returns the old value", Ops::kName);
  expect_cell(cell, pe, static_cast<T>(a & b), Ops::kName, "fetch_and");
  CHECK(Ops::fetch_or(form, word, b, pe) == static_cast<T>(a & b), "%s: fetch_or", Ops::kName);
  expect_cell(cell, pe, b, Ops::kName, "fetch_or");
  CHECK(Ops::fetch_xor(form, word, a, pe) == b, "%s: fetch_xor", Ops::kName);
  expect_cell(cell, pe, static_cast<T>(a ^ b), Ops::kName, "fetch_xor");
  Ops::bit_xor(form, word, b, pe);
  complete(form);
  expect_cell(cell, pe, a, Ops::kName, "xor");
  Ops::bit_and(form, word, b, pe);
  complete(form);
  expect_cell(cell, pe, static_cast<T>(a & b), Ops::kName, "and");
  Ops::bit_or(form, word, high, pe);
  complete(form);
  expect_cell(cell, pe, static_cast<T>((a & b) | high), Ops::kName, "or");
  CHECK(Ops::fetch(form, word, pe) == static_cast<T>((a & b) | high), "%s: fetch", Ops::kName);
}

// A word of the next type is another word: clean its surroundings, which a smaller type before left as they were.
void clean(Cell& cell, int pe) {
  Cell fresh;
  std::memset(static_cast<void*>(&fresh), kGuard, sizeof fresh);
  shmem_putmem(&cell, &fresh, sizeof fresh, pe);
  shmem_quiet();
}

}  // namespace

int main() {
  check_begin();
  for_all_cells([](Cell* cells, Peer kind, auto form) {
    const int pe = peer_of(kind, check_me);
    Cell& cell = cells[check_me];
    STEP("extended types");
    for_all_extended([&](auto ops) { clean(cell, pe), extended<decltype(ops)>(cell, pe, form); });
    STEP("standard types");
    for_all_standard([&](auto ops) { clean(cell, pe), standard<decltype(ops)>(cell, pe, form); });
    STEP("bitwise types");
    for_all_bitwise([&](auto ops) { clean(cell, pe), bitwise<decltype(ops)>(cell, pe, form); });
  });
  return check_end();
}
