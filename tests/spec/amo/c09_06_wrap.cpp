// Point 9.6: unsigned AMOs wrap around, and signed ones do the same without a trap, also built with -ftrapv: inc of the
// largest value, add beyond both ends, in every form that counts.
#include "amo_ops.hpp"

using namespace spec;

namespace {

// The bits of a + b in the type's width, computed where wrapping is defined.
template <class T>
T wrapped(T a, std::uint64_t b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + b);
}

template <class Ops, class Form>
void over_the_top(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  const T top = std::numeric_limits<T>::max(), bottom = std::numeric_limits<T>::min();
  T fetched = T{1};
  auto start = [&](T value) { Ops::set(form, word, value, pe), complete(form); };

  start(top);
  Ops::inc(form, word, pe);
  complete(form);
  expect_cell(cell, pe, bottom, Ops::kName, "inc of the largest value");
  start(top);
  CHECK(Ops::fetch_inc(form, word, pe) == top, "%s: fetch_inc of the largest value", Ops::kName);
  expect_cell(cell, pe, bottom, Ops::kName, "fetch_inc of the largest value");
  start(top);
  Ops::fetch_inc_nbi(form, &fetched, word, pe);
  complete(form);
  CHECK(fetched == top, "%s: fetch_inc_nbi of the largest value", Ops::kName);
  expect_cell(cell, pe, bottom, Ops::kName, "fetch_inc_nbi of the largest value");

  start(top);
  Ops::add(form, word, top, pe);
  complete(form);
  expect_cell(cell, pe, wrapped(top, static_cast<std::uint64_t>(top)), Ops::kName, "add, largest + largest");
  start(bottom);
  Ops::add(form, word, static_cast<T>(-1), pe);
  complete(form);
  expect_cell(cell, pe, top, Ops::kName, "add of -1 to the smallest value");
  start(bottom);
  CHECK(Ops::fetch_add(form, word, static_cast<T>(-1), pe) == bottom, "%s: fetch_add of -1", Ops::kName);
  expect_cell(cell, pe, top, Ops::kName, "fetch_add of -1 to the smallest value");
  start(bottom);
  Ops::fetch_add_nbi(form, &fetched, word, bottom, pe);
  complete(form);
  CHECK(fetched == bottom, "%s: fetch_add_nbi of the smallest value", Ops::kName);
  expect_cell(cell, pe, wrapped(bottom, static_cast<std::uint64_t>(bottom)), Ops::kName,
              "fetch_add_nbi, smallest twice");
  start(T{});
}

}  // namespace

int main() {
  check_begin();
  for_all_cells([](Cell* cells, Peer kind, auto form) {
    const int pe = peer_of(kind, check_me);
    Cell& cell = cells[check_me];
    for_all_standard([&](auto ops) {
      Cell fresh;
      std::memset(static_cast<void*>(&fresh), kGuard, sizeof fresh);
      shmem_putmem(&cell, &fresh, sizeof fresh, pe);
      shmem_quiet();
      over_the_top<decltype(ops)>(cell, pe, form);
    });
  });
  return check_end();
}
